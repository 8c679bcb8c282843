// SPDX-License-Identifier: GPL-2.0
//! plain.rs - a chain of calls in Rust: in main(), in a thread, in what a panic drops.

use std::hint::black_box;

#[no_mangle]
#[inline(never)]
extern "C-unwind" fn leaf(n: u64) -> u64 {
    let mut sum = 0;
    for i in 0..n {
        sum = black_box(sum ^ i.wrapping_mul(i));
    }
    sum
}

#[no_mangle]
#[inline(never)]
extern "C-unwind" fn three(n: u64) -> u64 {
    black_box(leaf(n)).wrapping_add(1)
}

#[no_mangle]
#[inline(never)]
extern "C-unwind" fn two(n: u64) -> u64 {
    black_box(three(n)).wrapping_add(1)
}

#[no_mangle]
#[inline(never)]
extern "C-unwind" fn one(n: u64) -> u64 {
    black_box(two(n)).wrapping_add(1)
}

struct Guard;

impl Drop for Guard {
    #[inline(never)]
    fn drop(&mut self) {
        black_box(leaf(300_000));
    }
}

#[no_mangle]
#[inline(never)]
extern "C-unwind" fn panics(n: u64) -> u64 {
    let _guard = Guard;
    if black_box(n) > 0 {
        std::panic::panic_any(n);
    }
    n
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let worker = std::thread::spawn(move || {
        for _ in 0..200 {
            black_box(one(1_000_000));
        }
    });
    for _ in 0..200 {
        black_box(one(1_000_000));
        let _ = std::panic::catch_unwind(|| panics(black_box(7)));
    }
    worker.join().unwrap();
}
