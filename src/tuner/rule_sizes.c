/* Regions of sizes, their corners, and points spread over them. */
#include "tuner/rule_sizes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_size(const gt_template *template, uint32_t i)
{
    return template->problem[i].kind == GT_PROBLEM_SIZE;
}

static bool varies(const gt_rule_region *region, uint32_t i)
{
    return region->least.values[i].number != region->most.values[i].number;
}

static const gputune_range *find_range(const char *name, const gputune_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(ranges[i].name, name) == 0) {
            return &ranges[i];
        }
    }
    return NULL;
}

/* Refuses ranges for which there is no rule. */
static gputune_status check_value(const gt_template *template, uint32_t i,
                                  const gputune_range *range, const gt_rule_region *region)
{
    const char *kernel = template->name, *name = template->problem[i].name;
    const int64_t least = region->least.values[i].number, most = region->most.values[i].number;
    if (!is_size(template, i)) {
        GT_REFUSE(
            varies(region, i), GPUTUNE_EINVAL,
            "%s: %s is compiled into the code, so each of its values needs a compile of its own, "
            "and no rule can range over it; give one value, as in %s=%" PRId64,
            kernel, name, name, least);
        return GPUTUNE_OK;
    }
    GT_REFUSE(!range, GPUTUNE_EINVAL, "%s: a rule needs a range of %s, as in %s=64:16K", kernel,
              name, name);
    GT_REFUSE(least < 1 || least > most, GPUTUNE_EINVAL,
              "%s: the range %s=%" PRId64 ":%" PRId64
              " is not allowed; expected two sizes from 1, the smaller one first",
              kernel, name, least, most);
    return GPUTUNE_OK;
}

gputune_status gt_region_make(gt_rule_region *out, const gt_template *template,
                              const gputune_range *ranges, size_t count)
{
    gt_rule_region region;
    bool any = false;
    GT_FREED gputune_size *ends = calloc(2 * count + 1, sizeof *ends);
    GT_TRY(gt_allocated(ends));
    for (size_t i = 0; i < count; i++) {
        ends[i] = (gputune_size){ranges[i].name, ranges[i].least};
        ends[count + i] = (gputune_size){ranges[i].name, ranges[i].most};
    }
    GT_TRY(gt_problem_bind(&region.least, template, (gputune_sizes){count, ends}));
    GT_TRY(gt_problem_bind(&region.most, template, (gputune_sizes){count, ends + count}));
    for (uint32_t i = 0; i < template->problem_count; i++) {
        const gputune_range *range = find_range(template->problem[i].name, ranges, count);
        GT_TRY(check_value(template, i, range, &region));
        any |= varies(&region, i);
    }
    GT_REFUSE(!any, GPUTUNE_EINVAL,
              "%s: a rule needs a size that varies; tune a single size without a range",
              template->name);
    *out = region;
    return GPUTUNE_OK;
}

uint32_t gt_region_corners(gt_problem out[GT_CORNERS_MOST], const gt_template *template,
                           const gt_rule_region *region)
{
    uint32_t varying[GT_PROBLEM_MAX], count = 0, corners = 2;
    for (uint32_t i = 0; i < template->problem_count; i++) {
        if (varies(region, i)) {
            varying[count++] = i;
        }
    }
    out[0] = region->least;
    out[1] = region->most;
    for (uint32_t bits = 1; bits + 1 < UINT32_C(1) << count && corners < GT_CORNERS_MOST; bits++) {
        gt_problem *corner = &out[corners++];
        *corner = region->least;
        for (uint32_t v = 0; v < count; v++) {
            if (bits >> v & 1) {
                corner->values[varying[v]] = region->most.values[varying[v]];
            }
        }
    }
    return corners;
}

/* Returns the size that is nearest to `size`, in the range, and divided by 2^power, or by the
 * greatest power that leaves such a size. */
static int64_t round_size(double size, int power, int64_t least, int64_t most)
{
    for (; power > 0; power--) {
        const int64_t step = INT64_C(1) << power;
        int64_t rounded = (int64_t)(size / (double)step + 0.5) * step;
        rounded += rounded < least ? step : 0;
        rounded -= rounded > most ? step : 0;
        if (rounded >= least && rounded <= most && 4 * step <= rounded) {
            return rounded;
        }
    }
    const int64_t odd = (int64_t)size | 1;
    return odd < least ? least : odd > most ? most : odd;
}

gt_problem gt_region_point(const gt_template *template, const gt_rule_region *region,
                           uint64_t index, gt_random *random)
{
    enum { POWERS = 8 };
    gt_problem point = region->least;
    uint32_t dimensions = 0;
    double ratio = 2;
    for (uint32_t i = 0; i < template->problem_count; i++) {
        dimensions += varies(region, i);
    }
    for (int step = 0; step < 32; step++) { /* x^(d + 1) = x + 1, the golden ratio for d = 1 */
        ratio = pow(1 + ratio, 1.0 / (dimensions + 1));
    }
    const bool is_alike = gt_random_below(random, 3) == 0; /* all sizes have the same divisor */
    const int common = (int)gt_random_below(random, POWERS);
    double step = 1;
    for (uint32_t i = 0; i < template->problem_count; i++) {
        const int64_t least = region->least.values[i].number, most = region->most.values[i].number;
        const int power = is_alike ? common : (int)gt_random_below(random, POWERS);
        if (varies(region, i)) {
            step /= ratio;
            const double place = fmod(0.5 + step * (double)(index + 1), 1);
            const double size = (double)least * pow((double)most / (double)least, place);
            point.values[i].number = round_size(size, power, least, most);
        }
    }
    return point;
}

double gt_region_distance(const gt_template *template, const gt_problem *a, const gt_problem *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < template->problem_count; i++) {
        const int64_t x = a->values[i].number, y = b->values[i].number;
        if (is_size(template, i) && x != y) {
            sum += fabs(log((double)x / (double)y)) +
                   fabs(log((double)((x | 16) & -(x | 16)) / (double)((y | 16) & -(y | 16))));
        }
    }
    return sum;
}
