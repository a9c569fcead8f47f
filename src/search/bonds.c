/* Finds dependent axes with the G-test of independence (Sokal and Rohlf, Biometry). */
#include "search/bonds.h"

#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 1000, CELLS = 8 /* CELLS: maximum number of groups of an axis's choices */ };
/* Standard deviations by which the statistic must exceed that of independent axes. */
#define SURE 5.0

static uint32_t count_cells(const gt_domain *domain, uint32_t axis)
{
    uint32_t choices = domain->axes[axis].choices;
    return choices < CELLS ? choices : CELLS;
}

static uint32_t find_cell(const gt_domain *domain, uint32_t axis, const gt_point *point)
{
    return point->choice[axis] * count_cells(domain, axis) / domain->axes[axis].choices;
}

/* Returns the dependence of two axes beyond that of independent axes, in standard deviations. */
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
    uint32_t count = 0, wanted = domain->size < DRAWS ? (uint32_t)domain->size : DRAWS;
    while (count < wanted && domain->draw(domain->user, &random, &draws[count])) {
        count++;
    }
    return count;
}

gputune_status gt_bonds_find(gt_bond *out, uint32_t *count, uint32_t most, const gt_domain *domain)
{
    *count = 0;
    if (!domain->size_is_exact) {
        return GPUTUNE_OK;
    }
    GT_FREED gt_point *draws = calloc(DRAWS, sizeof *draws);
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
    for (; *count < all && *count < most; ++*count) {
        uint32_t pair = (uint32_t)found[*count].index;
        out[*count] = (gt_bond){pair / GT_SEARCH_AXES, pair % GT_SEARCH_AXES};
    }
    return GPUTUNE_OK;
}
