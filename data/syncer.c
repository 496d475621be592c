// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/syncer.h"

#include <errno.h>
#include <unistd.h>

static void *sync_thread(void *data)
{
    struct mw_syncer *syncer = data;
    pthread_mutex_lock(&syncer->mutex);
    while (syncer->dirty || !syncer->closing) {
        if (!syncer->dirty) {
            pthread_cond_wait(&syncer->wake, &syncer->mutex);
            continue;
        }
        syncer->dirty = false;
        pthread_mutex_unlock(&syncer->mutex);
        /* EINVAL, EROFS: a pipe or terminal, which cannot be synced and need not be */
        int failed = fdatasync(syncer->fd) && errno != EINVAL && errno != EROFS ? errno : 0;
        pthread_mutex_lock(&syncer->mutex);
        if (!syncer->failed)
            syncer->failed = failed;
    }
    pthread_mutex_unlock(&syncer->mutex);
    return NULL;
}

enum mw_err mw_syncer_open(struct mw_syncer *syncer, int fd, struct mw_error *error)
{
    *syncer = (struct mw_syncer){.fd = fd};
    pthread_mutex_init(&syncer->mutex, NULL);
    pthread_cond_init(&syncer->wake, NULL);
    int failed = pthread_create(&syncer->thread, NULL, sync_thread, syncer);
    return failed ? mw_fail_errno(error, MW_IO, failed, "cannot start the thread that syncs the file") : MW_OK;
}

static enum mw_err outcome(int failed, struct mw_error *error)
{
    return failed ? mw_fail_errno(error, MW_IO, failed, "cannot sync the file") : MW_OK;
}

enum mw_err mw_syncer_kick(struct mw_syncer *syncer, struct mw_error *error)
{
    pthread_mutex_lock(&syncer->mutex);
    syncer->dirty = true;
    int failed = syncer->failed;
    pthread_cond_signal(&syncer->wake);
    pthread_mutex_unlock(&syncer->mutex);
    return outcome(failed, error);
}

enum mw_err mw_syncer_close(struct mw_syncer *syncer, struct mw_error *error)
{
    pthread_mutex_lock(&syncer->mutex);
    syncer->closing = true;
    pthread_cond_signal(&syncer->wake);
    pthread_mutex_unlock(&syncer->mutex);
    pthread_join(syncer->thread, NULL);
    pthread_cond_destroy(&syncer->wake);
    pthread_mutex_destroy(&syncer->mutex);
    return outcome(syncer->failed, error);
}
