// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/columns_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Processes x threads. The cores are a column of the total where there is one; else the product of processes and the
 * threads of each, where a name says "per" or "OMP"; "threads" alone beside "ranks" may be either, and is asked for.
 * Processes and their threads are kept as usage.
 */
enum role {
    NO_ROLE,
    SURE_TOTAL, /* "total cores" */
    TOTAL,      /* "cores" */
    RANKS,
    RANKS_PER_NODE,
    CORES_PER_NODE,
    THREADS,          /* of a process, or of all */
    THREADS_PER_RANK, /* or OpenMP's */
    NODES,
    ROLES
};

static const struct {
    enum role role;
    const char *names;
} roles[] = {
    {SURE_TOTAL,
     " totalcores totalthreads totalcpus totalprocs coretotal corestotal totalnumberofcores ntotal gesamtkerne "
     "totalpes allcores worldthreads "},
    {TOTAL, " cores core ncores numcores numberofcores corecount cpus ncpus numcpus alloccpus pes npes kerne "},
    {RANKS,
     " ranks nranks numranks numberofranks mpiranks mpiprocs mpiprocesses mpitasks procs nprocs nproc numprocs np "
     "processes nprocesses numprocesses tasks ntasks numtasks prozesse processus procesos rank mpi "},
    {RANKS_PER_NODE, " rankspernode taskspernode ntaskspernode procspernode processespernode ppn mpirankspernode "
                     "mpiprocspernode prozesseproknoten "},
    {CORES_PER_NODE, " corespernode cpuspernode threadspernode kerneproknoten "},
    {THREADS, " threads nthreads numthreads numberofthreads threadcount thread hilos "},
    {THREADS_PER_RANK,
     " ompthreads ompnumthreads openmpthreads threadsperrank threadspertask threadsperprocess threadsperproc "
     "threadspermpirank threadspermpitask threadspermpiprocess threadspermpi nthreadsperrank nthreadspertask "
     "nthreadsperprocess ompthreadsperrank ompthreadspertask ompthreadsperprocess cpuspertask cpusperrank "
     "cpusperprocess corespertask coresperrank coresperprocess coresperproc numthreadsperrank numthreadspertask "
     "threadsjeprozess threadsproprozess threadsprorang threadsperworker tpp tpr threadsparprocessus "
     "hilosporproceso "},
    {NODES, " nodes nnodes numnodes numberofnodes node knoten hosts nodos noeuds "},
};

struct parts {
    bool has[ROLES];
    size_t of[ROLES];
};

/* Names that say it in other words: "threads/process", "n_omp", "MPI tasks on each node". */
static enum role guess_role(const char *base)
{
    static const char *const thread[] = {"thread", "cpus", "cores", "kerne", "hilos", NULL};
    static const char *const process[] = {"rank", "task", "process", "proc", "mpi", "prozess", "worker", "rang", NULL};
    static const char *const node[] = {"node", "knoten", "nodo", "noeud", NULL};
    static const char *const not_these[] = {"total", "processor", "speed", "time", "all", "max", NULL};
    bool omp = !strncmp(base, "omp", 3) || !strncmp(base, "nomp", 4) || !strncmp(base, "openmp", 6);
    if (mw_has_word(base, not_these))
        return NO_ROLE;
    if (mw_has_word(base, thread) && mw_has_word(base, process))
        return THREADS_PER_RANK;
    if (mw_has_word(base, process) && mw_has_word(base, node))
        return RANKS_PER_NODE;
    if (mw_has_word(base, thread) && mw_has_word(base, node))
        return CORES_PER_NODE;
    return omp ? THREADS_PER_RANK : !strcmp(base, "nmpi") ? RANKS : NO_ROLE;
}

static void set_role(const struct finder *f, struct parts *parts, enum role role, size_t column)
{
    if (role == NO_ROLE || parts->has[role] || !mw_finder_holds_number(f, column))
        return;
    parts->has[role] = true;
    parts->of[role] = column;
}

static void find_roles(const struct finder *f, struct parts *parts)
{
    *parts = (struct parts){0};
    for (size_t c = 0; c < f->table->column_count; c++) {
        const struct mw_heading *h = &f->headings[c];
        if (f->taken[c] || h->dimension != MW_DIM_NONE || h->per_time || h->percent || h->repeat >= 0)
            continue;
        bool known = false;
        for (size_t r = 0; r < sizeof roles / sizeof *roles && !known; r++)
            if ((known = mw_is_word(roles[r].names, h->base)))
                set_role(f, parts, roles[r].role, c);
        if (!known)
            set_role(f, parts, guess_role(h->base), c);
    }
}

static double whole(const struct finder *f, size_t row, size_t column)
{
    const struct mw_number_style style = {'.', '\0'};
    const char *rest;
    double value;
    return mw_cell_number(mw_table_cell(f->table, f->rows[row], column), &style, &value, &rest) ? value : 0;
}

/* Is `total` the product of a and b in each row? */
static bool is_product(const struct finder *f, size_t total, size_t a, size_t b)
{
    for (size_t i = 0; i < f->count; i++)
        if (fabs(whole(f, i, total) - whole(f, i, a) * whole(f, i, b)) > .5)
            return false;
    return true;
}

/* Is the column 1 throughout? */
static bool is_one(const struct finder *f, size_t column)
{
    for (size_t i = 0; i < f->count; i++)
        if (fabs(whole(f, i, column) - 1) > 1e-9)
            return false;
    return true;
}

