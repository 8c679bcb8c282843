// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - lw_test.ko: /dev/lw_test, for the tests of the kernel API.
 *
 * For test machines: it sends NMIs, and plants probes where it is told to.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "internal.h"

/* Asks for tracer 0, in whatever task the read is done. */
static ssize_t test_read(struct file *file, char __user *buffer, size_t len,
			 loff_t *pos)
{
	struct lwm_result result;

	if (len < sizeof(result))
		return -EINVAL;
	lwm_request(0, NULL, 0, &result);
	return copy_to_user(buffer, &result, sizeof(result)) ? -EFAULT :
	       sizeof(result);
}

union argument {
	struct lwm_register register_;
	struct lwm_unregister unregister;
	struct lwm_run run;
	struct lwm_wait wait;
	struct lwm_kernel kernel;
	struct lwm_read read;
	struct lwm_stats stats;
	struct lwm_probes probes;
	struct lwm_select select;
	struct lwm_seen seen;
	struct lwm_nmis nmis;
};

static int call(unsigned int cmd, union argument *arg, void __user *user)
{
	switch (cmd) {
	case LWM_IOC_REGISTER:
		return lwm_register(&arg->register_);
	case LWM_IOC_UNREGISTER:
		return lwm_unregister(&arg->unregister);
	case LWM_IOC_RUN:
		return lwm_run(&arg->run);
	case LWM_IOC_WAIT:
		return lwm_wait(&arg->wait, user);
	case LWM_IOC_WAKE:
		lwm_wake();
		return 0;
	case LWM_IOC_HOLD_MM:
		return lwm_hold_mm();
	case LWM_IOC_KERNEL:
		return lwm_kernel(&arg->kernel);
	case LWM_IOC_READ:
		return lwm_read(&arg->read);
	case LWM_IOC_RESET:
		lwm_reset();
		return 0;
	case LWM_IOC_STATS:
		return lwm_stats(&arg->stats);
	case LWM_IOC_PROBES:
		return lwm_probes_plant(&arg->probes);
	case LWM_IOC_SELECT:
		return lwm_probes_select(&arg->select);
	case LWM_IOC_SEEN:
		return lwm_probes_seen(&arg->seen);
	case LWM_IOC_HITS:
		return lwm_probes_hits(user);
	case LWM_IOC_NMIS:
		return lwm_nmis_begin(&arg->nmis);
	case LWM_IOC_NMI_COUNTS:
		return lwm_nmis_end(user);
	default:
		return -ENOTTY;
	}
}

static long test_ioctl(struct file *file, unsigned int cmd, unsigned long ptr)
{
	void __user *user = (void __user *)ptr;
	size_t size = _IOC_SIZE(cmd);
	union argument arg = {};
	int ret;

	if (_IOC_DIR(cmd) & _IOC_WRITE &&
	    (size > sizeof(arg) || copy_from_user(&arg, user, size)))
		return -EFAULT;
	ret = call(cmd, &arg, user);
	if (!ret && _IOC_DIR(cmd) == (_IOC_READ | _IOC_WRITE) &&
	    copy_to_user(user, &arg, size))
		ret = -EFAULT;
	return ret;
}

static int test_open(struct inode *inode, struct file *file)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

static const struct file_operations test_fops = {
	.owner = THIS_MODULE,
	.open = test_open,
	.read = test_read,
	.unlocked_ioctl = test_ioctl,
};

static struct miscdevice test_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "lw_test",
	.fops = &test_fops,
	.mode = 0600,
};

static int __init lw_test_init(void)
{
	int ret;

	ret = lwm_tracers_init();
	if (ret)
		return ret;
	ret = lwm_nmi_init();
	if (ret)
		goto err_tracers;
	ret = misc_register(&test_device);
	if (ret)
		goto err_nmi;
	return 0;

err_nmi:
	lwm_nmi_exit();
err_tracers:
	lwm_tracers_exit();
	return ret;
}

static void __exit lw_test_exit(void)
{
	misc_deregister(&test_device);
	lwm_probes_exit();
	lwm_nmis_exit();
	lwm_nmi_exit();
	lwm_tracers_exit();
}

module_init(lw_test_init);
module_exit(lw_test_exit);

MODULE_DESCRIPTION("Tests of Latewind's kernel API");
MODULE_AUTHOR("The Latewind authors");
MODULE_LICENSE("GPL");
