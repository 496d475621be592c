// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_GUARD_H
#define MW_FIT_GUARD_H

/*
 * GSL's error handler is one for the whole process and aborts. While any thread is between _enter and _leave it is off (every
 * code is looked at); the last to leave puts back what the first one found. Calls nest. Any thread; a lock and a count.
 * Test: tests/unit/test_library.c.
 */
void mw_guard_enter(void);
void mw_guard_leave(void);

#endif
