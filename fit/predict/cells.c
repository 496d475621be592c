// SPDX-License-Identifier: GPL-3.0-or-later
#include "fit/predict/cells.h"

#include "data/stats.h"
#include "fit/numeric/hot_weighted.h"
#include "fit/numeric/linalg.h"
#include "fit/numeric/panel.h"
#include "fit/predict/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the basis: along ln p, along ln F, and the products of both. */
enum { CORES = 4, FREQ = 2, BOTH = CORES * FREQ, BASIS = CORES + FREQ + BOTH };
/* Matrices have whole registers a row, zero beyond the basis. */
enum { MATRIX = MW_FORM * MW_FORM };
/* Draws, matrices and points of all cells may take this much memory. */
static const double most_bytes = 256e6;

struct cell {
    double *draws;    /* BOTH x draw_count: what the products add to each draw's mean */
    double *reduce;   /* kernels in use x MATRIX: B' K^-1 B, B the basis of this cell */
    double *baseline; /* the same with the basis of the cell of the baseline on the right */
};

struct mw_cells {
    const struct mw_ensemble *ensemble;
    const struct mw_sites *data;
    enum mw_quantity quantity;
    double baseline_ln_freq; /* NAN: each site's own */
    double *ln_p, *ln_freq;  /* distinct, ascending */
    size_t p_count, freq_count;
    size_t draw_count;
    double *sigma;
    int *kernel;
    int used[MW_KERNEL_COUNT]; /* kernels that draws have */
    size_t used_count;
    double *cores_draws; /* (p_count + 1) x CORES x draw_count */
    double *freq_draws;  /* (freq_count + 1) x FREQ x draw_count */
    struct cell *cells;  /* (p_count + 1) x (freq_count + 1) */
    double *memory;      /* of all cells */
};

/* How many nodes are not above x: the cell's number along one axis. */
static size_t place(const double *nodes, size_t count, double x)
{
    size_t i = 0;
    while (i < count && nodes[i] <= x)
        i++;
    return i;
}

/* The weights of the basis at a site: [0, CORES) along ln p, then along ln F alone, then the products. */
static void weights_at(const struct mw_cells *c, size_t i, size_t g, const struct mw_site *site, double w[BASIS])
{
    const double lengths[2] = {mw_kernel_cores_short, mw_kernel_cores_long};
    double along[FREQ] = {0, 0};
    memset(w, 0, BASIS * sizeof *w);
    for (int l = 0; l < 2; l++) {
        if (i > 0)
            w[l] = exp((c->ln_p[i - 1] - site->ln_p) / lengths[l]) / 2;
        if (i < c->p_count)
            w[2 + l] = exp((site->ln_p - c->ln_p[i]) / lengths[l]) / 2;
    }
    if (g > 0)
        along[0] = exp((c->ln_freq[g - 1] - site->ln_freq) / mw_kernel_freq_length);
    if (g < c->freq_count)
        along[1] = exp((site->ln_freq - c->ln_freq[g]) / mw_kernel_freq_length);
    for (int b = 0; b < FREQ; b++) {
        bool there = b ? g < c->freq_count : g > 0;
        double node = there ? c->ln_freq[b ? g : g - 1] : 0;
        bool same = there && fabs(site->ln_freq - node) < mw_kernel_same_freq;
        w[CORES + b] = c->quantity == MW_SPEEDUP ? (same ? 1 : 0) : along[b];
        for (int a = 0; a < CORES; a++)
            w[CORES + FREQ + a * FREQ + b] = w[a] * along[b];
    }
}

/* The basis of cell (i, g) at data point j: which vectors have it, and with what. */
static void basis_at(const struct mw_cells *c, size_t i, size_t g, const struct mw_site *datum, double v[BASIS])
{
    const double lengths[2] = {mw_kernel_cores_short, mw_kernel_cores_long};
    bool left = i > 0 && datum->ln_p <= c->ln_p[i - 1], below = g > 0 && datum->ln_freq <= c->ln_freq[g - 1];
    double along[FREQ] = {0, 0};
    memset(v, 0, BASIS * sizeof *v);
    for (int l = 0; l < 2; l++) {
        if (left)
            v[l] = exp((datum->ln_p - c->ln_p[i - 1]) / lengths[l]);
        else
            v[2 + l] = exp((c->ln_p[i] - datum->ln_p) / lengths[l]);
    }
    along[!below] = below ? exp((datum->ln_freq - c->ln_freq[g - 1]) / mw_kernel_freq_length)
                          : exp((c->ln_freq[g] - datum->ln_freq) / mw_kernel_freq_length);
    for (int b = 0; b < FREQ; b++) {
        bool there = b ? g < c->freq_count : g > 0;
        bool same = there && fabs(datum->ln_freq - c->ln_freq[b ? g : g - 1]) < mw_kernel_same_freq;
        v[CORES + b] = c->quantity == MW_SPEEDUP ? (same ? 1 : 0) : along[b];
        for (int a = 0; a < CORES; a++)
            v[CORES + FREQ + a * FREQ + b] = v[a] * along[b];
    }
}

