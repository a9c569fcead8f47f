/* Parts a space into groups of axes, each with its diagram and its count. */
#include "kernel/space_parts.h"

#include <stdlib.h>
#include <string.h>

enum { HITS = 400, SAMPLES_MAX = 1 << 15 };

const gt_diagram *gt_group_diagram(const gt_group *group)
{
    return group->better.count ? &group->better : &group->walked;
}

/* Combinations of these axes before constraints. */
static double combinations(const gt_space *space, uint32_t axes)
{
    double count = 1;
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        count *= axes >> i & 1 ? space->counts[i] : 1;
    }
    return count;
}

static uint32_t list_axes(uint32_t out[GT_AXIS_MAX], uint32_t axes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < GT_AXIS_MAX; i++) {
        if (axes >> i & 1) {
            out[count++] = i;
        }
    }
    return count;
}

/* How many ways there may be to go on once these axes have values. `folded`: for each rule that is
 * then open as many as its known axes have combinations, but few, since those of a sum or a product
 * are often equal. Else the combinations of all axes that such rules know. */
static double frontier(const gt_space *space, uint32_t group, uint32_t known, bool folded)
{
    static const double most_of_a_rule = 64;
    double ways = 1;
    uint32_t open = 0;
    for (int r = 0; r < space->rule_count; r++) {
        uint32_t axes = space->rules[r].axes;
        if (!(axes & ~group) && axes & known && axes & ~known) {
            double own = combinations(space, axes & known);
            ways *= own < most_of_a_rule ? own : most_of_a_rule;
            open |= axes & known;
        }
    }
    return folded ? ways : combinations(space, open);
}

/* An order in which few ways are open at any time: each time the axis that leaves the fewest. */
static uint32_t order_axes(uint32_t out[GT_AXIS_MAX], const gt_space *space, uint32_t axes,
                           bool folded)
{
    uint32_t count = 0, known = 0;
    while (known != axes) {
        int best = -1;
        double fewest = 0;
        for (int i = 0; i < GT_AXIS_MAX; i++) {
            if (axes & ~known & UINT32_C(1) << i) {
                double ways = frontier(space, axes, known | UINT32_C(1) << i, folded);
                bool better = best < 0 || ways < fewest;
                best = better ? i : best;
                fewest = better ? ways : fewest;
            }
        }
        out[count++] = (uint32_t)best;
        known |= UINT32_C(1) << best;
    }
    return count;
}

/* Where a diagram leaves rules out, draws from it say what part is valid. */
static void estimate(gt_space *space, gt_group *group)
{
    gt_random random = {1};
    gt_config config;
    int hits = 0, drawn = 0, misses[GT_SPACE_REASONS] = {0};
    for (; drawn < SAMPLES_MAX && hits < HITS; drawn++) {
        if (drawn % 256 == 0 && gt_space_is_canceled(space)) {
            break;
        }
        int reason = gt_group_draw(space, group, &random, &config);
        misses[reason]++;
        hits += !reason;
    }
    for (int i = 1; i < GT_SPACE_REASONS && drawn; i++) {
        group->missed[i] = (double)misses[i] / drawn;
    }
    group->certainty = hits ? GT_ABOUT : GT_AT_MOST;
    if (hits) {
        group->count = group->count * hits / drawn;
    }
}

/* Builds a diagram of the axes in another order, and keeps it if it tells more than the present
 * one. */
static gputune_status reorder(gt_space *space, gt_group *group, const uint32_t *axes)
{
    gt_diagram fresh = {0};
    const gt_diagram *best = gt_group_diagram(group);
    GT_TRY(gt_diagram_build(&fresh, space, axes, group->walked.count));
    bool exact = !fresh.relaxed && best->relaxed;
    if (exact || fresh.endings[0][0] < best->endings[0][0]) {
        gt_diagram_free(&group->better);
        group->better = fresh;
    } else {
        gt_diagram_free(&fresh);
    }
    return GPUTUNE_OK;
}

/* By how many ways are open, then from the last axis to the first: positional sums bite there. */
static gputune_status reorder_all(gt_space *space, gt_group *group)
{
    uint32_t axes[GT_AXIS_MAX], count = group->walked.count;
    for (int i = 0; i < 2 && gt_group_diagram(group)->relaxed; i++) {
        (void)order_axes(axes, space, group->axes, i == 0);
        GT_TRY(reorder(space, group, axes));
    }
    for (uint32_t i = 0; i < count; i++) {
        axes[i] = group->walked.axes[count - 1 - i];
    }
    if (gt_group_diagram(group)->relaxed) {
        GT_TRY(reorder(space, group, axes));
    }
    return gt_group_list(space, group);
}

