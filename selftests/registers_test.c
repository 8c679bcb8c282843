// SPDX-License-Identifier: GPL-2.0
/*
 * registers_test.c - frames whose CFA is by a register that their callees save
 * (programs/registers.S, on x86 programs/steps_asm.S too), with the table that the tool makes of
 * this program.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../tools/sframe/gen.h"
#include "lib/lw_test.h"
#include "lib/stack.h"
#include "programs/registers.h"
#include "kselftest_harness.h"

#define RING	65536
#define KEEP	__attribute__((noipa))

/* Hands over the table of this program. */
static int add_tables(int session)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct lw_gen gen = {};
	struct stat st;
	size_t i;
	int err;

	err = fd < 0 || fstat(fd, &st) ? -1 : lw_sframe_gen_fd(fd, "this program", 0, &gen);
	for (i = 0; !err && i < gen.nr_tables; i++) {
		struct lw_table table = {
			.size = sizeof(table),
			.file_fd = fd,
			.mtime_sec = st.st_mtim.tv_sec,
			.mtime_nsec = st.st_mtim.tv_nsec,
			.file_size = st.st_size,
			.text_offset = gen.tables[i].text_offset,
			.text_size = gen.tables[i].text_size,
			.data = (uintptr_t)gen.tables[i].data,
			.data_size = gen.tables[i].size,
		};

		err = lwt_ioctl(session, LW_IOC_ADD_TABLE, &table);
	}
	lw_gen_free(&gen);
	close(fd);
	return err;
}

FIXTURE(registers)
{
	struct lwt_session s;
	struct lwt_log log;
	struct lw_request request;
	uint64_t above;		/* where call() returns to */
};

/* No guesses, and nothing that is only likely. */
FIXTURE_SETUP(registers)
{
	ASSERT_EQ(0, lwt_session_open_masked(&self->s, RING, 0, 0, LW_MASK_SFRAME));
	ASSERT_EQ(0, add_tables(self->s.fd));
}

FIXTURE_TEARDOWN(registers)
{
	lwt_log_free(&self->log);
	lwt_session_close(&self->s);
}

static KEEP long call(FIXTURE_DATA(registers) *self, registers_by by, long (*fn)(long value))
{
	long ret;

	self->above = (uintptr_t)__builtin_return_address(0);
	ret = by(3, fn);
	asm volatile("" : "+r"(ret));
	return ret;
}

static const registers_by by_register[] = REGISTERS_BY;

static struct lwt_stack *stack_of(FIXTURE_DATA(registers) *self, registers_by by,
				  long (*fn)(long value))
{
	lwt_log_free(&self->log);
	self->request = (struct lw_request) { .size = sizeof(self->request) };
	registers_request.nr = SYS_ioctl;
	registers_request.fd = self->s.fd;
	registers_request.cmd = LW_IOC_REQUEST;
	registers_request.arg = (long)&self->request;
	if (call(self, by, fn) || lwt_read(&self->s, &self->log) < 0)
		return NULL;
	return lwt_find_stack(&self->log, &self->request.cookie);
}

TEST_F(registers, are_followed_to_where_rows_say_they_are_saved)
{
	struct lwt_stack *stack;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(by_register); i++) {
		stack = stack_of(self, by_register[i], registers_saves);
		ASSERT_NE(NULL, stack);
		ASSERT_LE(4, stack->nr);
		EXPECT_EQ((uintptr_t)registers_saves_ip, stack->frames[0]);
		EXPECT_EQ(LW_HOW_TABLE, lwt_how(stack)[2]);
		EXPECT_EQ(self->above, stack->frames[3]);
		EXPECT_EQ(LW_HOW_SFRAME, lwt_how(stack)[3]);
	}
}

TEST_F(registers, are_not_made_up_where_rows_say_they_are_gone)
{
	struct lwt_stack *stack;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(by_register); i++) {
		stack = stack_of(self, by_register[i], registers_loses);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(2, stack->nr);
		EXPECT_EQ((uintptr_t)registers_loses_ip, stack->frames[0]);
		EXPECT_EQ(LW_END_NO_RULE, stack->end);
	}
}

#ifdef REGISTERS_BY_OTHER
TEST_F(registers, are_not_made_up_where_rows_do_not_tell_of_them)
{
	struct lwt_stack *stack = stack_of(self, REGISTERS_BY_OTHER, registers_saves);

	ASSERT_NE(NULL, stack);
	EXPECT_EQ(2, stack->nr);
	EXPECT_EQ((uintptr_t)registers_saves_ip, stack->frames[0]);
	EXPECT_EQ(LW_END_NO_RULE, stack->end);
}
#endif

TEST(caused_no_kernel_warning)
{
	EXPECT_EQ(0, lwt_tainted());
}

TEST_HARNESS_MAIN
