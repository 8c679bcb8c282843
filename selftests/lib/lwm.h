/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lwm.h - for tests that use lw_test.ko: loading it, and latewind.ko again with
 * parameters; calling it from a known place; what its callbacks were given.
 *
 * Functions return 0 or -errno.
 */
#ifndef LWM_H
#define LWM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/call.h"
#include "lib/lw_test.h"
#include "modules/lw_test.h"

/**
 * struct lwm_log - stacks that were read
 * @nr: of them
 * @total: that there were
 * @stacks: of malloc()
 */
struct lwm_log {
	size_t nr;
	uint64_t total;
	struct lwm_stack *stacks;
};

/**
 * struct lwm_call - LWM_IOC_RUN at the end of a chain
 * @call: the chain's expectations; @call.fd is of LWM_DEVICE
 * @run: what to do
 * @asks: of it
 */
struct lwm_call {
	struct call call;
	struct lwm_run run;
	struct lwm_ask asks[LWM_ASKS];
};

#define LWM_MISSING	\
	"%s.ko is not there for this kernel: neither in $LW_TEST_MODULES, nor beside the test, " \
	"nor in $LATEWIND_ROOT/build/test-module"

bool lwm_find_file(const char *file, char *path, size_t size);
int lwm_load(const char *module, const char *parameters);
int lwm_unload(const char *module);
int lwm_open(const char *parameters);
void lwm_close(int fd);
int lwm_reload(const char *parameters);

int lwm_register(int fd, unsigned int tracer);
int lwm_register_all(int fd, unsigned int nr);
int lwm_unregister(int fd, unsigned int tracer, uint64_t *owed);
struct lwm_stats lwm_stats(int fd, unsigned int tracer);

struct lwm_ask *lwm_ask(struct lwm_call *call, unsigned int tracer,
			unsigned int path, unsigned int in, unsigned int out);
void lwm_again(struct lwm_call *call);
long lwm_leaf(struct chain *c);

int lwm_read(int fd, struct lwm_log *log);
void lwm_log_free(struct lwm_log *log);
unsigned int lwm_count(const struct lwm_log *log, unsigned int tracer,
		       const struct lw_cookie *cookie);
struct lwm_stack *lwm_find(const struct lwm_log *log, unsigned int tracer,
			   const struct lw_cookie *cookie);
unsigned int lwm_matching(const struct lwm_stack *stack,
			  const struct call *call);

#endif /* LWM_H */
