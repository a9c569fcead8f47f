/* Converts points to coordinates, from which a model predicts times. */
#include "search/coordinates.h"

#include "stats/correlation.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PER_AXIS = 3,
    MOST_TWOS = 7,
    DRAWS = 200,       /* number of random points for comparing the order of features */
    BOND_DRAWS = 1000, /* number of random points for finding pairs of dependent axes */
    CELLS = 8          /* maximum number of groups into which the choices of an axis are divided */
};
/* Two features whose rank correlation is higher than this are treated as equivalent. */
#define SAME_ORDER 0.999
/* Two axes are dependent if the G-statistic exceeds its mean by this many standard deviations. */
#define SURE 5.0

static bool all_above(const gt_domain_axis *axis, double least)
{
    for (uint32_t i = 0; axis->values && i < axis->choices; i++) {
        if (!isfinite(axis->values[i]) || axis->values[i] <= least) {
            return false;
        }
    }
    return axis->values;
}

static int twos(double value)
{
    int count = 0;
    for (; value >= 1 && floor(value) == value && fmod(value, 2) == 0 && count < MOST_TWOS;
         value /= 2) {
        count++;
    }
    return count;
}

/* Returns true if any value is not a power of two. */
static bool has_alignment(const gt_domain_axis *axis)
{
    for (uint32_t i = 0; i < axis->choices; i++) {
        int exponent;
        if (frexp(axis->values[i], &exponent) > 0.5) {
            return true;
        }
    }
    return false;
}

static void scale_values(float *value, uint32_t count)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        low = fminf(low, value[i]);
        high = fmaxf(high, value[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        value[i] = high > low ? (value[i] - low) / (high - low) : 0;
    }
}

static float *begin_axis(gt_coordinates *out, float **unused, uint32_t axis, uint32_t choices,
                         bool is_word)
{
    uint32_t at = out->count++;
    out->axis[at] = axis;
    out->is_word[at] = is_word;
    out->value[at] = *unused;
    out->factor[at] = NULL;
    *unused += choices;
    return out->value[at];
}

static void add_axis(gt_coordinates *out, float **unused, uint32_t axis, const gt_domain_axis *from)
{
    uint32_t count = from->choices;
    bool numbers = all_above(from, -INFINITY), logs = all_above(from, 0);
    if (numbers) {
        float *value = begin_axis(out, unused, axis, count, false);
        for (uint32_t i = 0; i < count; i++) {
            value[i] = (float)(logs ? log2(from->values[i]) : from->values[i]);
        }
        scale_values(value, count);
    }
    if (!numbers || count > 2) {
        float *value = begin_axis(out, unused, axis, count, true);
        for (uint32_t i = 0; i < count; i++) {
            value[i] = (float)i;
        }
    }
    if (logs && count > 3 && has_alignment(from)) {
        float *value = begin_axis(out, unused, axis, count, false);
        for (uint32_t i = 0; i < count; i++) {
            value[i] = (float)twos(from->values[i]);
        }
        scale_values(value, count);
    }
}

/* --- bonds ------------------------------------------------------------------------------------
 *
 * Two axes are bonded if constraints connect them, as with the two sides of a block. The time often
 * depends on the product of such axes. Bonds are found by drawing random points and applying the
 * G-test of independence (Sokal and Rohlf, Biometry), which works for every kind of domain. */

typedef struct bond {
    uint32_t a, b; /* indices of the two axes; a < b */
} bond;

static uint32_t count_cells(const gt_domain *domain, uint32_t axis)
{
    uint32_t choices = domain->axes[axis].choices;
    return choices < CELLS ? choices : CELLS;
}

static uint32_t find_cell(const gt_domain *domain, uint32_t axis, const gt_point *point)
{
    return point->choice[axis] * count_cells(domain, axis) / domain->axes[axis].choices;
}

