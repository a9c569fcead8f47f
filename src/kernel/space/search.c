/* Lists the configurations of a space, draws random ones, and counts them. */
#include "kernel/space/internal.h"

#include <stdlib.h>
#include <string.h>

static bool is_loose(const gt_group *group)
{
    return !group->diagram.is_complete;
}

void gt_space_rewind(gt_space *space)
{
    gt_walk *walk = &space->walk;
    walk->started = walk->finished = false;
    walk->at = walk->next[0] = 0;
}

/* Moves the current axis of the walk to its next valid value. Returns false if there is none. */
static bool advance_axis(gt_space *space)
{
    gt_walk *walk = &space->walk;
    const uint32_t axis = walk->at, before = (UINT32_C(1) << axis) - 1;
    const gt_group *group = &space->groups[space->group_of[axis]];
    const uint32_t earlier = group->axes & before, level = (uint32_t)__builtin_popcount(earlier);
    const int32_t node = earlier ? walk->child[31 - __builtin_clz(earlier)] : 0;
    while (walk->next[axis] < space->counts[axis]) {
        const int position = walk->next[axis]++;
        walk->child[axis] = gt_diagram_child(&group->diagram, space, level, node, position);
        walk->found.choice[axis] = space->choices[axis][position];
        if (walk->child[axis] == GT_NODE_DEAD) {
            continue;
        }
        gt_slots_axis(walk->binding.slots, space->template, axis, walk->found.choice[axis]);
        if (!is_loose(group) ||
            !gt_space_check(space, &walk->binding, before | (before + 1), axis)) {
            return true;
        }
    }
    return false;
}

/* Moves to the next valid configuration. Returns false after the last one and after a cancel. */
static bool walk_on(gt_space *space)
{
    gt_walk *walk = &space->walk;
    const uint32_t count = space->template->axis_count;
    walk->at -= walk->at == count; /* the walk is at a configuration: continue with its last axis */
    while (!(++walk->turns % 256 == 0 && gt_space_is_canceled(space))) {
        if (!advance_axis(space)) {
            if (walk->at == 0) {
                return false;
            }
            walk->at--;
        } else if (++walk->at == count) {
            return true;
        } else {
            walk->next[walk->at] = 0;
        }
    }
    return false;
}

bool gt_space_next(gt_space *space, gt_config *out)
{
    gt_walk *walk = &space->walk;
    const bool first = !walk->started;
    bool found = !walk->finished && (!first || gt_space_count(space).count > 0);
    if (found && first) {
        walk->started = true;
        walk->binding = space->base;
    }
    /* if there are no axes, there is one configuration */
    found = found && (space->template->axis_count ? walk_on(space) : first);
    walk->finished = !found;
    if (found) {
        *out = walk->found;
    }
    return found;
}

/* Returns a random integer below `count`. The draw is exactly uniform if `count` is below 2^53. */
static double place_among(double count, gt_random *random)
{
    return count < 0x1p53 ? (double)gt_random_below(random, (uint64_t)count)
                          : gt_random_unit(random) * count;
}

/* Draws a combination of a group's axes. If the group has no diagram, the combination may be
 * invalid, and the reason is returned. Otherwise returns 0. */
static int draw_from(gt_space *space, const gt_group *group, gt_random *random, gt_config *out)
{
    const gt_diagram *d = &group->diagram;
    double place = place_among(gt_diagram_endings(d, space, 0, 0), random);
    int32_t node = 0;
    for (uint32_t level = 0; level < d->count; level++) {
        const uint32_t axis = d->axes[level];
        int32_t next = GT_NODE_DEAD;
        for (int v = 0; v < space->counts[axis]; v++) {
            int32_t child = gt_diagram_child(d, space, level, node, v);
            if (child == GT_NODE_DEAD) {
                continue;
            }
            double endings = gt_diagram_endings(d, space, level + 1, child);
            next = child;
            out->choice[axis] = space->choices[axis][v];
            if (place < endings) {
                break;
            }
            place -= endings;
        }
        node = next;
    }
    return is_loose(group) ? gt_space_reason(space, out, group->axes) : 0;
}

