/* Regions of sizes: their corners, and points that are spread over them. */
#include "tuner/rule_sizes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_size(const gt_template *template, uint32_t i)
{
    return template->problem[i].kind == GT_PROBLEM_SIZE;
}

static gputune_status check_value(const gt_template *template, uint32_t i, bool has_range,
                                  const gt_rule_region *region)
{
    const char *kernel = template->name, *name = template->problem[i].name;
    const int64_t least = region->least.values[i].number, most = region->most.values[i].number;
    if (!is_size(template, i)) {
        GT_REFUSE(
            gt_region_varies(region, i), GPUTUNE_EINVAL,
            "%s: %s is compiled into the code, so each of its values needs a compile of its own, "
            "and no rule can range over it; give one value, as in %s=%" PRId64,
            kernel, name, name, least);
        return GPUTUNE_OK;
    }
    GT_REFUSE(!has_range, GPUTUNE_EINVAL, "%s: a rule needs a range of %s, as in %s=64:16K", kernel,
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
    uint64_t given = 0; /* bit i: problem value i has a range */
    bool any = false;
    GT_FREED gputune_size *ends = calloc(2 * count + 1, sizeof *ends);
    GT_TRY(gt_allocated(ends));
    for (size_t i = 0; i < count; i++) {
        ends[i] = (gputune_size){ranges[i].name, ranges[i].least};
        ends[count + i] = (gputune_size){ranges[i].name, ranges[i].most};
        const int value = gt_template_problem_index(template, ranges[i].name);
        given |= value < 0 ? 0 : UINT64_C(1) << value;
    }
    GT_TRY(gt_problem_bind(&region.least, template, (gputune_sizes){count, ends}));
    GT_TRY(gt_problem_bind(&region.most, template, (gputune_sizes){count, ends + count}));
    for (uint32_t i = 0; i < template->problem_count; i++) {
        GT_TRY(check_value(template, i, given >> i & 1, &region));
        any |= gt_region_varies(&region, i);
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
        if (gt_region_varies(region, i)) {
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

/* A class of sizes: the multiples of 2^power or, if `is_odd` is true, only the odd multiples. */
typedef struct size_class {
    double share; /* fraction of the points that are in this class */
    int power;
    bool is_odd;
} size_class;

/* Multiples of 8 are more frequent than in a random choice, because programs use them often. */
static const size_class classes[] = {{0.15, 0, true},  {0.11, 1, true}, {0.12, 2, true},
                                     {0.14, 3, true},  {0.13, 4, true}, {0.13, 5, false},
                                     {0.11, 6, false}, {0.11, 7, false}};

/* Maps a number from 0 to 1 to a class. Each class gets a subrange as long as its share. */
static int class_at(double place)
{
    enum { LAST = sizeof classes / sizeof *classes - 1 };
    int at = 0;
    while (at < LAST && place >= classes[at].share) {
        place -= classes[at++].share;
    }
    return at;
}

/* Returns the number in the range and the class that is nearest to `size`. If that number is too
 * far away, tries classes with smaller divisors. */
static int64_t round_size(double size, int class, int64_t least, int64_t most)
{
    static const double far = 0.2;
    for (; class >= 0; class --) {
        const int64_t divisor = INT64_C(1) << classes[class].power;
        const int64_t step = classes[class].is_odd ? 2 * divisor : divisor;
        const int64_t start = classes[class].is_odd ? divisor : 0;
        int64_t rounded = (int64_t)((size - (double)start) / (double)step + 0.5) * step + start;
        rounded += rounded < least ? step : 0;
        rounded -= rounded > most ? step : 0;
        if (rounded >= least && rounded <= most && fabs((double)rounded - size) <= far * size) {
            return rounded;
        }
    }
    return size < (double)least ? least : size > (double)most ? most : (int64_t)size;
}

gt_problem gt_region_point(const gt_template *template, const gt_rule_region *region,
                           uint64_t index)
{
    gt_problem point = region->least;
    uint32_t dimensions = 2; /* is_alike, and the class that all sizes share if it is true */
    double ratio = 2;
    for (uint32_t i = 0; i < template->problem_count; i++) {
        dimensions += gt_region_varies(region, i) ? 2 : 0;
    }
    /* the step whose multiples spread points evenly in d dimensions solves x^(d + 1) = x + 1 */
    for (int step = 0; step < 32; step++) {
        ratio = pow(1 + ratio, 1.0 / (dimensions + 1));
    }
    double step = 1;
    double places[2 * GT_PROBLEM_MAX + 2];
    for (uint32_t i = 0; i < dimensions; i++) {
        step /= ratio;
        places[i] = fmod(0.5 + step * (double)(index + 1), 1);
    }
    const bool is_alike = places[dimensions - 1] < 1.0 / 3;
    for (uint32_t i = 0, at = 0; i < template->problem_count; i++) {
        const int64_t least = region->least.values[i].number, most = region->most.values[i].number;
        if (gt_region_varies(region, i)) {
            const double size = (double)least * pow((double)most / (double)least, places[at]);
            const int class = class_at(places[is_alike ? dimensions - 2 : at + 1]);
            point.values[i].number = round_size(size, class, least, most);
            at += 2;
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
