// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MW_FIT_SEARCHER_H
#define MW_FIT_SEARCHER_H

#include "fit/numeric/polish.h"
#include "fit/search/problem.h"

/* The parts of a search (fit/search/search.h): a problem with its scratch, and candidates that are moved about in it. */

enum { MW_SEARCHER_TIES = 3 }; /* corners that an optimum is looked for along */

struct mw_search_point {
    double params[MW_LAW_MAX_PARAMS], b, loss;
};

/* One search: problem, scratch, the count of evaluations. */
struct mw_searcher {
    struct mw_problem problem; /* the arrays are borrowed */
    unsigned char *branches;   /* n + base_n, to hold */
    double *gradient;          /* parameters x (n + base_n); NULL where the law has none */
    struct mw_scratch scratch;
    struct mw_polish_scratch polish;
    unsigned long evaluations;
};

enum mw_err mw_searcher_init(struct mw_searcher *s, const struct mw_problem *problem,
                             struct mw_error *error) MW_CHECKED;
void mw_searcher_release(struct mw_searcher *s);

/* The loss with the best b, HUGE_VAL where it is not finite; context is a searcher. */
double mw_searcher_loss(void *context, const double *params);
/* The weighted residuals of x = parameters, b; context is a searcher. */
void mw_searcher_residuals(void *context, const double *x, double *r);

/* Sets b and loss. */
void mw_search_point_evaluate(struct mw_searcher *s, struct mw_search_point *c);
/* Levenberg-Marquardt from c. Whole parameters stay. */
void mw_search_point_polish(struct mw_searcher *s, struct mw_search_point *c, unsigned iterations, bool central);
/* The same by other residuals than the points' alone: `penalties` (at most MW_SEARCHER_TIES) more of them. */
void mw_search_point_polish_with(struct mw_searcher *s, struct mw_search_point *c,
                                 void (*residuals)(void *context, const double *x, double *r), void *context,
                                 size_t penalties, unsigned iterations, bool central);

/* Short polish, free and with the branches of its pattern held first; the better stays. */
void mw_search_point_polish_pattern(struct mw_searcher *s, struct mw_search_point *c);
/* Simplex of a first size, then derivatives again. */
void mw_search_point_polish_kinks(struct mw_searcher *s, struct mw_search_point *c, double step);
/* From pattern to neighbouring pattern, as long as that helps. */
void mw_search_point_walk(struct mw_searcher *s, struct mw_search_point *c);
/* The corners of the law itself from measured count to measured count, as long as that helps. */
void mw_search_point_walk_kinks(struct mw_searcher *s, struct mw_search_point *c);
/* Along the corners that c sits on. */
void mw_search_point_slide(struct mw_searcher *s, struct mw_search_point *c);

#endif
