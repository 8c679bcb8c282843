// SPDX-License-Identifier: GPL-2.0
/*
 * ocaml_stubs.c - what plain.ml calls, and is called back by.
 *
 * spin_in_c() is called on another stack, with OCaml's stack pointer in a register that
 * c_leaf() has other uses for.
 */
#include <caml/callback.h>
#include <caml/mlvalues.h>

__attribute__((noipa)) long c_leaf(long n)
{
	register long sum __asm__("rbx") = n;

	for (long i = 0; i < n; i++)
		__asm__ volatile("add %1, %0" : "+r"(sum) : "r"(i));
	return sum;
}

__attribute__((noipa)) value spin_in_c(value n)
{
	long sum = c_leaf(Long_val(n));

	__asm__ volatile("" : "+r"(sum));
	return Val_long(sum & 1);
}

__attribute__((noipa)) value call_back(value n)
{
	value ret = caml_callback(*caml_named_value("one"), n);

	__asm__ volatile("" : "+r"(ret));
	return ret;
}
