/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_runtime.h - what a process that makes code would have to be told for whole stacks.
 */
#ifndef LW_JIT_RUNTIME_H
#define LW_JIT_RUNTIME_H

#include "base/util.h"

enum lw_jit_lack {
	LW_JIT_LACKS_JAVA_FRAMES,
	LW_JIT_LACKS_JAVA_NAMES,
	LW_JIT_LACKS_NODE_NAMES,
	LW_JIT_LACKS_NODE_FRAMES,
	LW_JIT_LACKS_PYTHON_NAMES,
	LW_JIT_NR_LACKS,
};

/**
 * struct lw_jit_lack_text - what to say of it
 * @what: what was found
 * @advice: what that means, and what to do: two lines
 */
struct lw_jit_lack_text {
	const char *what;
	const char *advice[2];
};

u32 lw_jit_runtime_lacks(const char *proc);
const struct lw_jit_lack_text *lw_jit_lack_text(enum lw_jit_lack lack);

#endif /* LW_JIT_RUNTIME_H */
