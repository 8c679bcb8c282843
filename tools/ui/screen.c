// SPDX-License-Identifier: GPL-2.0
/*
 * screen.c - the terminal of 'latewind top'.
 *
 * What is shown is on the alternate screen, by sequences that each terminal of the last
 * decades knows.  It is as it was before when the program ends by a key, by itself, or by
 * one of the signals that are waited for (wait.c).  The size is asked for
 * each time, so that none needs to tell of a change.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "ui/screen.h"

#define BEGIN		"\033[?1049h\033[?25l\033[?7l"	/* other screen, no cursor, no wrap */
#define END		"\033[?7h\033[?25h\033[?1049l"
#define HOME		"\033[H"
#define REST_OF_LINE	"\033[K"
#define REST_OF_SCREEN	"\033[J"

static struct {
	bool shown;
	bool keys;			/* they come one by one */
	bool has_before;		/* what to go back to */
	int fd;				/* that keys come from, or -1 */
	struct termios before;
} state = { .fd = -1 };

/**
 * lw_top_screen_is_there - can there be one?
 *
 * Return: whether the standard output is a terminal that knows the sequences.
 */
bool lw_top_screen_is_there(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

static void restore(void)
{
	if (state.keys)
		tcsetattr(state.fd, TCSANOW, &state.before);
	state.keys = false;
	if (state.shown && write(STDOUT_FILENO, END, strlen(END)) < 0)
		return;
	state.shown = false;
}

/* The standard input may be a file, or a pipe: xargs(1) does that. */
static void find_keys(void)
{
	if (state.fd < 0)
		state.fd = isatty(STDIN_FILENO) ? STDIN_FILENO :
						  open("/dev/tty", O_RDONLY | O_CLOEXEC);
}

/* Who has been sent behind the others would be stopped for asking. */
static bool is_behind(void)
{
	pid_t front = tcgetpgrp(state.fd);

	return front >= 0 && front != getpgrp();
}

/*
 * Without Enter, and unseen.  Who would be stopped for asking has no keys: it is behind a
 * '&', and may come to the front later.
 */
static void begin_keys(void)
{
	struct termios keys;

	find_keys();
	if (is_behind() || tcgetattr(state.fd, &keys))
		return;
	/* not all shells change it back for who was sent behind the others */
	if (!state.has_before)
		state.before = keys;
	state.has_before = true;
	keys.c_lflag &= ~(ICANON | ECHO);
	keys.c_cc[VMIN] = 0;
	keys.c_cc[VTIME] = 0;
	/* a program that is dumped leaves the screen as it is; of stopping see below */
	keys.c_cc[VSUSP] = _POSIX_VDISABLE;
	keys.c_cc[VQUIT] = _POSIX_VDISABLE;
	state.keys = !tcsetattr(state.fd, TCSANOW, &keys);
}

/**
 * lw_top_screen_open - take the terminal over
 * @screen: out; lw_top_screen_is_there() said that it is there
 */
void lw_top_screen_open(struct lw_top_screen *screen)
{
	static bool at_exit;

	if (!at_exit)
		atexit(restore);
	at_exit = true;
	begin_keys();
	state.shown = write(STDOUT_FILENO, BEGIN, strlen(BEGIN)) > 0;
	screen->open = true;
}

/**
 * lw_top_screen_has_changed - ask for the size
 * @screen: gets it
 *
 * Return: whether it is another, or the first.
 */
bool lw_top_screen_has_changed(struct lw_top_screen *screen)
{
	struct winsize size = { 0 };
	u32 width, height;
	bool changed;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		size.ws_col = 0;
	width = size.ws_col ? size.ws_col : 80;
	height = size.ws_row ? size.ws_row : 24;
	changed = width != screen->width || height != screen->height;
	screen->width = width;
	screen->height = height;
	return changed;
}

/* Nobody is left who could bring us to the front: who began us has ended. */
static bool is_left_alone(void)
{
	return getsid(getppid()) != getsid(0);
}

/**
 * lw_top_screen_key - has a key been pressed?
 * @screen: open
 *
 * Return: it, LW_SCREEN_NO_KEY or LW_SCREEN_GONE.
 */
int lw_top_screen_key(const struct lw_top_screen *screen)
{
	struct pollfd input = { .events = POLLIN };
	char key = 0;
	ssize_t got;

	if (!screen->open)
		return LW_SCREEN_NO_KEY;
	if (!state.keys)
		begin_keys();
	if (is_behind()) {
		state.keys = false;
		return is_left_alone() ? LW_SCREEN_GONE : LW_SCREEN_NO_KEY;
	}
	if (!state.keys)
		return LW_SCREEN_NO_KEY;
	input.fd = state.fd;
	if (poll(&input, 1, 0) <= 0)
		return LW_SCREEN_NO_KEY;
	got = read(state.fd, &key, 1);
	if (got > 0)
		return key > 0 ? key : LW_SCREEN_NO_KEY;
	if ((got < 0 && errno == EIO) || input.revents & (POLLHUP | POLLERR | POLLNVAL))
		return LW_SCREEN_GONE;
	/* another program on the terminal was faster */
	return LW_SCREEN_NO_KEY;
}

/**
 * lw_top_screen_stop - let the shell have the terminal, until it says to go on
 * @screen: open, and again
 *
 * As the key would have done that stands for it: all of the job stops.
 */
void lw_top_screen_stop(struct lw_top_screen *screen)
{
	lw_top_screen_close(screen);
	kill(0, SIGTSTP);
	lw_top_screen_open(screen);
}

/**
 * lw_top_screen_show - show other lines
 * @screen: open
 * @lines: no more than its height, none wider than it is
 *
 * Return: 0 or -errno.
 */
int lw_top_screen_show(struct lw_top_screen *screen, const struct lw_strbuf *lines)
{
	struct lw_strbuf out = { 0 };
	const char *at = lines->text, *end = at + lines->len;
	int ret;

	if (!screen->open)
		return 0;
	lw_strbuf_str(&out, HOME);
	while (at < end) {
		const char *newline = memchr(at, '\n', end - at);
		size_t len = newline ? newline - at : end - at;

		lw_strbuf_bytes(&out, at, len);
		lw_strbuf_str(&out, REST_OF_LINE);
		at += len + 1;
		/* behind the last one it would move all up */
		if (at < end)
			lw_strbuf_str(&out, "\r\n");
	}
	lw_strbuf_str(&out, REST_OF_SCREEN);
	ret = lw_strbuf_flush(&out, STDOUT_FILENO);
	lw_strbuf_free(&out);
	return ret;
}

/**
 * lw_top_screen_close - give the terminal back as it was
 * @screen: open or not
 */
void lw_top_screen_close(struct lw_top_screen *screen)
{
	screen->open = false;
	restore();
}
