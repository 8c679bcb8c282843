// SPDX-License-Identifier: GPL-2.0
/*
 * truth.c - the calling thread's stack by .eh_frame.
 */
#include <unwind.h>

#include "truth.h"

int main(int argc, char **argv);

/* Says of the first frame, our own, that it is number -1. */
struct state {
	struct truth *truth;
	int at;
};

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *arg)
{
	struct state *state = arg;
	struct truth *truth = state->truth;

	if (state->at++ < 0)
		return _URC_NO_REASON;
	if (truth->nr == TRUTH_MAX)
		return _URC_END_OF_STACK;
	if (_Unwind_GetRegionStart(context) == (uintptr_t)main)
		truth->main = truth->nr;
	truth->ip[truth->nr++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

/* truth->main stays TRUTH_MAX if main() is not on the stack. */
void truth_take(struct truth *truth)
{
	struct state state = { .truth = truth, .at = -1 };

	truth->nr = 0;
	truth->main = TRUTH_MAX;
	_Unwind_Backtrace(note, &state);
}
