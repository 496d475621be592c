// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/numeric/guard.h"

#include <gsl/gsl_errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long inside;
static gsl_error_handler_t *found;

void mw_guard_enter(void)
{
    pthread_mutex_lock(&lock);
    if (inside++ == 0)
        found = gsl_set_error_handler_off();
    pthread_mutex_unlock(&lock);
}

void mw_guard_leave(void)
{
    pthread_mutex_lock(&lock);
    if (--inside == 0)
        gsl_set_error_handler(found);
    pthread_mutex_unlock(&lock);
}
