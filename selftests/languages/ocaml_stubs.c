// SPDX-License-Identifier: GPL-2.0
/*
 * ocaml_stubs.c - what plain.ml calls, and is called back by.
 */
#include <caml/callback.h>
#include <caml/mlvalues.h>

__attribute__((noipa)) value call_back(value n)
{
	value ret = caml_callback(*caml_named_value("one"), n);

	__asm__ volatile("" : "+r"(ret));
	return ret;
}