static double amplitude(int kernel, int of_basis)
{
    const struct mw_kernel *k = &mw_kernels[kernel];
    return of_basis < CORES ? k->cores : of_basis < CORES + FREQ ? k->freq : k->both;
}

static enum mw_err list_nodes(struct mw_cells *c, struct mw_error *error)
{
    size_t n = c->data->count;
    c->ln_p = malloc(n * sizeof *c->ln_p);
    c->ln_freq = malloc(n * sizeof *c->ln_freq);
    if (!c->ln_p || !c->ln_freq)
        return mw_fail(error, MW_NOMEM, "out of memory for %zu points", n);
    for (size_t i = 0; i < n; i++) {
        c->ln_p[i] = c->data->items[i].ln_p;
        c->ln_freq[i] = c->data->items[i].ln_freq;
    }
    c->p_count = mw_sort_distinct(c->ln_p, n);
    c->freq_count = mw_sort_distinct(c->ln_freq, n);
    return MW_OK;
}

static enum mw_err list_draws(struct mw_cells *c, struct mw_error *error)
{
    for (size_t f = 0; f < c->ensemble->count; f++)
        c->draw_count += c->ensemble->fits[f].draw_count;
    c->sigma = malloc((c->draw_count + 1) * sizeof *c->sigma);
    c->kernel = malloc((c->draw_count + 1) * sizeof *c->kernel);
    if (!c->sigma || !c->kernel)
        return mw_fail(error, MW_NOMEM, "out of memory for predictions");
    bool has[MW_KERNEL_COUNT] = {false};
    size_t draw = 0;
    for (size_t f = 0; f < c->ensemble->count; f++) {
        const struct mw_ensemble_fit *fit = &c->ensemble->fits[f];
        for (size_t s = 0; s < fit->draw_count; s++, draw++) {
            if (fit->kernel[s] < 0 || fit->kernel[s] >= MW_KERNEL_COUNT)
                return mw_fail(error, MW_NOFIT, "the model's ensemble has an unknown kernel %d", fit->kernel[s]);
            c->sigma[draw] = fit->sigma[s];
            c->kernel[draw] = fit->kernel[s];
            has[fit->kernel[s]] = true;
        }
    }
    for (int k = 0; k < MW_KERNEL_COUNT; k++)
        if (has[k])
            c->used[c->used_count++] = k;
    return MW_OK;
}

/* Whether frequencies of speedups are apart enough for one of them to be told; and the memory that all takes. */
static bool is_worth_it(const struct mw_cells *c)
{
    for (size_t g = 1; g < c->freq_count && c->quantity == MW_SPEEDUP; g++)
        if (c->ln_freq[g] - c->ln_freq[g - 1] < 2 * mw_kernel_same_freq)
            return false;
    double cells = (double)(c->p_count + 1) * (double)(c->freq_count + 1);
    double each = (double)(BOTH * c->draw_count + 2 * c->used_count * MATRIX);
    return 8 * cells * each < most_bytes;
}

static bool allocate(struct mw_cells *c)
{
    size_t cells = (c->p_count + 1) * (c->freq_count + 1), matrices = c->used_count * MATRIX;
    size_t each = BOTH * c->draw_count + 2 * matrices;
    c->cells = malloc(cells * sizeof *c->cells);
    c->memory = calloc(cells * each + 1, sizeof *c->memory);
    c->cores_draws = calloc((c->p_count + 1) * CORES * c->draw_count + 1, sizeof *c->cores_draws);
    c->freq_draws = calloc((c->freq_count + 1) * FREQ * c->draw_count + 1, sizeof *c->freq_draws);
    if (!c->cells || !c->memory || !c->cores_draws || !c->freq_draws)
        return false;
    for (size_t k = 0; k < cells; k++) {
        double *at = c->memory + k * each;
        c->cells[k] = (struct cell){at, at + BOTH * c->draw_count, at + BOTH * c->draw_count + matrices};
    }
    return true;
}