static gputune_status prepare_group(gt_space *space, gt_group *group)
{
    uint32_t axes[GT_AXIS_MAX];
    gputune_status status = GPUTUNE_OK;
    group->walked.count = list_axes(axes, group->axes);
    memcpy(group->walked.axes, axes, sizeof axes);
    if (group->walked.count > 1) {
        status = gt_diagram_build(&group->walked, space, axes, group->walked.count);
    }
    if (status == GPUTUNE_OK && group->walked.relaxed) {
        status = reorder_all(space, group);
    }
    if (status < 0) { /* the group is the product of its axes then, and every rule is left out */
        gt_diagram plain = {.count = group->walked.count, .relaxed = true};
        memcpy(plain.axes, axes, sizeof plain.axes);
        memset(&plain.dropped, 0xff, sizeof plain.dropped);
        gt_diagram_free(&group->walked);
        gt_diagram_free(&group->better);
        group->walked = plain;
    }
    const gt_diagram *diagram = gt_group_diagram(group);
    group->count = gt_diagram_endings(diagram, space, 0, 0);
    group->certainty = GT_EXACT;
    if (diagram->relaxed && group->count > 0) {
        estimate(space, group);
    }
    return status;
}

gputune_status gt_space_prepare(gt_space *space)
{
    gputune_status status = GPUTUNE_OK;
    if (space->prepared) {
        return GPUTUNE_OK;
    }
    space->prepared = true;
    for (int g = 0; g < space->group_count && !space->hopeless; g++) {
        gputune_status one = prepare_group(space, &space->groups[g]);
        status = status ? status : one;
    }
    return status;
}

/* --- counts ----------------------------------------------------------------------------------- */

static const double exact_limit = 0x1p53; /* above it a double skips integers */

/* A product of counts, each with its certainty. */
static void multiply(gt_space_size *size, double count, gt_certainty certainty)
{
    gt_certainty rounded = count >= exact_limit && certainty == GT_EXACT ? GT_ABOUT : certainty;
    bool none =
        (size->count == 0 && size->certainty == GT_EXACT) || (count <= 0 && certainty == GT_EXACT);
    if (none) {
        *size = (gt_space_size){0, GT_EXACT};
        return;
    }
    size->certainty = rounded > size->certainty ? rounded : size->certainty;
    double product = (double)size->count * count;
    if (product >= 0x1p64) {
        size->count = UINT64_MAX;
        size->certainty = size->certainty == GT_EXACT ? GT_ABOUT : size->certainty;
    } else if (count < exact_limit && count == (double)(uint64_t)count) {
        size->count *= (uint64_t)count;
    } else {
        size->count = (uint64_t)product;
    }
}

gt_space_size gt_space_count(gt_space *space)
{
    gt_space_size size = {1, GT_EXACT};
    (void)gt_space_prepare(space);
    if (space->hopeless) {
        return (gt_space_size){0, GT_EXACT};
    }
    for (int g = 0; g < space->group_count; g++) {
        multiply(&size, space->groups[g].count, space->groups[g].certainty);
    }
    return size;
}

/* Combinations of the group's axes that are in the source, with those first. */
static void multiply_sources(gt_space_size *size, gt_space *space, gt_group *group,
                             uint32_t in_source)
{
    uint32_t axes[2 * GT_AXIS_MAX]; /* each list at most half */
    uint32_t own = list_axes(axes, group->axes & in_source);
    gt_diagram diagram = {0};
    if (!(group->axes & ~in_source) || group->count <= 0) {
        multiply(size, group->count, group->certainty);
        return;
    }
    if (!own) {
        return;
    }
    uint32_t rest = list_axes(axes + own, group->axes & ~in_source);
    double count = -1;
    if (gt_diagram_build(&diagram, space, axes, own + rest) == GPUTUNE_OK) {
        count = gt_diagram_beginnings(&diagram, space, own);
    }
    bool exact = count >= 0 && !diagram.relaxed;
    if (count < 0 || count > group->count) {
        count = group->count;
    }
    multiply(size, count, exact ? group->certainty : GT_AT_MOST);
    gt_diagram_free(&diagram);
}

