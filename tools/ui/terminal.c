// SPDX-License-Identifier: GPL-2.0
/*
 * terminal.c - the whole of a terminal, by ncurses: taken over and given back.
 *
 * Keys come from the terminal even if the standard input is a file. There is one of it.
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
#include <termios.h>
#include <unistd.h>

/* its macros have names that others want, too */
#define NCURSES_NOMACROS
#include <ncurses.h>

#include "ui/terminal.h"
#include "ui/terminfo.h"

static struct screen *screen;		/* NULL: it is not ours */
static FILE *keys;

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

	if (!isatty(STDOUT_FILENO) || !term || !*term || !strcmp(term, "dumb"))
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

/* As ncurses has it for SIGINT and SIGTERM. */
static void give_back(int sig)
{
	endwin();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Nobody wants a core for a key that is beside another one. */
static void disable_quit(void)
{
	struct termios modes;

	if (tcgetattr(fileno(keys), &modes))
		return;
	modes.c_cc[VQUIT] = _POSIX_VDISABLE;
	if (!tcsetattr(fileno(keys), TCSANOW, &modes))
		def_prog_mode();
}

static void begin(bool color)
{
	cbreak();
	noecho();
	disable_quit();
	signal(SIGQUIT, give_back);
	signal(SIGHUP, give_back);
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

/**
 * lw_terminal_open - take the terminal over
 * @color: with the pairs LW_PAIR_*
 *
 * lw_terminal_is_there() said that it is there. Who is in the background is stopped until it
 * comes to the front (SIGTTOU).
 *
 * Return: 0, or -errno with lw_fail_text().
 */
int lw_terminal_open(bool color)
{
	static bool at_exit;

	keys = fopen("/dev/tty", "re");
	if (!keys)
		return lw_fail(-errno, "cannot open /dev/tty: %s\n  --stdio prints instead.",
			       strerror(errno));
	use_utf8();
	screen = newterm(NULL, stdout, keys);
	if (!screen) {
		fclose(keys);
		return lw_fail(-ENOTTY, "the terminal '%.50s' is not known", getenv("TERM"));
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
 * lw_terminal_show - show lines in the place of what is there
 * @text: lines that fit, see lw_terminal_size(); escape sequences are colours, as
 *	lw_report_add_percent() has them
 * @len: its bytes
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
	refresh();
}

/* getch() does not tell that from no key. */
static bool is_gone(void)
{
	struct pollfd input = { .fd = fileno(keys) };

	return poll(&input, 1, 0) > 0 && input.revents & (POLLHUP | POLLERR | POLLNVAL);
}

/**
 * lw_terminal_key - has a key been pressed?
 *
 * Return: it, at once, or LW_TERMINAL_NO_KEY, LW_TERMINAL_RESIZED: there is other room,
 * LW_TERMINAL_GONE: somebody has closed the terminal.
 */
int lw_terminal_key(void)
{
	int key;

	nodelay(stdscr, true);
	key = getch();
	nodelay(stdscr, false);
	if (key == KEY_RESIZE)
		return LW_TERMINAL_RESIZED;
	if (key == ERR)
		return is_gone() ? LW_TERMINAL_GONE : LW_TERMINAL_NO_KEY;
	return key;
}

/**
 * lw_terminal_close - give the terminal back as it was, if it is ours
 */
void lw_terminal_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	fclose(keys);
	screen = NULL;
}
