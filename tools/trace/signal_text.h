/* SPDX-License-Identifier: GPL-2.0 */
/*
 * signal_text.h - signals as strace prints them, and sets of signals.
 */
#ifndef LW_SIGNAL_TEXT_H
#define LW_SIGNAL_TEXT_H

#include "base/strbuf.h"

#define LW_ALL_SIGNALS	(~0ULL)

int lw_signal_set_parse(u64 *set, const char *text);
bool lw_signal_kills(u32 signal, u64 handler);
bool lw_signal_stops(u32 signal, u64 handler);
void lw_signal_text(struct lw_strbuf *out, u32 signal, s32 error, s32 code);

static inline bool lw_signal_set_has(u64 set, u32 signal)
{
	return signal - 1 < 64 && set >> (signal - 1) & 1;
}

#endif /* LW_SIGNAL_TEXT_H */
