/* SPDX-License-Identifier: GPL-2.0 */
/*
 * crowd.h - very many threads, each of which makes one call of LWM_IOC_WAIT and
 * ends.
 */
#ifndef CROWD_H
#define CROWD_H

#include "lib/lwm.h"

/**
 * struct crowd - threads without libc's knowledge
 * @nr: of them
 * @waits: of each: what it asks for, and what came of it
 * @rets: what the call has returned, CROWD_RUNNING until then
 * @stacks: a few words of each
 */
struct crowd {
	unsigned int nr;
	struct lwm_wait *waits;
	long *rets;
	char *stacks;
};

#define CROWD_RUNNING	1000L

int crowd_prepare(void);
int crowd_start(struct crowd *crowd, int fd, unsigned int nr, uint64_t tracers);
unsigned int crowd_running(const struct crowd *crowd);
void crowd_free(struct crowd *crowd);

#endif /* CROWD_H */
