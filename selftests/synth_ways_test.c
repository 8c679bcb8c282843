// SPDX-License-Identifier: GPL-2.0
/*
 * synth_ways_test.c - the unit test of tools/sideband/synth_processes.c, where the module
 * tells of tasks and mappings.
 */
#define _GNU_SOURCE
#define LW_NEED_MODULE
#include "../tools/tests/sideband/synth_processes_test.c"