static bool draw_group(gt_space *space, const gt_group *group, gt_random *random, gt_config *out)
{
    enum { DRAWS = 1 << 14 };
    if (gt_diagram_endings(&group->diagram, space, 0, 0) <= 0) {
        return false;
    }
    for (int i = 0; i < DRAWS && !(i % 256 == 255 && gt_space_is_canceled(space)); i++) {
        if (!draw_from(space, group, random, out)) {
            return true;
        }
    }
    return false;
}

bool gt_space_draw(gt_space *space, gt_random *random, gt_config *out)
{
    gt_config config = {{0}};
    bool found = gt_space_count(space).count > 0 && !gt_space_is_canceled(space);
    for (int g = 0; g < space->group_count && found; g++) {
        found = draw_group(space, &space->groups[g], random, &config);
    }
    if (found) {
        *out = config;
    }
    return found;
}

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

/* Computes the counts of a group that has no diagram. Combinations with a value that is never valid
 * are counted exactly. The number of other excluded combinations is estimated from random draws. */
static void estimate_group(gt_space *space, gt_group *group)
{
    enum { HITS = 400, SAMPLES_MAX = 1 << 15 };
    gt_random random = {1};
    gt_config config;
    gt_diagram *d = &group->diagram;
    int hits = 0, drawn = 0, misses[GT_SPACE_REASONS] = {0};
    double combined = combinations(space, group->axes);
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t axis = d->axes[i];
        int allowed = 0;
        combined /= space->counts[axis];
        for (int v = 0; v < space->counts[axis]; v++) {
            d->excluded[space->blocked[axis][v]] += combined;
            allowed += !space->blocked[axis][v];
        }
        combined *= allowed;
    }
    for (; combined > 0 && drawn < SAMPLES_MAX && hits < HITS; drawn++) {
        if (drawn % 256 == 0 && gt_space_is_canceled(space)) {
            break;
        }
        int reason = draw_from(space, group, &random, &config);
        misses[reason]++;
        hits += !reason;
    }
    for (int i = 1; i < GT_SPACE_REASONS && drawn; i++) {
        d->excluded[i] += combined * misses[i] / drawn;
    }
    group->count = hits ? combined * hits / drawn : combined;
    group->certainty = hits ? GT_ABOUT : combined > 0 ? GT_AT_MOST : GT_EXACT;
}

