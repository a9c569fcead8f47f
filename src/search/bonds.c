/* Bonds by the G-test of independence (Sokal and Rohlf, Biometry) on uniform draws. */
#include "search/bonds.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 1000, CELLS = 8 /* into which the choices of an axis are put, in their order */ };
/* How far the statistic is above what independent axes give, in standard deviations. */
#define SURE 5.0

static uint32_t cells(const gt_domain *domain, uint32_t axis)
{
    uint32_t choices = domain->axes[axis].choices;
    return choices < CELLS ? choices : CELLS;
}

static uint32_t cell(const gt_domain *domain, uint32_t axis, const gt_point *point)
{
    return point->choice[axis] * cells(domain, axis) / domain->axes[axis].choices;
}

static double dependence(const gt_domain *domain, const gt_point *draws, uint32_t count, uint32_t a,
                         uint32_t b)
{
    uint32_t both[CELLS][CELLS] = {{0}}, of_a[CELLS] = {0}, of_b[CELLS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = cell(domain, a, &draws[i]), y = cell(domain, b, &draws[i]);
        both[x][y]++;
        of_a[x]++;
        of_b[y]++;
    }
    double g = 0, freedom = (cells(domain, a) - 1.0) * (cells(domain, b) - 1.0);
    for (uint32_t x = 0; x < CELLS; x++) {
        for (uint32_t y = 0; y < CELLS; y++) {
            double seen = both[x][y];
            g += seen > 0 ? 2 * seen * log(seen * count / of_a[x] / of_b[y]) : 0;
        }
    }
    return (g - freedom) / sqrt(2 * freedom);
}

/* Puts a bond in its place among those found so far. */
static void insert(gt_bond *bonds, double *strengths, uint32_t *count, uint32_t most, gt_bond bond,
                   double strength)
{
    uint32_t at = *count < most ? (*count)++ : most;
    for (; at > 0 && strengths[at - 1] < strength; at--) {
        if (at < most) {
            bonds[at] = bonds[at - 1];
            strengths[at] = strengths[at - 1];
        }
    }
    if (at < most) {
        bonds[at] = bond;
        strengths[at] = strength;
    }
}

static uint32_t draw(gt_point *draws, const gt_domain *domain)
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
    GT_FREED double *strengths = calloc(most + 1, sizeof *strengths);
    GT_TRY(gt_allocated(draws));
    GT_TRY(gt_allocated(strengths));
    uint32_t drawn = draw(draws, domain);
    for (uint32_t b = 1; drawn && b < domain->axis_count; b++) {
        for (uint32_t a = 0; a < b; a++) {
            bool choose = domain->axes[a].choices > 1 && domain->axes[b].choices > 1;
            double strength = choose ? dependence(domain, draws, drawn, a, b) : 0;
            if (strength > SURE) {
                insert(out, strengths, count, most, (gt_bond){a, b}, strength);
            }
        }
    }
    return GPUTUNE_OK;
}
