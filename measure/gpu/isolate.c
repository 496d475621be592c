// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/gpu/isolate.h"

#include "measure/probe/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* how often the parent looks whether it was told to stop; it is not measured */
#define LOOK_MS 100
/* a window is some ten milliseconds, the slowest draw of a software renderer half a second */
#define GRACE_S 1.0

struct control {
    atomic_bool stop;
    atomic_ulong asked; /* how often the child has asked: its sign of life */
    enum mw_err result;
    bool ended; /* the work returned */
    struct mw_error error;
};

static struct control *mine; /* the child's */

bool mw_isolated_stop(void)
{
    if (mine)
        atomic_fetch_add(&mine->asked, 1);
    return mine && atomic_load(&mine->stop);
}

static void *map(size_t size_bytes)
{
    void *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

enum mw_err mw_isolated_open(struct mw_isolated *isolated, size_t size_bytes, struct mw_error *error)
{
    const char *folder = getenv("TMPDIR");
    struct mw_isolated made = {.size_bytes = size_bytes, .pipe = -1};
    made.shared = map(size_bytes);
    made.control = map(sizeof(struct control));
    enum mw_err err = made.shared && made.control ? MW_OK : mw_fail(error, MW_NOMEM, "out of memory");
    if (!err && asprintf(&made.cache_folder, "%s/memwall-gpu-XXXXXX", folder && *folder ? folder : "/tmp") < 0) {
        made.cache_folder = NULL;
        err = mw_fail(error, MW_NOMEM, "out of memory");
    }
    if (!err && !mkdtemp(made.cache_folder)) {
        err =
            mw_fail_errno(error, MW_IO, errno, "cannot make a folder for the drivers' caches, '%s'", made.cache_folder);
        free(made.cache_folder);
        made.cache_folder = NULL;
    }
    if (err)
        mw_isolated_close(&made);
    else
        *isolated = made;
    return err;
}

/* Each keeps compiled kernels between runs, which would hide a change of the kernel or of the compiler. */
static void keep_caches_in(const char *folder)
{
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    setenv("CUDA_CACHE_PATH", folder, 1);
    setenv("cl_cache_dir", folder, 1); /* Intel's NEO */
}

static void child(struct mw_isolated *isolated, mw_isolated_work work)
{
    struct control *control = isolated->control;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* does not outlive memwall */
    if (getppid() == 1)
        _exit(1);
    /* Ctrl-C goes to the whole group; the parent says when to stop. The other handlers are the parent's own. */
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    keep_caches_in(isolated->cache_folder);
    mine = control;
    control->result = work(isolated->shared, &control->error);
    control->ended = true;
    _exit(0); /* without the drivers' exit handlers, of which some hang */
}

enum mw_err mw_isolated_start(struct mw_isolated *isolated, mw_isolated_work work, struct mw_error *error)
{
    int ends[2];
    struct control *control = isolated->control;
    *control = (struct control){0};
    if (pipe2(ends, O_CLOEXEC))
        return mw_fail_errno(error, MW_RUN, errno, "cannot make a pipe");
    pid_t pid = fork();
    if (pid < 0) {
        int saved = errno;
        close(ends[0]);
        close(ends[1]);
        return mw_fail_errno(error, MW_RUN, saved, "cannot start a process for the drivers");
    }
    if (!pid) {
        close(ends[0]);
        child(isolated, work);
    }
    close(ends[1]);
    isolated->pid = pid;
    isolated->pipe = ends[0]; /* hangs up when the child is gone */
    return MW_OK;
}

static enum mw_err reap(struct mw_isolated *isolated, bool killed, double max_time_s, struct mw_error *error)
{
    const struct control *control = isolated->control;
    int status = 0;
    while (waitpid(isolated->pid, &status, 0) < 0 && errno == EINTR)
        ;
    isolated->pid = 0;
    close(isolated->pipe);
    isolated->pipe = -1;
    if (control->ended) {
        if (control->result)
            *error = control->error;
        return control->result;
    }
    if (killed)
        return mw_fail(error, MW_RUN, "a driver did not answer within %.3g s", max_time_s);
    int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    mw_fail(error, MW_RUN, "a driver crashed (%s)", signal_number ? strsignal(signal_number) : "its process ended");
    return mw_hint(error, "clinfo and eglinfo show whether it works elsewhere; --api and --device choose another");
}

enum mw_err mw_isolated_wait(struct mw_isolated *isolated, double max_time_s, bool (*stop)(void),
                             struct mw_error *error)
{
    struct control *control = isolated->control;
    double alive_s = mw_now_s(), kill_s = INFINITY;
    unsigned long asked = atomic_load(&control->asked);
    bool interrupted = false, killed = false;
    struct pollfd gone = {.fd = isolated->pipe};
    while (poll(&gone, 1, LOOK_MS) <= 0) {
        double now_s = mw_now_s();
        bool told = stop && stop();
        unsigned long asked_now = atomic_load(&control->asked);
        alive_s = asked_now != asked ? now_s : alive_s;
        asked = asked_now;
        if (isinf(kill_s) && (told || now_s - alive_s > max_time_s)) {
            mw_isolated_ask_to_stop(isolated);
            kill_s = now_s + GRACE_S;
            interrupted = told;
        }
        if (now_s > kill_s && !killed) {
            kill(isolated->pid, SIGKILL);
            killed = true;
        }
    }
    enum mw_err err = reap(isolated, killed, max_time_s, error);
    if (interrupted)
        return mw_fail(error, MW_INTERRUPTED, "interrupted");
    if (err == MW_INTERRUPTED) /* it was asked to end because its time was up */
        return mw_fail(error, MW_RUN, "a driver took more than %.3g s", max_time_s);
    return err;
}

bool mw_isolated_gone(const struct mw_isolated *isolated)
{
    struct pollfd gone = {.fd = isolated->pipe};
    return poll(&gone, 1, 0) > 0;
}

void mw_isolated_ask_to_stop(struct mw_isolated *isolated)
{
    atomic_store(&((struct control *)isolated->control)->stop, true);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

void mw_isolated_close(struct mw_isolated *isolated)
{
    struct mw_error ignored;
    if (isolated->pid > 0) {
        kill(isolated->pid, SIGKILL);
        if (reap(isolated, true, 0, &ignored))
            isolated->pid = 0;
    }
    if (isolated->cache_folder)
        nftw(isolated->cache_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(isolated->cache_folder);
    if (isolated->shared)
        munmap(isolated->shared, isolated->size_bytes);
    if (isolated->control)
        munmap(isolated->control, sizeof(struct control));
    *isolated = (struct mw_isolated){.pipe = -1};
}
