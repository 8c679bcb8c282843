// SPDX-License-Identifier: GPL-2.0
/*
 * victim.c - a shared library whose file is changed while it runs.
 *
 * Nothing here touches the library's data, so that it still runs when only its
 * text is left.
 */
typedef long (*victim_fn)(void *arg);

static __attribute__((noipa)) long inner(victim_fn fn, void *arg)
{
	long ret = fn(arg);

	asm volatile("" : "+r"(ret) : : "memory");
	return ret;
}

/* Two frames of the library, then the caller's function. */
__attribute__((visibility("default"))) long victim_call(victim_fn fn, void *arg)
{
	long ret = inner(fn, arg);

	asm volatile("" : "+r"(ret) : : "memory");
	return ret;
}
