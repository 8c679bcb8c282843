// SPDX-License-Identifier: GPL-2.0

// A chain of calls in Go: in main(), in a goroutine, and with so much garbage that
// the runtime has to work, on stacks of its own, and to ask for the time, which the vDSO
// does on such a stack.
package main

import "time"

var sink [][]byte

//go:noinline
func leaf(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum ^= i * i
	}
	return sum
}

//go:noinline
func three(n int) int { return leaf(n) + 1 }

//go:noinline
func two(n int) int { return three(n) + 1 }

//go:noinline
func one(n int) int { return two(n) + 1 }

//go:noinline
func garbage(n int) int {
	sink = nil
	for i := 0; i < n; i++ {
		sink = append(sink, make([]byte, 1000))
	}
	return len(sink)
}

//go:noinline
func clock(n int) int {
	last := 0
	for i := 0; i < n; i++ {
		last = time.Now().Nanosecond()
	}
	return last
}

func worker(done chan int) {
	sum := 0
	for i := 0; i < 200; i++ {
		sum += one(1000000)
	}
	done <- sum
}

func main() {
	done := make(chan int)
	sum := 0
	go worker(done)
	for i := 0; i < 200; i++ {
		sum += one(1000000) + garbage(3000) + clock(1000)
	}
	sum += <-done
}
