// SPDX-License-Identifier: GPL-2.0
/*
 * terminal.c - the whole of a terminal, by ncurses: taken over and given back.
 *
 * Keys come from the terminal even if the standard input is a file. A process has one
 * terminal. Ctrl-Z is a key here: ncurses would give the terminal back in a signal handler,
 * whatever the signal interrupts.
 *
 * Contexts: the main thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* its macros have names that others want, too */
#define NCURSES_NOMACROS
#include <ncurses.h>

#include "ui/terminal.h"
#include "ui/terminfo.h"

#define CTRL_Z	0x1a

static struct screen *screen;		/* NULL: it is not ours */
static FILE *keys;
static bool suspended;			/* given back until we are in the foreground again */
static volatile sig_atomic_t continued;	/* somebody stopped us, and let us go on */

/**
 * lw_terminal_is_there - is there a terminal to draw on?
 *
 * Return: whether the standard output is a terminal that can do more than print, and
 * there are keys.
 */
bool lw_terminal_is_there(void)
{
	const char *term = getenv("TERM");
	int fd;

	/* a terminal that is not ours has no foreground for us */
	if (tcgetpgrp(STDOUT_FILENO) < 0 || !term || !*term || !strcmp(term, "dumb"))
		return false;
	/* the node is there for who has no terminal of his own, too */
	fd = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return false;
	close(fd);
	return lw_terminal_can_move();
}

