// SPDX-License-Identifier: GPL-2.0
/*
 * write_behind_test.c - what is written to a stream is in the file, whole and in order, and
 * nobody waits for its reader before the bound.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/write_behind.h"
#include "tests/tap.h"

#define WORDS		(1U << 20)
#define BYTES		(WORDS * sizeof(u32))

struct pipe_reader {
	int fds[2];
	pthread_t thread;
	u32 words, bad;			/* read, and not what they should be */
};

static void *read_words(void *arg)
{
	struct pipe_reader *reader = arg;
	FILE *from = fdopen(reader->fds[0], "r");
	u32 word;

	while (fread(&word, sizeof(word), 1, from) == 1)
		reader->bad += word != reader->words++;
	fclose(from);
	return NULL;
}

static FILE *open_pipe(struct pipe_reader *reader, size_t max_bytes,
		       struct lw_write_behind **behind)
{
	if (pipe(reader->fds))
		return NULL;
	fcntl(reader->fds[1], F_SETPIPE_SZ, 4096);
	return lw_write_behind_open(reader->fds[1], max_bytes, behind);
}

static bool put_words(FILE *file)
{
	for (u32 i = 0; i < WORDS; i++) {
		if (fwrite(&i, sizeof(i), 1, file) != 1)
			return false;
	}
	return !fflush(file);
}

static bool nobody_waits_for_a_reader(void)
{
	struct pipe_reader reader = { 0 };
	struct lw_write_behind *behind;
	FILE *file = open_pipe(&reader, 4 * BYTES, &behind);

	CHECK(file && put_words(file));
	pthread_create(&reader.thread, NULL, read_words, &reader);
	CHECK(!lw_write_behind_sync(behind) && !fclose(file));
	pthread_join(reader.thread, NULL);
	CHECK(reader.words == WORDS && !reader.bad);
	return true;
}

static bool beyond_the_bound_nothing_is_lost(void)
{
	struct pipe_reader reader = { 0 };
	struct lw_write_behind *behind;
	FILE *file = open_pipe(&reader, 10000, &behind);

	CHECK(file);
	pthread_create(&reader.thread, NULL, read_words, &reader);
	CHECK(put_words(file) && !fclose(file));
	pthread_join(reader.thread, NULL);
	CHECK(reader.words == WORDS && !reader.bad);
	return true;
}

static bool a_header_is_written_over_in_turn(void)
{
	char path[] = "/tmp/write_behind_test.XXXXXX", text[32] = "";
	struct lw_write_behind *behind;
	int fd = mkstemp(path);
	FILE *file = lw_write_behind_open(fd, 1 << 20, &behind);

	CHECK(file && fputs("head", file) >= 0 && fputs(" and body", file) >= 0);
	CHECK(!fflush(file) && !lw_write_behind_at(behind, 0, "HE", 2));
	/* what follows goes on behind the body */
	CHECK(fputs(" and tail", file) >= 0 && !fflush(file));
	CHECK(!lw_write_behind_at(behind, 2, "AD", 2) && !lw_write_behind_sync(behind));
	CHECK(lw_read_file(path, text, sizeof(text)) == 22);
	CHECK(!strcmp(text, "HEAD and body and tail"));
	CHECK(!fclose(file) && !unlink(path));
	return true;
}

static bool a_full_disk_is_told(void)
{
	struct lw_write_behind *behind;
	FILE *file = lw_write_behind_open(open("/dev/full", O_WRONLY), 1 << 20, &behind);

	CHECK(file && fputs("text", file) >= 0 && !fflush(file));
	CHECK(lw_write_behind_sync(behind) == -ENOSPC && errno == ENOSPC);
	errno = 0;
	CHECK(fputs("text", file) >= 0 && fflush(file) && errno == ENOSPC);
	CHECK(fclose(file));
	return true;
}

static bool a_reader_that_goes_is_told(void)
{
	struct pipe_reader reader = { 0 };
	struct lw_write_behind *behind;
	FILE *file = open_pipe(&reader, 10000, &behind);

	close(reader.fds[0]);
	CHECK(file && !put_words(file) && errno == EPIPE);
	CHECK(lw_write_behind_sync(behind) == -EPIPE);
	fclose(file);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(nobody_waits_for_a_reader),
		TEST(beyond_the_bound_nothing_is_lost),
		TEST(a_header_is_written_over_in_turn),
		TEST(a_full_disk_is_told),
		TEST(a_reader_that_goes_is_told),
	};

	signal(SIGPIPE, SIG_IGN);
	return tap_run(tests, ARRAY_SIZE(tests));
}
