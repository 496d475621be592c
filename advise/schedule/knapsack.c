// SPDX-License-Identifier: GPL-3.0-or-later
#include "advise/schedule/knapsack.h"

#ifdef MW_WITHOUT_GLPK

enum mw_err mw_knapsack_solve(const struct mw_choice *choices, size_t count, size_t classes, const double capacity[2],
                              size_t *picked, bool *feasible, struct mw_error *error)
{
    (void)choices, (void)count, (void)classes, (void)capacity, (void)picked, (void)feasible;
    mw_fail(error, MW_UNSUPPORTED, "built without GLPK, which schedules");
    return mw_hint(error, "install GLPK with its header (Debian: libglpk-dev) and build again");
}

#else

#include <glpk.h>
#include <math.h>
#include <stdlib.h>

enum { WEIGHTS = 2 };
/* Relative slack below which a sum of doubles meets its capacity, and costs count as equal. */
static const double rounding = 1e-9;

struct problem {
    glp_prob *lp;
    const struct mw_choice *choices;
    const size_t *kept; /* indices into choices */
    size_t kept_count, classes;
};

/* b is not needed where a is at least as good in all and better in one, or equal and earlier. */
static bool beats(const struct mw_choice *a, const struct mw_choice *b, const double capacity[WEIGHTS])
{
    bool better = a->cost < b->cost;
    if (a->cost > b->cost)
        return false;
    for (int k = 0; k < WEIGHTS; k++) {
        if (!isfinite(capacity[k]))
            continue;
        if (a->weight[k] > b->weight[k])
            return false;
        better = better || a->weight[k] < b->weight[k];
    }
    return better || a < b;
}

static size_t undominated(const struct mw_choice *choices, size_t count, const double capacity[WEIGHTS], size_t *kept)
{
    size_t n = 0, from = 0, to;
    for (; from < count; from = to) {
        for (to = from; to < count && choices[to].class == choices[from].class; to++)
            ;
        for (size_t i = from; i < to; i++) {
            bool needed = true;
            for (size_t k = from; needed && k < to; k++)
                needed = k == i || !beats(&choices[k], &choices[i], capacity);
            if (needed)
                kept[n++] = i;
        }
    }
    return n;
}

static void build(struct problem *p, const double capacity[WEIGHTS])
{
    int row_of[WEIGHTS];
    p->lp = glp_create_prob();
    glp_add_rows(p->lp, (int)p->classes);
    for (size_t c = 0; c < p->classes; c++)
        glp_set_row_bnds(p->lp, (int)c + 1, GLP_FX, 1, 1);
    for (int k = 0; k < WEIGHTS; k++) {
        row_of[k] = isfinite(capacity[k]) ? glp_add_rows(p->lp, 1) : 0;
        if (row_of[k])
            glp_set_row_bnds(p->lp, row_of[k], GLP_UP, 0, 1 + rounding);
    }
    glp_add_cols(p->lp, (int)p->kept_count);
    for (size_t j = 0; j < p->kept_count; j++) {
        const struct mw_choice *choice = &p->choices[p->kept[j]];
        int rows[1 + WEIGHTS + 1], n = 1;
        double values[1 + WEIGHTS + 1];
        rows[1] = (int)choice->class + 1;
        values[1] = 1;
        for (int k = 0; k < WEIGHTS; k++) {
            if (row_of[k]) { /* over the capacity, so that GLPK's tolerances are relative */
                rows[++n] = row_of[k];
                values[n] = choice->weight[k] / capacity[k];
            }
        }
        glp_set_mat_col(p->lp, (int)j + 1, n, rows, values);
        glp_set_obj_coef(p->lp, (int)j + 1, choice->cost);
        glp_set_col_kind(p->lp, (int)j + 1, GLP_BV);
    }
}

static bool fits(const double sum[WEIGHTS], const double capacity[WEIGHTS])
{
    for (int k = 0; k < WEIGHTS; k++)
        if (isfinite(capacity[k]) && sum[k] > capacity[k] * (1 + rounding))
            return false;
    return true;
}

/*
 * A feasible solution from the relaxation's: its largest choice in each class, then single exchanges, first towards
 * fitting and then towards a lower cost. INFINITY where that does not fit.
 */