/* The basis of a cell, whitened: u[b] = w v[b], BASIS rows of `width`. */
static void whiten(const struct mw_cells *c, const double *panel, size_t i, size_t g, double *column, double *u)
{
    size_t n = c->data->count, width = mw_panel_pad(n);
    double v[BASIS];
    for (size_t j = 0; j < n; j++) {
        basis_at(c, i, g, &c->data->items[j], v);
        for (int b = 0; b < BASIS; b++)
            column[(size_t)b * width + j] = v[b];
    }
    for (size_t b = 0; b < BASIS; b++)
        mw_panel_multiply(panel, n, column + b * width, u + b * width);
}

/* out[a][b] = amplitudes x u_a . u_b, over two whitened bases. */
static void multiply(int kernel, const double *left, const double *right, size_t width, double *out)
{
    for (int a = 0; a < BASIS; a++)
        for (int b = 0; b < BASIS; b++)
            out[a * MW_FORM + b] = amplitude(kernel, a) * amplitude(kernel, b) *
                                   mw_dot(left + (size_t)a * width, right + (size_t)b * width, width);
}

static enum mw_err prepare_matrices(struct mw_cells *c, const double *panel, size_t used, struct mw_error *error)
{
    size_t width = mw_panel_pad(c->data->count), rows = c->p_count + 1, columns = c->freq_count + 1;
    size_t base_i = place(c->ln_p, c->p_count, 0), size = BASIS * width;
    bool starved = false;
#pragma omp parallel
    {
        double *work = mw_panel_alloc(3 * size);
        if (!work) {
#pragma omp atomic write
            starved = true;
        }
#pragma omp for schedule(dynamic)
        for (size_t g = 0; g < columns; g++) {
            size_t base_g = isnan(c->baseline_ln_freq) ? g : place(c->ln_freq, c->freq_count, c->baseline_ln_freq);
            if (work)
                whiten(c, panel, base_i, base_g, work, work + size);
            for (size_t i = 0; i < rows && work; i++) {
                struct cell *cell = &c->cells[i * columns + g];
                whiten(c, panel, i, g, work, work + 2 * size);
                multiply(c->used[used], work + 2 * size, work + 2 * size, width, cell->reduce + used * MATRIX);
                multiply(c->used[used], work + 2 * size, work + size, width, cell->baseline + used * MATRIX);
            }
        }
        free(work);
    }
    return starved ? mw_fail(error, MW_NOMEM, "out of memory for predictions") : MW_OK;
}

/* K^-1 (y - law) of each draw with this kernel, into column `draw` of alpha (n x draw_count). */
static void carry(const struct mw_cells *c, const double *panel, const double *inverse, int kernel,
                  const double *residual, double *z, double *alpha)
{
    size_t n = c->data->count, width = mw_panel_pad(n);
    double *back = z + width;
    for (size_t d = 0; d < c->draw_count; d++) {
        if (c->kernel[d] != kernel)
            continue;
        mw_panel_multiply(panel, n, residual + d * width, z);
        mw_lower_multiply_transposed(inverse, n, z, back);
        for (size_t j = 0; j < n; j++)
            alpha[j * c->draw_count + d] = back[j];
    }
}

/* What the basis of every cell adds to each draw's mean. */
static void prepare_means(struct mw_cells *c, const double *alpha, double *const amplitudes[3])
{
    size_t n = c->data->count, columns = c->freq_count + 1, d = c->draw_count;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i <= c->p_count; i++)
        for (size_t g = 0; g < columns; g++) {
            double v[BASIS];
            for (size_t j = 0; j < n; j++) {
                basis_at(c, i, g, &c->data->items[j], v);
                for (size_t b = 0; b < BASIS; b++) {
                    double *to = b >= CORES + FREQ ? c->cells[i * columns + g].draws + (b - CORES - FREQ) * d
                                 : b >= CORES      ? c->freq_draws + (g * FREQ + b - CORES) * d
                                                   : c->cores_draws + (i * CORES + b) * d;
                    const double *by = amplitudes[b < CORES ? 0 : b < CORES + FREQ ? 1 : 2];
                    bool first = b >= CORES + FREQ || (b < CORES ? g == 0 : i == 0); /* the others are the same again */
                    if (v[b] != 0 && first)
                        mw_hot_add_product(v[b], by, alpha + j * d, d, to);
                }
            }
        }
}

struct work {
    double *parts, *scratch, *inverse; /* n x n each, parts three of them */
    double *panel, *residual, *z;      /* padded */
    double *alpha;                     /* n x draw_count */
    double *amplitudes[3];             /* draw_count each */
};

static void work_release(struct work *w)
{
    free(w->parts);
    free(w->panel);
    free(w->residual);
    free(w->z);
    free(w->alpha);
}