static void set_usage(struct finder *f, enum mw_usage_item item, const struct parts *parts, enum role role)
{
    if (parts->has[role] && !f->columns->has[MW_FIELD_USAGE + item])
        mw_finder_set(f, MW_FIELD_USAGE + item, parts->of[role]);
}

/* The names of the columns with a sign between them. */
static void join(const struct finder *f, const struct parts *parts, const enum role *factors, size_t count,
                 const char *form, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < count && factors[i] != NO_ROLE; i++) {
        const char *name = mw_table_header(f->table, parts->of[factors[i]]);
        if (used + strlen(name) + 8 < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", used ? form : "", *form == '*' ? "" : "'",
                                     name, *form == '*' ? "" : "'");
    }
}

/* cores is the product of these columns, and that is said. */
static void multiply(struct finder *f, const struct parts *parts, const enum role *factors, size_t count)
{
    char text[160];
    join(f, parts, factors, count, " x ", text, sizeof text);
    for (size_t i = 0; i < count && factors[i] != NO_ROLE; i++)
        mw_finder_add(f, MW_FIELD_CORES, parts->of[factors[i]]);
    mw_finder_note(f, "cores are %s", text);
}

static enum mw_err ask(const struct finder *f, const struct parts *parts, const enum role *factors, size_t count,
                       struct mw_error *error)
{
    char names[160], map[170], product[160];
    join(f, parts, factors, count, " and ", names, sizeof names);
    join(f, parts, factors, count, "*", product, sizeof product);
    mw_fail(error, MW_DATA, "%s:%ld: %s: the cores may be one of them, or their product", f->table->name,
            f->table->header_line, names);
    return mw_hint(error, "the product: --map %s; or one of them: --map cores=…",
                   mw_shell_word(map, sizeof map, "cores", product));
}

/* Several processes, each with threads. */
static enum mw_err hybrid(struct finder *f, const struct parts *p, struct mw_error *error)
{
    static const enum role sure[] = {RANKS, THREADS_PER_RANK}, unsure[] = {RANKS, THREADS};
    if (p->has[THREADS_PER_RANK])
        multiply(f, p, sure, 2);
    else if (is_one(f, p->of[THREADS]))
        mw_finder_set(f, MW_FIELD_CORES, p->of[RANKS]);
    else if (is_one(f, p->of[RANKS]))
        mw_finder_set(f, MW_FIELD_CORES, p->of[THREADS]);
    else if (!mw_finder_agree(f, p->of[RANKS], p->of[THREADS], MW_DIM_NONE, MW_SAME_VALUE))
        return ask(f, p, unsure, 2, error);
    return MW_OK;
}

/* Several nodes, with what each has; cores that stay while the nodes change are those of a node, most likely. */
static enum mw_err nodes(struct finder *f, const struct parts *p, struct mw_error *error)
{
    static const enum role candidates[] = {TOTAL, RANKS, THREADS};
    enum role factors[3] = {NODES, NO_ROLE, NO_ROLE};
    if (p->has[CORES_PER_NODE] && !p->has[TOTAL]) {
        factors[1] = CORES_PER_NODE;
        multiply(f, p, factors, 2);
    } else if (p->has[RANKS_PER_NODE] && !p->has[TOTAL] && !p->has[RANKS]) {
        factors[1] = RANKS_PER_NODE;
        factors[2] = p->has[THREADS_PER_RANK] ? THREADS_PER_RANK : p->has[THREADS] ? THREADS : NO_ROLE;
        if (factors[2] == THREADS && !is_one(f, p->of[THREADS]))
            return ask(f, p, factors, 3, error);
        multiply(f, p, factors, 3);
    } else if (mw_finder_varies(f, p->of[NODES])) {
        for (size_t i = 0; i < 3; i++) {
            if (!p->has[candidates[i]])
                continue;
            if (mw_finder_varies(f, p->of[candidates[i]]))
                return MW_OK;
            factors[1] = factors[1] == NO_ROLE ? candidates[i] : factors[1];
        }
        return factors[1] == NO_ROLE ? MW_OK : ask(f, p, factors, 2, error);
    }
    return MW_OK;
}

enum mw_err mw_finder_parallel(struct finder *f, struct mw_error *error)
{
    struct parts p;
    enum mw_err err = MW_OK;
    find_roles(f, &p);
    if (p.has[RANKS_PER_NODE] && !p.has[NODES] && !p.has[RANKS]) { /* on one node they are all */
        p.has[RANKS] = true;
        p.of[RANKS] = p.of[RANKS_PER_NODE];
    }
    enum role threads = p.has[THREADS_PER_RANK] ? THREADS_PER_RANK : THREADS;
    bool both = p.has[RANKS] && p.has[threads];
    if (p.has[SURE_TOTAL] || (p.has[TOTAL] && both && is_product(f, p.of[TOTAL], p.of[RANKS], p.of[threads])) ||
        (p.has[TOTAL] && p.has[THREADS_PER_RANK] && !p.has[RANKS] && !p.has[NODES]))
        mw_finder_set(f, MW_FIELD_CORES, p.of[p.has[SURE_TOTAL] ? SURE_TOTAL : TOTAL]);
    else if (both && !p.has[TOTAL])
        err = hybrid(f, &p, error);
    else if (p.has[NODES])
        err = nodes(f, &p, error);
    if (err || !f->columns->has[MW_FIELD_CORES])
        return err;
    set_usage(f, MW_USAGE_RANKS, &p, RANKS);
    set_usage(f, MW_USAGE_THREADS, &p, threads);
    set_usage(f, MW_USAGE_NODES, &p, NODES);
    return MW_OK;
}
