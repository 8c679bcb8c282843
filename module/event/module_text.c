// SPDX-License-Identifier: GPL-2.0
/*
 * module_text.c - a MODULE record when code of a kernel module comes or goes.
 *
 * What a module consists of is in place when it is COMING, before its first function
 * runs, and nothing of it runs any more when it is GOING.  The code of init functions is
 * given back when the module is LIVE.  A module whose init function fails goes without
 * having been LIVE, and is told to be GOING once or twice.
 *
 * Contexts: the notifier is called by who loads or unloads, and sleeps.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "compat/module.h"
#include "core/session.h"
#include "module_text.h"

/* Sessions with LW_SETUP_MODULES, by lw_session.hears; protected by hearers_lock. */
static LIST_HEAD(hearers);
/* Taken inside the kernel's lock of module notifiers; alone, else. */
static DEFINE_MUTEX(hearers_lock);

static void modtext_set_build_id(struct lw_module *record, const struct module *mod)
{
	const u8 *id = lw_compat_module_build_id(mod);

	static_assert(sizeof(record->build_id) == LW_BUILD_ID_MAX);
	if (!id || !memchr_inv(id, 0, LW_BUILD_ID_MAX))
		return;
	memcpy(record->build_id, id, LW_BUILD_ID_MAX);
	record->build_id_size = LW_BUILD_ID_MAX;
}

static void modtext_write_record(struct lw_session *session, const struct lw_module *from)
{
	struct lw_module *record;
	struct lw_ring *ring;

	preempt_disable();
	record = lw_session_reserve(session, &ring, sizeof(*record), LW_RECORD_MODULE,
				    from->record.flags);
	if (record) {
		/* here, so that records of a ring are in its order, as samples are */
		record->time = ktime_get_mono_fast_ns();
		record->addr = from->addr;
		record->text_size = from->text_size;
		record->build_id_size = from->build_id_size;
		memcpy(record->build_id, from->build_id, sizeof(record->build_id));
		memcpy(record->name, from->name, sizeof(record->name));
		lw_ring_commit(ring, record);
	}
	preempt_enable();
}

static void modtext_write(const struct module *mod, u16 flags)
{
	struct lw_compat_text text = lw_compat_module_text(mod, flags & LW_MODULE_INIT);
	struct lw_session *session;
	struct lw_module record = {
		.record.flags = flags,
		.addr = text.addr,
		.text_size = text.size,
	};

	lockdep_assert_held(&hearers_lock);
	if (!text.addr || !text.size)
		return;
	strscpy(record.name, mod->name, sizeof(record.name));
	modtext_set_build_id(&record, mod);
	list_for_each_entry(session, &hearers, hears)
		modtext_write_record(session, &record);
}

static int modtext_changes(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *mod = data;

	mutex_lock(&hearers_lock);
	switch (state) {
	case MODULE_STATE_COMING:
		modtext_write(mod, 0);
		modtext_write(mod, LW_MODULE_INIT);
		break;
	case MODULE_STATE_LIVE:
		modtext_write(mod, LW_MODULE_INIT | LW_MODULE_GONE);
		break;
	case MODULE_STATE_GOING:
		/* There is none of init functions but where these failed. */
		modtext_write(mod, LW_MODULE_INIT | LW_MODULE_GONE);
		modtext_write(mod, LW_MODULE_GONE);
		break;
	}
	mutex_unlock(&hearers_lock);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = modtext_changes };

/**
 * lw_module_text_init - before the first session
 *
 * Context: process, may sleep.
 * Return: 0 or -errno of register_module_notifier().
 */
int lw_module_text_init(void)
{
	return register_module_notifier(&notifier);
}

/**
 * lw_module_text_exit - after the last session; waits for calls that are under way
 *
 * Context: process, may sleep.
 */
void lw_module_text_exit(void)
{
	unregister_module_notifier(&notifier);
}

/**
 * lw_module_text_set_up - from here on this session gets MODULE records, if it wants to
 * @session: set up, and not told yet
 * @flags: LW_SETUP_*
 *
 * Context: process, may sleep; session->lock is not held, as a notifier is not to wait for it.
 */
void lw_module_text_set_up(struct lw_session *session, u32 flags)
{
	if (!(flags & LW_SETUP_MODULES))
		return;
	mutex_lock(&hearers_lock);
	list_add_tail(&session->hears, &hearers);
	mutex_unlock(&hearers_lock);
}

/**
 * lw_module_text_release - no record is written to this session after this
 * @session: on its way out, told or not
 *
 * Context: process, may sleep.
 */
void lw_module_text_release(struct lw_session *session)
{
	mutex_lock(&hearers_lock);
	list_del_init(&session->hears);
	mutex_unlock(&hearers_lock);
}