/* Returns by how many standard deviations the G-statistic exceeds its mean for independent axes. */
static double measure_dependence(const gt_domain *domain, const gt_point *draws, uint32_t count,
                                 uint32_t a, uint32_t b)
{
    uint32_t both[CELLS][CELLS] = {{0}}, of_a[CELLS] = {0}, of_b[CELLS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = find_cell(domain, a, &draws[i]), y = find_cell(domain, b, &draws[i]);
        both[x][y]++;
        of_a[x]++;
        of_b[y]++;
    }
    double g = 0, freedom = (count_cells(domain, a) - 1.0) * (count_cells(domain, b) - 1.0);
    for (uint32_t x = 0; x < CELLS; x++) {
        for (uint32_t y = 0; y < CELLS; y++) {
            double seen = both[x][y];
            g += seen > 0 ? 2 * seen * log(seen * count / of_a[x] / of_b[y]) : 0;
        }
    }
    return (g - freedom) / sqrt(2 * freedom);
}

static uint32_t draw_points(gt_point *draws, const gt_domain *domain)
{
    gt_random random = {0};
    uint32_t count = 0, wanted = domain->size < BOND_DRAWS ? (uint32_t)domain->size : BOND_DRAWS;
    while (count < wanted && domain->draw(domain->user, &random, &draws[count])) {
        count++;
    }
    return count;
}

/* Finds up to GT_PRODUCTS pairs of dependent axes, beginning with the strongest dependence. Finds
 * none if the size of the domain is only an estimate, because drawing points may then be slow. */
static gputune_status find_bonds(bond *out, uint32_t *count, const gt_domain *domain)
{
    *count = 0;
    if (!domain->size_is_exact) {
        return GPUTUNE_OK;
    }
    GT_FREED gt_point *draws = calloc(BOND_DRAWS, sizeof *draws);
    GT_TRY(gt_allocated(draws));
    GT_FREED gt_ranked *found = calloc(GT_SEARCH_AXES * GT_SEARCH_AXES, sizeof *found);
    GT_TRY(gt_allocated(found));
    uint32_t drawn = draw_points(draws, domain), all = 0;
    for (uint32_t b = 1; drawn && b < domain->axis_count; b++) {
        for (uint32_t a = 0; a < b; a++) {
            bool choose = domain->axes[a].choices > 1 && domain->axes[b].choices > 1;
            double strength = choose ? measure_dependence(domain, draws, drawn, a, b) : 0;
            if (strength > SURE) {
                found[all++] = (gt_ranked){-strength, (size_t)a * GT_SEARCH_AXES + b};
            }
        }
    }
    gt_sort_ranked(found, all); /* strongest first */
    for (; *count < all && *count < GT_PRODUCTS; ++*count) {
        uint32_t pair = (uint32_t)found[*count].index;
        out[*count] = (bond){pair / GT_SEARCH_AXES, pair % GT_SEARCH_AXES};
    }
    return GPUTUNE_OK;
}

/* Returns the base-2 logarithm of the largest value divided by the smallest value. */
static double range(double *low, const gt_domain_axis *axis)
{
    double high = 0;
    *low = INFINITY;
    for (uint32_t i = 0; i < axis->choices; i++) {
        *low = fmin(*low, axis->values[i]);
        high = fmax(high, axis->values[i]);
    }
    return log2(high / *low);
}

static void fill_factor(float *value, const gt_domain_axis *axis, double low, double range)
{
    for (uint32_t i = 0; i < axis->choices; i++) {
        value[i] = (float)(log2(axis->values[i] / low) / range);
    }
}

static void add_product(gt_coordinates *out, float **unused, const gt_domain *domain, bond tied)
{
    const gt_domain_axis *a = &domain->axes[tied.a], *b = &domain->axes[tied.b];
    if (!all_above(a, 0) || !all_above(b, 0)) {
        return;
    }
    double low_a, low_b, both = range(&low_a, a) + range(&low_b, b);
    uint32_t at = out->count;
    fill_factor(begin_axis(out, unused, tied.a, a->choices, false), a, low_a, both);
    out->other[at] = tied.b;
    out->factor[at] = *unused;
    *unused += b->choices;
    fill_factor(out->factor[at], b, low_b, both);
}

typedef struct draws {
    uint32_t count;
    double coordinate[GT_COORDINATES][DRAWS], feature[GT_SEARCH_FEATURES][DRAWS];
} draws;

