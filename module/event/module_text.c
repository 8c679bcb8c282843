// SPDX-License-Identifier: GPL-2.0
/*
 * module_text.c - a MODULE record when code of a kernel module comes or goes.
 *
 * A module is complete when it is COMING, before its first function runs, and none of its code
 * runs any more when it is GOING.  The code of its init functions is freed when it is LIVE.  A
 * module whose init function fails goes without having been LIVE, and its GOING is notified once
 * or twice.
 *
 * Contexts: the notifier is called by the task that loads or unloads, and sleeps; all else by
 * ioctls.  Locks: listeners_lock, inside the kernel's lock of module notifiers.
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

/* Sessions with LW_SETUP_MODULES, by lw_session.hears; protected by listeners_lock. */
static LIST_HEAD(listeners);
static DEFINE_MUTEX(listeners_lock);

static void modtext_write_record(struct lw_session *session, const struct lw_module *from)
{
	const size_t header = sizeof(from->record);
	struct lw_module *record;
	struct lw_ring *ring;

	preempt_disable();
	record = lw_session_reserve(session, &ring, sizeof(*record), LW_RECORD_MODULE,
				    from->record.flags);
	if (record) {
		memcpy((void *)record + header, (const void *)from + header,
		       sizeof(*record) - header);
		/* Taken here: records of a ring are in the order of time. */
		record->time = ktime_get_mono_fast_ns();
		lw_ring_commit(ring, record);
	}
	preempt_enable();
}

static void modtext_write(const struct module *mod, u16 flags)
{
	struct lw_compat_text text = lw_compat_module_text(mod, flags & LW_MODULE_INIT);
	const u8 *id = lw_compat_module_build_id(mod);
	struct lw_session *session;
	struct lw_module record = {
		.record.flags = flags,
		.addr = text.addr,
		.text_size = text.size,
	};

	lockdep_assert_held(&listeners_lock);
	if (!text.addr || !text.size)
		return;
	strscpy(record.name, mod->name, sizeof(record.name));
	static_assert(sizeof(record.build_id) == LW_BUILD_ID_MAX);
	if (id && memchr_inv(id, 0, LW_BUILD_ID_MAX)) {
		memcpy(record.build_id, id, LW_BUILD_ID_MAX);
		record.build_id_size = LW_BUILD_ID_MAX;
	}
	list_for_each_entry(session, &listeners, hears)
		modtext_write_record(session, &record);
}

static int modtext_changes(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *mod = data;

	mutex_lock(&listeners_lock);
	switch (state) {
	case MODULE_STATE_COMING:
		modtext_write(mod, 0);
		modtext_write(mod, LW_MODULE_INIT);
		break;
	case MODULE_STATE_LIVE:
		modtext_write(mod, LW_MODULE_INIT | LW_MODULE_GONE);
		break;
	case MODULE_STATE_GOING:
		/* The module has init code only if that failed. */
		modtext_write(mod, LW_MODULE_INIT | LW_MODULE_GONE);
		modtext_write(mod, LW_MODULE_GONE);
		break;
	}
	mutex_unlock(&listeners_lock);
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
 * lw_module_text_exit - after the last session; waits for notifier calls that run
 *
 * Context: process, may sleep.
 */
void lw_module_text_exit(void)
{
	unregister_module_notifier(&notifier);
}

/**
 * lw_module_text_set_up - write MODULE records to a session from here on, if it wants them
 * @session: set up
 * @flags: LW_SETUP_*
 *
 * Context: process, may sleep; without session->lock, for which a notifier must not wait.
 */
void lw_module_text_set_up(struct lw_session *session, u32 flags)
{
	if (!(flags & LW_SETUP_MODULES))
		return;
	mutex_lock(&listeners_lock);
	list_add_tail(&session->hears, &listeners);
	mutex_unlock(&listeners_lock);
}

/**
 * lw_module_text_release - write no MODULE record to a session any more
 * @session: about to be destroyed
 *
 * Context: process, may sleep.
 */
void lw_module_text_release(struct lw_session *session)
{
	mutex_lock(&listeners_lock);
	list_del_init(&session->hears);
	mutex_unlock(&listeners_lock);
}
