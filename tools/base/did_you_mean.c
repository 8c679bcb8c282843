// SPDX-License-Identifier: GPL-2.0
/*
 * did_you_mean.c - what somebody may have meant: the names that are least letters away.
 */
#include <stdlib.h>
#include <string.h>

#include "base/did_you_mean.h"

/**
 * lw_did_you_mean_init - nothing is near yet
 * @near: out
 * @wanted: what was asked for; stays the caller's
 */
void lw_did_you_mean_init(struct lw_did_you_mean *near, const char *wanted)
{
	size_t len = strlen(wanted);

	memset(near, 0, sizeof(*near));
	near->wanted = wanted;
	near->limit = len < 4 ? 1 : len < 8 ? 2 : 3;
}

static u32 least(u32 a, u32 b, u32 c)
{
	u32 low = a < b ? a : b;

	return low < c ? low : c;
}

/* Letters to add, drop or change; more than @limit if it is more. */
static u32 distance(const char *a, size_t a_len, const char *b, size_t b_len, u32 limit)
{
	u32 row[LW_DID_YOU_MEAN_LEN];

	for (u32 j = 0; j <= b_len; j++)
		row[j] = j;
	for (u32 i = 1; i <= a_len; i++) {
		u32 diagonal = row[0], lowest = i;

		row[0] = i;
		for (u32 j = 1; j <= b_len; j++) {
			u32 above = row[j];

			row[j] = least(above + 1, row[j - 1] + 1,
				       diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
			if (row[j] < lowest)
				lowest = row[j];
		}
		if (lowest > limit)
			return lowest;
	}
	return row[b_len];
}

static bool is_known(const struct lw_did_you_mean *near, const char *name)
{
	for (u32 i = 0; i < near->nr; i++) {
		if (!strcmp(near->name[i], name))
			return true;
	}
	return false;
}

/* Sorted by distance; of equal ones the first that was offered stands first. */
static void insert(struct lw_did_you_mean *near, const char *name, u32 far)
{
	u32 at = near->nr;

	while (at && near->distance[at - 1] > far)
		at--;
	if (at == LW_DID_YOU_MEAN_MOST)
		return;
	if (near->nr < LW_DID_YOU_MEAN_MOST)
		near->nr++;
	for (u32 i = near->nr - 1; i > at; i--) {
		near->distance[i] = near->distance[i - 1];
		memcpy(near->name[i], near->name[i - 1], LW_DID_YOU_MEAN_LEN);
	}
	near->distance[at] = far;
	snprintf(near->name[at], LW_DID_YOU_MEAN_LEN, "%s", name);
}

/**
 * lw_did_you_mean_offer - a name that there is
 * @near: initialised
 * @name: long ones are passed over
 */
void lw_did_you_mean_offer(struct lw_did_you_mean *near, const char *name)
{
	size_t wanted_len = strlen(near->wanted), len = strlen(name);
	size_t more = len > wanted_len ? len - wanted_len : wanted_len - len;
	u32 far;

	if (len >= LW_DID_YOU_MEAN_LEN || wanted_len >= LW_DID_YOU_MEAN_LEN || more > near->limit)
		return;
	far = distance(near->wanted, wanted_len, name, len, near->limit);
	if (far <= near->limit && !is_known(near, name))
		insert(near, name, far);
}

/**
 * lw_did_you_mean_text - the nearest of what was offered
 * @near: it
 *
 * Return: a line as part of a message, with its newline, or "" if nothing is near.
 */
const char *lw_did_you_mean_text(struct lw_did_you_mean *near)
{
	int len;

	if (!near->nr)
		return "";
	len = snprintf(near->text, sizeof(near->text), "  Did you mean ");
	for (u32 i = 0; i < near->nr; i++)
		len += snprintf(near->text + len, sizeof(near->text) - len, "%s%s", i ? ", " : "",
				near->name[i]);
	snprintf(near->text + len, sizeof(near->text) - len, "?\n");
	return near->text;
}
