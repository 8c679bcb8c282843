// SPDX-License-Identifier: GPL-2.0
/*
 * bench_ring.c - module/ring/ring.c, for lw_bench.ko.
 */
#include "ring.c"
