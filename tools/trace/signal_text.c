// SPDX-License-Identifier: GPL-2.0
/*
 * signal_text.c - signals as strace prints them, and sets of signals: -e signal=.
 *
 * Contexts: any thread; each has its own struct lw_strbuf.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "trace/signal_text.h"
#include "trace/syscall_flags.h"
#include "trace/syscall_print.h"

#define N(code)	{ (u32)(code), #code }

/* Codes of every signal, as they are 32 bits with a sign. */
static const struct lw_name any_codes[] = {
	N(SI_USER), N(SI_KERNEL), N(SI_QUEUE), N(SI_TIMER), N(SI_MESGQ), N(SI_ASYNCIO),
	N(SI_SIGIO), N(SI_TKILL), N(SI_ASYNCNL),
};

static const struct lw_name child_codes[] = {
	N(CLD_EXITED), N(CLD_KILLED), N(CLD_DUMPED), N(CLD_TRAPPED), N(CLD_STOPPED),
	N(CLD_CONTINUED),
};

static const struct lw_name segv_codes[] = {
	N(SEGV_MAPERR), N(SEGV_ACCERR), N(SEGV_BNDERR), N(SEGV_PKUERR),
};

static const struct lw_name bus_codes[] = {
	N(BUS_ADRALN), N(BUS_ADRERR), N(BUS_OBJERR), N(BUS_MCEERR_AR), N(BUS_MCEERR_AO),
};

static const struct lw_name fpe_codes[] = {
	N(FPE_INTDIV), N(FPE_INTOVF), N(FPE_FLTDIV), N(FPE_FLTOVF), N(FPE_FLTUND),
	N(FPE_FLTRES), N(FPE_FLTINV), N(FPE_FLTSUB),
};

static const struct lw_name ill_codes[] = {
	N(ILL_ILLOPC), N(ILL_ILLOPN), N(ILL_ILLADR), N(ILL_ILLTRP), N(ILL_PRVOPC),
	N(ILL_PRVREG), N(ILL_COPROC), N(ILL_BADSTK),
};

static const struct lw_name trap_codes[] = {
	N(TRAP_BRKPT), N(TRAP_TRACE), N(TRAP_BRANCH), N(TRAP_HWBKPT),
};

static const struct lw_name poll_codes[] = {
	N(POLL_IN), N(POLL_OUT), N(POLL_MSG), N(POLL_ERR), N(POLL_PRI), N(POLL_HUP),
};

#define CODES(signal, list)	{ signal, { list, ARRAY_SIZE(list), "" } }

static const struct {
	u32 signal;
	struct lw_names codes;
} own_codes[] = {
	CODES(SIGCHLD, child_codes), CODES(SIGSEGV, segv_codes), CODES(SIGBUS, bus_codes),
	CODES(SIGFPE, fpe_codes), CODES(SIGILL, ill_codes), CODES(SIGTRAP, trap_codes),
	CODES(SIGIO, poll_codes),
};

static const char *code_name(u32 signal, u32 code)
{
	static const struct lw_names any = { any_codes, ARRAY_SIZE(any_codes), "" };
	const char *name = lw_name_of(&any, code);

	for (u32 i = 0; !name && i < ARRAY_SIZE(own_codes); i++) {
		if (own_codes[i].signal == signal)
			name = lw_name_of(&own_codes[i].codes, code);
	}
	return name;
}

/**
 * lw_signal_text - a signal that is delivered
 * @out: where to
 * @signal: its number
 * @error: si_errno
 * @code: si_code
 *
 * What the tracepoint does not have is left out: dots stand for it.
 */
void lw_signal_text(struct lw_strbuf *out, u32 signal, s32 error, s32 code)
{
	const char *name = code_name(signal, code);

	lw_print_signal(out, signal);
	lw_strbuf_str(out, " {si_signo=");
	lw_print_signal(out, signal);
	lw_strbuf_str(out, ", si_code=");
	if (name)
		lw_strbuf_str(out, name);
	else
		lw_strbuf_s64(out, code);
	if (error) {
		lw_strbuf_str(out, ", si_errno=");
		lw_strbuf_s64(out, error);
	}
	lw_strbuf_str(out, ", ...}");
}

static bool is_default(u64 handler)
{
	return !handler;
}

/**
 * lw_signal_stops - does a signal stop its process?
 * @signal: its number
 * @handler: of the process
 *
 * Return: true if it does.
 */
bool lw_signal_stops(u32 signal, u64 handler)
{
	return signal == SIGSTOP || (is_default(handler) && (signal == SIGTSTP ||
				     signal == SIGTTIN || signal == SIGTTOU));
}

/**
 * lw_signal_kills - does a signal end its process?
 * @signal: its number
 * @handler: of the process
 *
 * Return: true if it does.
 */
bool lw_signal_kills(u32 signal, u64 handler)
{
	return is_default(handler) && !lw_signal_stops(signal, handler) && signal != SIGCHLD &&
	       signal != SIGCONT && signal != SIGURG && signal != SIGWINCH;
}

/* Return: the number, 0 if there is no such signal; "SIG" may be left out. */
static u32 signal_of(const char *word, size_t len)
{
	for (u32 signal = 1; signal <= 64; signal++) {
		struct lw_strbuf name = {};
		bool same;

		lw_print_signal(&name, signal);
		same = (name.len == len && !strncasecmp(name.text, word, len)) ||
		       (name.len == len + 3 && !strncasecmp(name.text + 3, word, len));
		lw_strbuf_free(&name);
		if (same)
			return signal;
	}
	return 0;
}

static int add_word(u64 *set, const char *word, size_t len)
{
	u32 signal = signal_of(word, len);

	if (signal)
		*set |= 1ULL << (signal - 1);
	else if (len == 3 && !strncmp(word, "all", len))
		*set = LW_ALL_SIGNALS;
	else if (len != 4 || strncmp(word, "none", len))
		return lw_fail(-EINVAL, "option -e: there is no signal '%.*s'\n"
			       "  Names are those of 'kill -l', with SIG or without; all; none.",
			       (int)len, word);
	return 0;
}

/**
 * lw_signal_set_parse - take what is behind "signal="
 * @set: out: a bit for each, that of signal 1 is the lowest
 * @text: names with commas between; "!" first: all but these
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_signal_set_parse(u64 *set, const char *text)
{
	bool not = text[0] == '!';
	u64 named = 0;

	for (const char *at = text + not; ; at++) {
		size_t len = strcspn(at, ",");
		int ret = add_word(&named, at, len);

		if (ret)
			return ret;
		at += len;
		if (!*at)
			break;
	}
	*set = not ? ~named : named;
	return 0;
}
