// SPDX-License-Identifier: GPL-2.0

// From Go to C, and back to Go, which has a stack of its own again.
package main

// long in_c(long n);
import "C"

//go:noinline
func leaf(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum ^= i * i
	}
	return sum
}

//export back
func back(n C.long) C.long { return C.long(leaf(int(n))) + 1 }

//go:noinline
func one(n int) int { return int(C.in_c(C.long(n))) + 1 }

func main() {
	sum := 0
	for i := 0; i < 300; i++ {
		sum += one(1000000)
	}
	_ = sum
}