static void draw_values(draws *out, const gt_coordinates *coordinates)
{
    const gt_domain *domain = coordinates->domain;
    gt_random random = {0};
    gt_point point;
    for (; out->count < DRAWS && domain->draw(domain->user, &random, &point); out->count++) {
        float z[GT_COORDINATES];
        double x[GT_SEARCH_FEATURES];
        gt_coordinates_of(z, coordinates, &point);
        domain->features(domain->user, &point, x);
        for (uint32_t i = 0; i < coordinates->count; i++) {
            out->coordinate[i][out->count] = (double)z[i];
        }
        for (uint32_t i = 0; i < domain->feature_count; i++) {
            out->feature[i][out->count] = x[i];
        }
    }
}

static gputune_status add_feature(gt_coordinates *out, draws *d, uint32_t index)
{
    const double *x = d->feature[index];
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < d->count; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    if (!(high > low) || out->feature_count == GT_FEATURES) {
        return GPUTUNE_OK;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        double alike;
        GT_TRY(gt_spearman(&alike, x, d->coordinate[i], d->count));
        if (!out->is_word[i] && fabs(alike) > SAME_ORDER) {
            return GPUTUNE_OK;
        }
    }
    memcpy(d->coordinate[out->count], x, d->count * sizeof *x);
    out->is_word[out->count++] = false;
    out->features[out->feature_count++] = (gt_feature){index, low, high - low};
    return GPUTUNE_OK;
}

/* Adds each feature that varies and is not equivalent to a coordinate that exists already. */
static gputune_status add_features(gt_coordinates *out)
{
    const gt_domain *domain = out->domain;
    if (!domain->feature_count || !domain->size_is_exact) { /* drawing points may be slow */
        return GPUTUNE_OK;
    }
    GT_FREED draws *d = calloc(1, sizeof *d);
    GT_TRY(gt_allocated(d));
    draw_values(d, out);
    for (uint32_t i = 0; i < domain->feature_count; i++) {
        GT_TRY(add_feature(out, d, i));
    }
    return GPUTUNE_OK;
}

gputune_status gt_coordinates_make(gt_coordinates *out, const gt_domain *domain)
{
    *out = (gt_coordinates){.domain = domain};
    size_t values = 1;
    bond bonds[GT_PRODUCTS];
    uint32_t bond_count;
    GT_TRY(find_bonds(bonds, &bond_count, domain));
    for (uint32_t i = 0; i < domain->axis_count; i++) {
        values += (size_t)PER_AXIS * domain->axes[i].choices;
    }
    for (uint32_t i = 0; i < bond_count; i++) {
        values += domain->axes[bonds[i].a].choices + (size_t)domain->axes[bonds[i].b].choices;
    }
    out->values = malloc(values * sizeof *out->values);
    GT_TRY(gt_allocated(out->values));
    float *unused = out->values;
    for (uint32_t i = 0; i < domain->axis_count; i++) {
        if (domain->axes[i].choices > 1) {
            add_axis(out, &unused, i, &domain->axes[i]);
        }
    }
    for (uint32_t i = 0; i < bond_count; i++) {
        add_product(out, &unused, domain, bonds[i]);
    }
    return add_features(out);
}

void gt_coordinates_free(gt_coordinates *coordinates)
{
    free(coordinates->values);
    *coordinates = (gt_coordinates){0};
}

void gt_coordinates_of(float *out, const gt_coordinates *coordinates, const gt_point *point)
{
    uint32_t plain = coordinates->count - coordinates->feature_count;
    double x[GT_SEARCH_FEATURES];
    for (uint32_t i = 0; i < plain; i++) {
        const float *factor = coordinates->factor[i];
        out[i] = coordinates->value[i][point->choice[coordinates->axis[i]]];
        out[i] += factor ? factor[point->choice[coordinates->other[i]]] : 0;
    }
    if (coordinates->feature_count) {
        coordinates->domain->features(coordinates->domain->user, point, x);
    }
    for (uint32_t i = 0; i < coordinates->feature_count; i++) {
        const gt_feature *feature = &coordinates->features[i];
        double value = (x[feature->index] - feature->low) / feature->range;
        out[plain + i] = (float)fmin(fmax(value, 0), 1);
    }
}