/* Names are UTF-8, whatever others have set up. */
static void use_utf8(void)
{
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* In the background endwin() would stop us. */
static void give_back(int sig)
{
	if (screen && !suspended)
		endwin();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* For signals that are not ignored, as nohup has SIGHUP. ncurses has its own for SIGINT only. */
static void give_back_at(int sig)
{
	struct sigaction action;

	if (!sigaction(sig, NULL, &action) && action.sa_handler == SIG_DFL)
		signal(sig, give_back);
}

static void note_continued(int sig)
{
	continued = sig;
}

static void handle_signals(void)
{
	/* without SA_RESTART: what waits for the foreground looks why it goes on */
	struct sigaction action = { .sa_handler = note_continued };
	sigset_t set;

	sigaction(SIGCONT, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	give_back_at(SIGTERM);
	give_back_at(SIGQUIT);
	give_back_at(SIGHUP);
}

/* Signals that end us may be blocked, and be read from a descriptor when we go on. */
static bool is_asked_to_end(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
	       sigismember(&pending, SIGHUP);
}

/*
 * A process in the background is stopped here by SIGTTOU, until the shell brings it to the
 * front; up to then the modes of the terminal are those of the shell's line editor.
 * Return: 0, or -errno; -EINTR: a signal asks us to end; -EIO: no shell is left.
 */
static int wait_for_foreground(void)
{
	while (!is_asked_to_end()) {
		if (!tcdrain(fileno(keys)))
			return 0;
		if (errno != EINTR)
			return -errno;
	}
	return -EINTR;
}

/* A core dump for a key beside another one is in nobody's interest; of Ctrl-Z see above. */
static void disable_signals(void)
{
	struct termios modes;

	if (tcgetattr(fileno(keys), &modes))
		return;
	modes.c_cc[VQUIT] = _POSIX_VDISABLE;
	modes.c_cc[VSUSP] = _POSIX_VDISABLE;
	if (!tcsetattr(fileno(keys), TCSANOW, &modes))
		def_prog_mode();
}

static void begin(bool color)
{
	cbreak();
	noecho();
	disable_signals();
	nodelay(stdscr, true);
	keypad(stdscr, true);
	set_escdelay(25);
	curs_set(0);
	if (!color || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(LW_PAIR_RED, COLOR_RED, -1);
	init_pair(LW_PAIR_GREEN, COLOR_GREEN, -1);
}

/* A read must not wait: who else reads the terminal may be faster. */
static int open_keys(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	keys = fd < 0 ? NULL : fdopen(fd, "r");
	return keys ? 0 : lw_fail(-errno, "cannot open /dev/tty: %s", strerror(errno));
}

static int open_screen(void)
{
	int ret = wait_for_foreground();
	sighandler_t at_stop;

	if (ret)
		return lw_fail(ret, "cannot have the terminal: %s", ret == -EIO ?
			       "nobody can bring this process to its foreground" :
			       strerror(-ret));
	use_utf8();
	/* ncurses has no handler for what is ignored */
	at_stop = signal(SIGTSTP, SIG_IGN);
	screen = newterm(NULL, stdout, keys);
	signal(SIGTSTP, at_stop);
	return screen ? 0 : lw_fail(-ENOTTY, "the terminal '%.50s' is not known", getenv("TERM"));
}

/**
 * lw_terminal_open - take the terminal over
 * @color: with the pairs LW_PAIR_*
 *
 * lw_terminal_is_there() said that there is a terminal. A process in the background waits,
 * stopped, until it comes to the front.
 *
 * Return: 0, or -errno with lw_fail_text(); -EINTR: a signal that is blocked asks the process
 * to end; -EIO: it is in the background for good.
 */
int lw_terminal_open(bool color)
{
	static bool at_exit;
	int ret = open_keys();

	if (ret)
		return ret;
	handle_signals();
	ret = open_screen();
	if (ret) {
		fclose(keys);
		return ret;
	}
	if (!at_exit)
		atexit(lw_terminal_close);
	at_exit = true;
	begin(color);
	return 0;
}

/**
 * lw_terminal_size - how much room is there?
 * @width: out: columns
 * @height: out: lines
 */
void lw_terminal_size(u32 *width, u32 *height)
{
	*width = COLS;
	*height = LINES;
}

/* @text begins with an escape sequence, of colours.  Return: behind it. */
static const char *take_color(const char *text, const char *end)
{
	const char *last = memchr(text, 'm', end - text);
	int color = text + 2 < end ? atoi(text + 2) : 0;

	color_set(color == 31 ? LW_PAIR_RED : color == 32 ? LW_PAIR_GREEN : 0, NULL);
	return last ? last + 1 : end;
}

static void show_line(int y, const char *at, const char *end)
{
	move(y, 0);
	while (at < end) {
		const char *escape = memchr(at, '\033', end - at);

		addnstr(at, (escape ? escape : end) - at);
		at = escape ? take_color(escape, end) : end;
	}
}

/**
 * lw_terminal_show - show lines in the place of all that is on the terminal
 * @text: lines that fit, see lw_terminal_size(); escape sequences are colours, as
 *	lw_report_add_percent() has them
 * @len: its bytes
 *
 * Other programs may have printed there, so all of it is written again.
 */
void lw_terminal_show(const char *text, size_t len)
{
	const char *end = text + len;

	erase();
	for (int y = 0; text < end; y++) {
		const char *newline = memchr(text, '\n', end - text);

		show_line(y, text, newline ? newline : end);
		text = newline ? newline + 1 : end;
	}
	redrawwin(stdscr);
	refresh();
}

static bool has_hung_up(int fd)
{
	struct pollfd terminal = { .fd = fd };

	return poll(&terminal, 1, 0) > 0;
}

/* It was stopped and put there by somebody else, or who began it has ended. */
static bool is_in_background(void)
{
	return tcgetpgrp(fileno(keys)) != getpgrp();
}

/* Nobody tells a process in the background of another size. */
static void take_size(void)
{
	struct winsize size;

	if (!ioctl(fileno(keys), TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
	    is_term_resized(size.ws_row, size.ws_col))
		resizeterm(size.ws_row, size.ws_col);
}

/* Return: LW_TERMINAL_RESIZED or LW_TERMINAL_GONE. */
static int take_back(void)
{
	if (wait_for_foreground())
		return LW_TERMINAL_GONE;
	continued = 0;
	/* What we had when somebody stopped us is set up anew by refresh(). */
	if (!suspended)
		endwin();
	suspended = false;
	take_size();
	refresh();
	return LW_TERMINAL_RESIZED;
}

/* As the key does elsewhere, all of the job stops. */
static int stop_for_shell(void)
{
	endwin();
	suspended = true;
	kill(0, SIGTSTP);
	return take_back();
}

static int get_key(bool wait)
{
	struct pollfd input = { .fd = fileno(keys), .events = POLLIN };
	int key;

	while ((key = getch()) == ERR && wait && !continued && !is_in_background() &&
	       !has_hung_up(fileno(keys)))
		poll(&input, 1, -1);
	return key;
}

/**
 * lw_terminal_key - a key that is pressed
 * @wait: until there is one
 *
 * Ctrl-Z is not told of: the job stops, and goes on with LW_TERMINAL_RESIZED, as it does when
 * somebody else has stopped it.
 *
 * Return: it, as ncurses has it, or LW_TERMINAL_NO_KEY, LW_TERMINAL_RESIZED: all is to be
 * shown again, and there may be other room, LW_TERMINAL_GONE: there is no terminal any more,
 * or a signal that is blocked asks the process to end.
 */
int lw_terminal_key(bool wait)
{
	int key = get_key(wait);

	if (key == CTRL_Z)
		return stop_for_shell();
	if (key == KEY_RESIZE)
		return LW_TERMINAL_RESIZED;
	if (key != ERR)
		return key;
	if (continued || is_in_background())
		return take_back();
	if (has_hung_up(fileno(keys)) || has_hung_up(STDOUT_FILENO))
		return LW_TERMINAL_GONE;
	return LW_TERMINAL_NO_KEY;
}

/**
 * lw_terminal_close - give the terminal back as it was, if it is ours
 */
void lw_terminal_close(void)
{
	if (!screen)
		return;
	if (!suspended)
		endwin();
	delscreen(screen);
	fclose(keys);
	screen = NULL;
}