static gputune_status prepare_group(gt_space *space, gt_group *group)
{
    uint32_t axes[GT_AXIS_MAX];
    const uint32_t count = list_axes(axes, group->axes);
    const gputune_status status = gt_diagram_build(&group->diagram, space, axes, count);
    if (is_loose(group)) {
        estimate_group(space, group);
    } else {
        group->count = gt_diagram_endings(&group->diagram, space, 0, 0);
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
    for (int g = 0; g < space->group_count && !space->excludes_all; g++) {
        gputune_status one = prepare_group(space, &space->groups[g]);
        status = status ? status : one;
    }
    return status;
}

static const double exact_limit = 0x1p53; /* doubles represent all integers up to this one */

static void multiply_size(gt_space_size *size, double count, gt_certainty certainty)
{
    const double product = (double)size->count * count;
    const bool is_none =
        (size->count == 0 && size->certainty == GT_EXACT) || (count <= 0 && certainty == GT_EXACT);
    certainty = certainty > size->certainty ? certainty : size->certainty;
    size->certainty = is_none                                           ? GT_EXACT
                      : certainty == GT_EXACT && product >= exact_limit ? GT_ABOUT
                                                                        : certainty;
    size->count = is_none ? 0 : product >= 0x1p64 ? UINT64_MAX : (uint64_t)product;
}

gt_space_size gt_space_count(gt_space *space)
{
    gt_space_size size = {1, GT_EXACT};
    (void)gt_space_prepare(space);
    if (space->excludes_all) {
        return (gt_space_size){0, GT_EXACT};
    }
    for (int g = 0; g < space->group_count; g++) {
        multiply_size(&size, space->groups[g].count, space->groups[g].certainty);
    }
    return size;
}

/* Multiplies a size by the number of different sources in a group. To count these sources, builds
 * another diagram in which the axes that change the source come first. */
static void multiply_sources(gt_space_size *size, gt_space *space, gt_group *group,
                             uint32_t in_source)
{
    uint32_t axes[2 * GT_AXIS_MAX]; /* the axes that change the source, followed by the others */
    uint32_t own = list_axes(axes, group->axes & in_source);
    if (!(group->axes & ~in_source) || group->count <= 0) {
        multiply_size(size, group->count, group->certainty);
        return;
    }
    if (!own) {
        return;
    }
    uint32_t rest = list_axes(axes + own, group->axes & ~in_source);
    double count = -1;
    GT_SCOPED(gt_diagram_clear) gt_diagram diagram = {0};
    (void)gt_diagram_build(&diagram, space, axes, own + rest);
    if (diagram.is_complete) {
        count = gt_diagram_beginnings(&diagram, own);
    }
    multiply_size(size, count < 0 || count > group->count ? group->count : count,
                  count < 0 ? GT_AT_MOST : group->certainty);
}

gt_space_size gt_space_sources(gt_space *space)
{
    gt_space_size size = {1, GT_EXACT};
    uint32_t in_source = 0;
    (void)gt_space_prepare(space);
    if (space->excludes_all) {
        return (gt_space_size){0, GT_EXACT};
    }
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        const gt_axis *axis = &space->template->axes[i];
        in_source |= axis->in_source ? UINT32_C(1) << i : 0;
        multiply_size(&size, 1, axis->shares_source && axis->count > 1 ? GT_AT_MOST : GT_EXACT);
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
    const gt_diagram *d = &space->groups[space->group_of[axis]].diagram;
    uint32_t level = 0;
    while (d->axes[level] != axis) {
        level++;
    }
    const int32_t width = d->is_complete ? (int32_t)d->endings[level].count : 1;
    for (int v = 0; v < space->counts[axis]; v++) {
        for (int32_t n = 0; n < width && space->choices[axis][v] == choice; n++) {
            if (gt_diagram_child(d, space, level, n, v) != GT_NODE_DEAD) {
                return true;
            }
        }
    }
    return false;
}

typedef struct tally {
    double counts[GT_SPACE_REASONS];
    gt_certainty certainty[GT_SPACE_REASONS];
} tally;

static void count_excluded(tally *tally, int reason, double count, gt_certainty certainty)
{
    if (count > 0) {
        bool rounded = count >= exact_limit;
        gt_certainty own = rounded && certainty == GT_EXACT ? GT_ABOUT : certainty;
        tally->counts[reason] += count;
        tally->certainty[reason] = own > tally->certainty[reason] ? own : tally->certainty[reason];
    }
}

/* Counts exclusions by reason. If several groups exclude a combination, counts only the first. */
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
        certainty = is_loose(group) && certainty == GT_EXACT ? GT_ABOUT : certainty;
        for (int r = 1; r < GT_SPACE_REASONS; r++) {
            count_excluded(tally, r, group->diagram.excluded[r] * others, certainty);
        }
        others *= group->count;
        certainty = group->certainty > certainty ? group->certainty : certainty;
    }
}

size_t gt_space_exclusions(gt_space *space, const gt_exclusion_count **out)
{
    tally tally = {{0}, {GT_EXACT}};
    size_t count = 0;
    (void)gt_space_prepare(space);
    if (space->excludes_all) {
        count_excluded(&tally, space->excludes_all, (double)gt_space_combinations(space), GT_EXACT);
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
