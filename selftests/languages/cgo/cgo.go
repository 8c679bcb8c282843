// SPDX-License-Identifier: GPL-2.0

// From Go to C, which runs on the thread's own stack.
package main

/*
__attribute__((noipa)) static long leaf(long n)
{
	long sum = 0;

	while (n--) {
		sum ^= n * n;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

__attribute__((noipa)) static long in_c(long n)
{
	return leaf(n) + 1;
}
*/
import "C"

//go:noinline
func one(n int) int { return int(C.in_c(C.long(n))) + 1 }

func main() {
	sum := 0
	for i := 0; i < 300; i++ {
		sum += one(1000000)
	}
	_ = sum
}