gt_space_size gt_space_sources(gt_space *space)
{
    gt_space_size size = {1, GT_EXACT};
    uint32_t in_source = 0;
    (void)gt_space_prepare(space);
    if (space->hopeless) {
        return (gt_space_size){0, GT_EXACT};
    }
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        const gt_axis *axis = &space->template->axes[i];
        in_source |= axis->in_source ? UINT32_C(1) << i : 0;
    }
    for (int g = 0; g < space->group_count; g++) {
        multiply_sources(&size, space, &space->groups[g], in_source);
    }
    return size;
}

bool gt_space_uses(gt_space *space, uint32_t axis, uint8_t choice)
{
    if (gt_space_count(space).count == 0) {
        return false;
    }
    const gt_diagram *d = gt_group_diagram(&space->groups[space->group_of[axis]]);
    uint32_t level = 0;
    while (d->axes[level] != axis) {
        level++;
    }
    uint32_t width = d->children[level] ? d->width[level] : 1;
    for (int v = 0; v < space->counts[axis]; v++) {
        for (uint32_t n = 0; n < width && space->choices[axis][v] == choice; n++) {
            if (gt_diagram_child(d, space, level, n, v) != GT_NODE_DEAD) {
                return true;
            }
        }
    }
    return false;
}

/* --- exclusions ------------------------------------------------------------------------------- */

typedef struct tally {
    double counts[GT_SPACE_REASONS];
    gt_certainty certainty[GT_SPACE_REASONS];
} tally;

static void exclude(tally *tally, int reason, double count, gt_certainty certainty)
{
    if (count > 0) {
        bool rounded = count >= exact_limit;
        gt_certainty own = rounded && certainty == GT_EXACT ? GT_ABOUT : certainty;
        tally->counts[reason] += count;
        tally->certainty[reason] = own > tally->certainty[reason] ? own : tally->certainty[reason];
    }
}

/* `others`: combinations of the other groups' axes that each of this group's stands for. */
static void exclude_in_group(tally *tally, const gt_space *space, const gt_group *group,
                             double others, gt_certainty certainty)
{
    const gt_diagram *d = gt_group_diagram(group);
    if (!d->excluded) {
        for (uint32_t i = 0; i < d->count; i++) {
            for (int v = 0; v < space->counts[d->axes[i]]; v++) {
                exclude(tally, space->blocked[d->axes[i]][v],
                        space->blocked[d->axes[i]][v] ? others : 0, certainty);
            }
        }
    }
    double drawn = gt_diagram_endings(d, space, 0, 0);
    for (int r = 1; r < GT_SPACE_REASONS; r++) {
        exclude(tally, r, (d->excluded ? d->excluded[r] : 0) * others, certainty);
        exclude(tally, r, drawn * group->missed[r] * others, GT_ABOUT);
    }
}

/* Each group takes its part of what the groups before it leave. */
static void exclude_all(tally *tally, const gt_space *space)
{
    double others = 1;
    gt_certainty certainty = GT_EXACT;
    for (int g = 0; g < space->group_count; g++) {
        others *= combinations(space, space->groups[g].axes);
    }
    for (int g = 0; g < space->group_count; g++) {
        const gt_group *group = &space->groups[g];
        others /= combinations(space, group->axes);
        exclude_in_group(tally, space, group, others, certainty);
        others *= group->count;
        certainty = group->certainty > certainty ? group->certainty : certainty;
    }
}

size_t gt_space_exclusions(gt_space *space, const gt_exclusion_count **out)
{
    tally tally = {{0}, {GT_EXACT}};
    size_t count = 0;
    (void)gt_space_prepare(space);
    if (space->hopeless) {
        exclude(&tally, space->hopeless, (double)gt_space_combinations(space), GT_EXACT);
    } else {
        exclude_all(&tally, space);
    }
    for (int r = 1; r < GT_SPACE_REASONS; r++) {
        if (tally.counts[r] > 0) {
            uint64_t whole =
                tally.counts[r] >= 0x1p64 ? UINT64_MAX : (uint64_t)(tally.counts[r] + 0.5);
            space->listed[count++] =
                (gt_exclusion_count){space->reasons[r], whole, tally.certainty[r]};
        }
    }
    *out = space->listed;
    return count;
}
