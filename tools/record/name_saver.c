// SPDX-License-Identifier: GPL-2.0
/*
 * name_saver.c - gives recordings the names of the user code in them.
 *
 * The files that have the names may be in a container, or change, and whoever reads a
 * recording may be elsewhere.  So each recording is read once when it is complete, and what
 * is found here is appended to it: in a thread, as there may be another recording by then.
 *
 * Contexts: lw_name_saver_*() the main thread.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/work_queue.h"
#include "perf/perf_user_names.h"
#include "profile/recording.h"
#include "record/name_saver.h"
#include "symbols/saved_names.h"
#include "tables/kept_files.h"

/* Of names of files that wait: there are fewer. */
#define MAX_WAITING	(1U << 20)
/* A file that does not answer may never do so. */
#define GIVE_UP_AFTER	(10 * NSEC_PER_SEC)
#define TELL_AFTER	NSEC_PER_SEC
#define TELL_EVERY	(NSEC_PER_SEC / 5)

struct recording_work {
	struct lw_work work;
	struct stat recorded;		/* another recording may get the name */
	char path[];
};

struct lw_name_saver {
	struct lw_work_queue *queue;
	struct lw_kept_files *kept;	/* or NULL */
	bool stops;			/* atomic: leave the rest out */
	u64 samples;			/* atomic: read so far */
	u64 bytes;			/* atomic: appended */
};

static int pass_frame(void *ctx, const struct lw_frame *frame)
{
	(void)ctx;
	(void)frame;
	return 0;
}

struct reading {
	struct lw_name_saver *saver;
	struct lw_recording *recording;
};

/* The symbolizer takes each name that it finds. */
static int name_sample(void *ctx, const struct lw_perf_record *sample)
{
	struct reading *reading = ctx;

	__atomic_add_fetch(&reading->saver->samples, 1, __ATOMIC_RELAXED);
	if (load_acquire(&reading->saver->stops))
		return -ECANCELED;
	return lw_recording_frames(reading->recording, sample, pass_frame, NULL);
}

static int find_names(struct lw_name_saver *saver, const char *path, struct lw_saved_names *names)
{
	struct lw_recording_options how = {
		.path = path,
		.no_demangle = true,
		.inlined = true,
		.save = names,
		.kept = saver->kept ? lw_kept_files_find : NULL,
		.kept_ctx = saver->kept,
	};
	struct reading reading = { .saver = saver };
	int ret = lw_recording_open(&reading.recording, &how);

	if (ret)
		return ret;
	ret = lw_recording_read(reading.recording, name_sample, &reading);
	lw_recording_close(reading.recording);
	return ret;
}

/* Return: bytes, or -errno with lw_fail_text(). */
static s64 append_names(const struct recording_work *recording,
			const struct lw_saved_names *names)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	s64 ret = to ? lw_saved_names_write(names, to) : -ENOMEM;

	if (to && fclose(to))
		ret = -ENOMEM;
	if (ret)
		ret = lw_fail(ret, "out of memory");
	else if (size)
		ret = lw_perf_add_user_names(recording->path, &recording->recorded, text, size);
	free(text);
	return ret;
}

static s64 save_names(struct lw_name_saver *saver, const struct recording_work *recording)
{
	struct lw_saved_names *names = lw_saved_names_new();
	s64 ret;

	if (!names)
		return lw_fail(-ENOMEM, "out of memory");
	ret = find_names(saver, recording->path, names);
	if (!ret)
		ret = append_names(recording, names);
	lw_saved_names_free(names);
	return ret;
}

/* Of several files the oldest may have been removed by then. */
static int do_work(void *ctx, struct lw_work *work)
{
	struct recording_work *recording = (void *)work;
	struct lw_name_saver *saver = ctx;
	s64 ret;

	if (!work)
		return 0;
	ret = save_names(saver, recording);
	if (ret > 0)
		__atomic_add_fetch(&saver->bytes, ret, __ATOMIC_RELAXED);
	else if (ret < 0 && ret != -ECANCELED && ret != -ENOENT)
		fprintf(stderr, "latewind: %s has no names of functions: %s\n", recording->path,
			lw_fail_text());
	return 0;
}