static enum mw_err work_init(struct work *w, const struct mw_cells *c, struct mw_error *error)
{
    size_t n = c->data->count, width = mw_panel_pad(n), d = c->draw_count;
    w->parts = malloc(5 * n * n * sizeof *w->parts);
    w->panel = mw_panel_alloc(mw_panel_size(n));
    w->residual = mw_panel_alloc(d * width);
    w->z = mw_panel_alloc(2 * width);
    w->alpha = calloc((n + 3) * d + 1, sizeof *w->alpha);
    if (!w->parts || !w->panel || !w->residual || !w->z || !w->alpha)
        return mw_fail(error, MW_NOMEM, "out of memory for predictions");
    w->scratch = w->parts + 3 * n * n;
    w->inverse = w->scratch + n * n;
    for (size_t k = 0; k < 3; k++)
        w->amplitudes[k] = w->alpha + (n + k) * d;
    for (size_t i = 0; i < d; i++) {
        w->amplitudes[0][i] = mw_kernels[c->kernel[i]].cores;
        w->amplitudes[1][i] = mw_kernels[c->kernel[i]].freq;
        w->amplitudes[2][i] = mw_kernels[c->kernel[i]].both;
    }
    return MW_OK;
}

static enum mw_err prepare(struct mw_cells *c, struct mw_error *error)
{
    size_t n = c->data->count, width = mw_panel_pad(n), draw = 0;
    struct work w = {0};
    double log_det;
    enum mw_err err = work_init(&w, c, error);
    for (size_t f = 0; !err && f < c->ensemble->count; f++) {
        const struct mw_ensemble_fit *fit = &c->ensemble->fits[f];
        const struct mw_law *law = mw_law_find(fit->law);
        if (!law || law->param_count != fit->param_count) {
            err = mw_fail(error, MW_NOFIT, "the model's ensemble has a law '%s' that is not known here", fit->law);
            break;
        }
        for (size_t s = 0; s < fit->draw_count; s++, draw++) {
            double *r = w.residual + draw * width;
            mw_evaluate(law, fit->params + s * fit->param_count, fit->scale[s], c->quantity, c->data->items, n, r);
            for (size_t i = 0; i < n; i++)
                r[i] = c->data->items[i].ln_value - r[i];
        }
    }
    if (!err)
        mw_kernel_parts(c->quantity, c->data->items, n, c->data->items, n, w.parts);
    for (size_t u = 0; !err && u < c->used_count; u++) {
        if (!(mw_kernel_variance(&mw_kernels[c->used[u]]) > 0))
            continue; /* nothing is carried over */
        if (!mw_kernel_whiten(&mw_kernels[c->used[u]], w.parts, c->data->items, n, w.scratch, w.inverse, &log_det)) {
            err = mw_fail(error, MW_NOFIT, "the noise of the points spans too many orders of magnitude");
            break;
        }
        mw_panel_pack(w.inverse, n, w.panel);
        carry(c, w.panel, w.inverse, c->used[u], w.residual, w.z, w.alpha);
        err = prepare_matrices(c, w.panel, u, error);
    }
    if (!err)
        prepare_means(c, w.alpha, w.amplitudes);
    work_release(&w);
    return err;
}

enum mw_err mw_cells_alloc(struct mw_cells **cells, const struct mw_ensemble *ensemble, const struct mw_sites *data,
                           enum mw_quantity quantity, double baseline_freq_hz, double memory_freq_hz,
                           struct mw_error *error)
{
    struct mw_cells *c = calloc(1, sizeof *c);
    if (!c)
        return mw_fail(error, MW_NOMEM, "out of memory for predictions");
    *c = (struct mw_cells){.ensemble = ensemble, .data = data, .quantity = quantity, .baseline_ln_freq = (double)NAN};
    if (baseline_freq_hz > 0)
        c->baseline_ln_freq = mw_site_at(1, baseline_freq_hz, memory_freq_hz).ln_freq;
    enum mw_err err = list_nodes(c, error);
    if (!err)
        err = list_draws(c, error);
    bool worth_it = !err && is_worth_it(c);
    if (worth_it)
        err = allocate(c) ? prepare(c, error) : mw_fail(error, MW_NOMEM, "out of memory for predictions");
    if (err || !worth_it) {
        mw_cells_free(c);
        c = NULL;
    }
    if (!err)
        *cells = c;
    return err;
}

void mw_cells_free(struct mw_cells *c)
{
    if (!c)
        return;
    free(c->ln_p);
    free(c->ln_freq);
    free(c->sigma);
    free(c->kernel);
    free(c->cores_draws);
    free(c->freq_draws);
    free(c->cells);
    free(c->memory);
    free(c);
}

