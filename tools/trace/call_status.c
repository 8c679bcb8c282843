// SPDX-License-Identifier: GPL-2.0
/*
 * call_status.c - which calls are shown, by how they ended: -e status=, -z and -Z.
 */
#include <errno.h>
#include <string.h>

#include "trace/call_status.h"
#include "trace/syscall_text.h"

static const struct {
	const char *name;
	u32 bits;
} names[] = {
	{ "successful", LW_STATUS_SUCCESSFUL }, { "failed", LW_STATUS_FAILED },
	{ "unfinished", LW_STATUS_UNFINISHED },
	{ "all", LW_STATUS_SUCCESSFUL | LW_STATUS_FAILED | LW_STATUS_UNFINISHED },
};

static u32 find_name(const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i].name) == len && !strncmp(names[i].name, text, len))
			return names[i].bits;
	}
	return 0;
}

/**
 * lw_call_status_parse - take what is behind "status="
 * @set: out: LW_STATUS_*
 * @text: names with commas between; "!" first: all but these
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_call_status_parse(u32 *set, const char *text)
{
	bool not = text[0] == '!';
	u32 named = 0;

	for (const char *at = text + not; ; at++) {
		size_t len = strcspn(at, ",");
		u32 bits = find_name(at, len);

		if (!bits)
			return lw_fail(-EINVAL, "option -e: '%.*s' is no status\n"
				       "  They are: successful, failed, unfinished, all.",
				       (int)len, at);
		named |= bits;
		at += len;
		if (!*at)
			break;
	}
	*set = not ? find_name("all", 3) & ~named : named;
	return *set ? 0 : lw_fail(-EINVAL, "option -e: status=%s leaves no call", text);
}

/**
 * lw_call_status_has - has a call ended in one of some ways?
 * @set: LW_STATUS_*; 0: any
 * @call: the call
 *
 * Return: true if it is to be shown.
 */
bool lw_call_status_has(u32 set, const struct lw_call *call)
{
	u32 status = !(call->state & LW_CALL_ENDED) ? LW_STATUS_UNFINISHED :
		     lw_call_error(call) ? LW_STATUS_FAILED : LW_STATUS_SUCCESSFUL;

	return !set || set & status;
}
