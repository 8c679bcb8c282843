/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/module.h - what changed in linux/module.h between the kernels we build for.
 */
#ifndef LW_COMPAT_MODULE_H
#define LW_COMPAT_MODULE_H

#include <linux/module.h>

/**
 * struct lw_compat_text - code of a kernel module
 * @addr: where it is
 * @size: bytes; 0 if there is none
 */
struct lw_compat_text {
	unsigned long	addr;
	unsigned long	size;
};

/**
 * lw_compat_module_text - where the code of a module is
 * @mod: module that is loaded, comes or goes
 * @init: the code of its init functions, which is freed after they ran
 *
 * Return: the code.
 */
static inline struct lw_compat_text
lw_compat_module_text(const struct module *mod, bool init)
{
#ifdef LW_HAVE_MODULE_MEMORY
	const struct module_memory *mem = &mod->mem[init ? MOD_INIT_TEXT : MOD_TEXT];

	return (struct lw_compat_text) { (unsigned long)mem->base, mem->size };
#else
	const struct module_layout *layout = init ? &mod->init_layout :
					     &mod->core_layout;

	return (struct lw_compat_text) { (unsigned long)layout->base, layout->text_size };
#endif
}

/**
 * lw_compat_module_build_id - the build ID of a module
 * @mod: module
 *
 * Return: 20 bytes, all 0 if it has none; NULL on kernels that do not keep it.
 */
static inline const u8 *lw_compat_module_build_id(const struct module *mod)
{
#ifdef CONFIG_STACKTRACE_BUILD_ID
	return mod->build_id;
#else
	return NULL;
#endif
}

#endif /* LW_COMPAT_MODULE_H */