/* What the discrepancy adds to all draws at one site, and the variances that it leaves. */
static void fill_site(const struct mw_cells *c, const struct mw_site *sites, size_t i, size_t partner,
                      struct mw_predictive *out)
{
    const struct mw_site *site = &sites[i], *base = &sites[partner];
    size_t at_p = place(c->ln_p, c->p_count, site->ln_p), at_f = place(c->ln_freq, c->freq_count, site->ln_freq);
    const struct cell *cell = &c->cells[at_p * (c->freq_count + 1) + at_f];
    double w[MW_FORM] = {0}, w_base[MW_FORM] = {0}, parts[3], between, *mean = out->mean + i * out->site_step;
    weights_at(c, at_p, at_f, site, w);
    weights_at(c, place(c->ln_p, c->p_count, base->ln_p), place(c->ln_freq, c->freq_count, base->ln_freq), base,
               w_base);
    const double *rows[BASIS];
    for (size_t b = 0; b < BASIS; b++)
        rows[b] = b < CORES          ? c->cores_draws + (at_p * CORES + b) * c->draw_count
                  : b < CORES + FREQ ? c->freq_draws + (at_f * FREQ + b - CORES) * c->draw_count
                                     : cell->draws + (b - CORES - FREQ) * c->draw_count;
    mw_hot_add_rows(rows, w, BASIS, c->draw_count, mean);
    mw_kernel_parts(c->quantity, site, 1, base, 1, parts);
    for (size_t u = 0; u < c->used_count; u++) {
        int k = c->used[u];
        mw_kernel_row(&mw_kernels[k], parts, 1, 1, 0, &between);
        out->reduced[k][i] = fmax(mw_kernel_variance(&mw_kernels[k]) - mw_hot_form(cell->reduce + u * MATRIX, w, w), 0);
        /* a baseline is its own partner, and stands in its own cell */
        out->paired[k][i] = partner == i ? 0 : between - mw_hot_form(cell->baseline + u * MATRIX, w, w_base);
    }
}

/* The laws of all draws at a range of sites, site by site. */
static void evaluate_sites(const struct mw_cells *c, const struct mw_site *sites, size_t from, size_t to,
                           struct mw_predictive *out)
{
    struct mw_evaluation block;
    double values[MW_EVALUATION];
    size_t draw = 0;
    mw_evaluation_init(&block, c->quantity, sites + from, to - from);
    for (size_t f = 0; f < c->ensemble->count; f++) {
        const struct mw_ensemble_fit *fit = &c->ensemble->fits[f];
        const struct mw_law *law = mw_law_find(fit->law);
        for (size_t s = 0; s < fit->draw_count; s++, draw++) {
            mw_evaluation_run(&block, law, fit->params + s * fit->param_count, fit->scale[s], values);
            for (size_t i = from; i < to; i++)
                out->mean[i * out->site_step + draw] = values[i - from];
        }
    }
}

enum mw_err mw_cells_predictive(const struct mw_cells *c, const struct mw_site *sites, const size_t *partner,
                                size_t site_count, struct mw_predictive *predictive, struct mw_error *error)
{
    enum { BLOCK = MW_EVALUATION };
    struct mw_predictive out = {.ensemble = c->ensemble,
                                .site_count = site_count,
                                .draw_count = c->draw_count,
                                .draw_step = 1,
                                .site_step = c->draw_count};
    out.mean = malloc((site_count * c->draw_count + 1) * sizeof *out.mean);
    out.sigma = malloc((c->draw_count + 1) * sizeof *out.sigma);
    out.kernel = malloc((c->draw_count + 1) * sizeof *out.kernel);
    bool there = out.mean && out.sigma && out.kernel;
    for (size_t u = 0; u < c->used_count; u++) {
        double *both = malloc((2 * site_count + 1) * sizeof *both);
        out.reduced[c->used[u]] = both;
        out.paired[c->used[u]] = both ? both + site_count : NULL;
        there = there && both;
    }
    if (!there) {
        mw_predictive_release(&out);
        return mw_fail(error, MW_NOMEM, "out of memory for predictions");
    }
    memcpy(out.sigma, c->sigma, c->draw_count * sizeof *out.sigma);
    memcpy(out.kernel, c->kernel, c->draw_count * sizeof *out.kernel);
#pragma omp parallel for schedule(dynamic)
    for (size_t from = 0; from < site_count; from += BLOCK) {
        size_t to = from + BLOCK < site_count ? from + BLOCK : site_count;
        evaluate_sites(c, sites, from, to, &out);
        for (size_t i = from; i < to; i++)
            fill_site(c, sites, i, partner[i], &out);
    }
    *predictive = out;
    return MW_OK;
}
