// SPDX-License-Identifier: GPL-2.0
/*
 * vma_ways_test.c - the unit test of tools/device/vma_query.c, where the module is loaded,
 * and so is one of the ways.
 */
#define _GNU_SOURCE
#define LW_NEED_MODULE
#include "../tools/tests/device/vma_query_test.c"