static double round_off(const struct problem *p, const double capacity[WEIGHTS])
{
    double cost = 0, sum[WEIGHTS] = {0}, result = INFINITY;
    size_t *taken = calloc(p->classes, sizeof *taken);
    if (!taken)
        return INFINITY;
    for (size_t j = 0; j < p->kept_count; j++) { /* kept[] is in order of classes */
        size_t class = p->choices[p->kept[j]].class;
        bool first = j == 0 || p->choices[p->kept[j - 1]].class != class;
        if (first || glp_get_col_prim(p->lp, (int)j + 1) > glp_get_col_prim(p->lp, (int)taken[class] + 1))
            taken[class] = j;
    }
    for (size_t c = 0; c < p->classes; c++) {
        const struct mw_choice *choice = &p->choices[p->kept[taken[c]]];
        cost += choice->cost;
        for (int k = 0; k < WEIGHTS; k++)
            sum[k] += choice->weight[k];
    }
    for (bool moved = true; moved;) {
        double best = 0;
        size_t best_choice = 0;
        bool fitting = fits(sum, capacity);
        moved = false;
        for (size_t j = 0; j < p->kept_count; j++) {
            const struct mw_choice *to = &p->choices[p->kept[j]], *from = &p->choices[p->kept[taken[to->class]]];
            double after[WEIGHTS], excess = 0;
            for (int k = 0; k < WEIGHTS; k++) {
                after[k] = sum[k] - from->weight[k] + to->weight[k];
                if (isfinite(capacity[k]))
                    excess += fmax(0, sum[k] / capacity[k] - 1) - fmax(0, after[k] / capacity[k] - 1);
            }
            double gain = fitting ? from->cost - to->cost : excess;
            if (gain > best * (1 + rounding) && gain > rounding * fabs(fitting ? cost : 1) &&
                (!fitting || fits(after, capacity))) {
                best = gain;
                best_choice = j;
                moved = true;
            }
        }
        if (moved) {
            const struct mw_choice *to = &p->choices[p->kept[best_choice]],
                                   *from = &p->choices[p->kept[taken[to->class]]];
            cost += to->cost - from->cost;
            for (int k = 0; k < WEIGHTS; k++)
                sum[k] += to->weight[k] - from->weight[k];
            taken[to->class] = best_choice;
        }
    }
    if (fits(sum, capacity))
        result = cost;
    free(taken);
    return result;
}

/* Fixes at 0 what cannot be in a solution better than `upper`: bound + reduced cost >= upper. */
static void fix_by_reduced_cost(struct problem *p, double upper)
{
    double bound = glp_get_obj_val(p->lp), slack = rounding * fmax(fabs(upper), 1e-300);
    for (size_t j = 0; j < p->kept_count; j++)
        if (glp_get_col_stat(p->lp, (int)j + 1) == GLP_NL &&
            bound + glp_get_col_dual(p->lp, (int)j + 1) > upper + slack)
            glp_set_col_bnds(p->lp, (int)j + 1, GLP_FX, 0, 0);
}

static enum mw_err run(struct problem *p, const double capacity[WEIGHTS], bool *feasible, struct mw_error *error)
{
    glp_smcp simplex;
    glp_iocp integer;
    glp_init_smcp(&simplex);
    simplex.msg_lev = GLP_MSG_OFF;
    *feasible = false;
    int status = glp_simplex(p->lp, &simplex);
    if (status)
        return mw_fail(error, MW_RUN, "GLPK: the linear relaxation failed with code %d", status);
    if (glp_get_status(p->lp) != GLP_OPT)
        return MW_OK;
    double upper = round_off(p, capacity);
    if (isfinite(upper))
        fix_by_reduced_cost(p, upper);
    glp_init_iocp(&integer);
    integer.msg_lev = GLP_MSG_OFF;
    integer.presolve = GLP_ON;
    integer.cov_cuts = GLP_ON;
    integer.mir_cuts = GLP_ON;
    status = glp_intopt(p->lp, &integer);
    if (status && status != GLP_ENOPFS && status != GLP_ENODFS)
        return mw_fail(error, MW_RUN, "GLPK: branch and cut failed with code %d", status);
    *feasible = !status && glp_mip_status(p->lp) == GLP_OPT;
    return MW_OK;
}

enum mw_err mw_knapsack_solve(const struct mw_choice *choices, size_t count, size_t classes, const double capacity[2],
                              size_t *picked, bool *feasible, struct mw_error *error)
{
    size_t *kept = malloc((count + 1) * sizeof *kept);
    if (!kept)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu choices", count);
    struct problem p = {.choices = choices, .kept = kept, .classes = classes};
    p.kept_count = undominated(choices, count, capacity, kept);
    int said = glp_term_out(GLP_OFF); /* of this thread: GLPK keeps its state by thread */
    build(&p, capacity);
    enum mw_err err = run(&p, capacity, feasible, error);
    for (size_t j = 0; !err && *feasible && j < p.kept_count; j++)
        if (glp_mip_col_val(p.lp, (int)j + 1) > .5)
            picked[choices[kept[j]].class] = kept[j];
    glp_delete_prob(p.lp);
    glp_term_out(said);
    free(kept);
    return err;
}

#endif
