// SPDX-License-Identifier: GPL-2.0
/*
 * bench_pages.c - module/ring/ring_pages.c, for lw_bench.ko.
 */
#include "ring_pages.c"