/**
 * lw_name_saver_new - begin, with a thread
 * @kept: files that may be found there only, or NULL
 *
 * Return: it, or NULL.
 */
struct lw_name_saver *lw_name_saver_new(struct lw_kept_files *kept)
{
	struct lw_name_saver *saver = calloc(1, sizeof(*saver));

	if (!saver)
		return NULL;
	saver->queue = lw_work_queue_new(MAX_WAITING, do_work, saver);
	if (!saver->queue) {
		free(saver);
		return NULL;
	}
	saver->kept = lw_kept_files_get(kept);
	return saver;
}

/**
 * lw_name_saver_add - append the names of the user code in a recording to it, soon
 * @saver: begun
 * @path: of a complete recording without such names; after a failure, which is told of, it is
 *	as it was
 *
 * Return: 0, -ENOMEM, or -ENOENT: the file is not there any more.
 */
int lw_name_saver_add(struct lw_name_saver *saver, const char *path)
{
	size_t size = strlen(path) + 1;
	struct recording_work *work = calloc(1, sizeof(*work) + size);

	if (!work)
		return -ENOMEM;
	work->work.bytes = sizeof(*work) + size;
	memcpy(work->path, path, size);
	if (stat(path, &work->recorded)) {
		free(work);
		return -ENOENT;
	}
	if (lw_work_queue_add(saver->queue, &work->work))
		return 0;
	free(work);
	return -ENOMEM;
}

static u64 nr_samples(const struct lw_name_saver *saver)
{
	return __atomic_load_n(&saver->samples, __ATOMIC_RELAXED);
}

/* SIGUSR2 asks for another file: there is none any more. */
static bool is_enough(int signal_fd)
{
	struct signalfd_siginfo info;

	while (read(signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGUSR2)
			return true;
	}
	return false;
}

/* Return: false: the user has had enough, or a file does not answer. */
static bool wait_for_all(const struct lw_name_saver *saver, int signal_fd, bool tell)
{
	u64 begin = lw_now(), moved = begin, seen = 0;

	/* what came before now has ended the recording */
	while (is_enough(signal_fd))
		;
	while (!lw_work_queue_wait(saver->queue, lw_now() + TELL_EVERY)) {
		if (nr_samples(saver) != seen)
			moved = lw_now();
		seen = nr_samples(saver);
		if (is_enough(signal_fd) || lw_now() - moved > GIVE_UP_AFTER)
			return false;
		if (tell && lw_now() - begin > TELL_AFTER)
			fprintf(stderr, "\rlatewind: names of functions of %llu samples", seen);
	}
	return true;
}

/**
 * lw_name_saver_finish - wait until all recordings have their names
 * @saver: begun; only lw_name_saver_free() may follow
 * @signal_fd: a signalfd that does not block; a signal that comes is the user's word that it is
 *	enough: the others have none then
 * @tell: how far it is, if that takes long and there is a terminal
 *
 * Return: bytes that were appended.
 */
u64 lw_name_saver_finish(struct lw_name_saver *saver, int signal_fd, bool tell)
{
	bool done;

	tell = tell && isatty(STDERR_FILENO);
	done = wait_for_all(saver, signal_fd, tell);
	if (tell)
		fputs("\r\033[K", stderr);
	if (!done)
		fputs("latewind: not all names of functions are saved\n"
		      "  That was interrupted, or a file did not answer.\n", stderr);
	return __atomic_load_n(&saver->bytes, __ATOMIC_RELAXED);
}

/**
 * lw_name_saver_free - leave out what waits, and free all
 * @saver: begun, or NULL
 */
void lw_name_saver_free(struct lw_name_saver *saver)
{
	if (!saver)
		return;
	store_release(&saver->stops, true);
	/* a thread that hangs keeps what it uses */
	if (!lw_work_queue_free(saver->queue, lw_now() + NSEC_PER_SEC))
		return;
	lw_kept_files_put(saver->kept);
	free(saver);
}
