/* SPDX-License-Identifier: GPL-2.0 */
/*
 * doctor.h - what the files of latewind doctor share.
 */
#ifndef LW_DOCTOR_H
#define LW_DOCTOR_H

#include "base/util.h"

enum lw_verdict { LW_OK, LW_WARN, LW_BAD };

void __printf(4, 5) lw_doctor_say(enum lw_verdict verdict, const char *what, const char *advice,
				  const char *fmt, ...);
void lw_doctor_process(int pid, u64 features);

#endif /* LW_DOCTOR_H */
