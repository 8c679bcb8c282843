/* SPDX-License-Identifier: GPL-2.0 */
/*
 * served.h - a file of FUSE, whose server answers or withholds the answer.
 *
 * Functions return 0 or -errno, if they say nothing else.
 */
#ifndef LW_TEST_SERVED_H
#define LW_TEST_SERVED_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/page.h"

#define SERVED_PAGE	lwt_page()
#define SERVED_SIZE	(16 * SERVED_PAGE)
/* Each page of the file begins with this string. */
#define SERVED_TEXT	"/nowhere"

#define SERVED_MISSING	"no FUSE in this kernel (/dev/fuse, or mount -t fuse)"

/**
 * struct served_state - what the server and the test share
 * @withheld: opcode of the requests that get no answer yet; 0: all are answered
 * @waiting: requests that have no answer yet
 */
struct served_state {
	unsigned int withheld;
	unsigned int waiting;
};

/**
 * struct served - the file system of one file
 * @state: shared with the server
 * @server: its process
 * @answer: a byte that is written there has the server answer
 */
struct served {
	struct served_state *state;
	pid_t server;
	int answer;
};

int served_init(struct served *served);
void served_free(struct served *served);
int served_open(int flags);
void *served_map(int fd, int prot, int flags);
void served_withhold(struct served *served, unsigned int opcode);
bool served_is_waited_for(struct served *served);
int served_answer(struct served *served);

#endif /* LW_TEST_SERVED_H */
