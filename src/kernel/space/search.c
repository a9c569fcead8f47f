/* Iterates over the configurations of a space, draws from them, and counts them. */
#include "kernel/space/internal.h"

#include <stdlib.h>
#include <string.h>

static bool is_loose(const gt_group *group)
{
    return group->diagram.count > 1 && !group->diagram.children[0];
}

static void enter_level(gt_space_search *search)
{
    gt_search_level *level = &search->levels[search->at];
    level->next = 0;
    for (int v = 0; v < search->space->counts[level->axis] && search->random; v++) {
        int other = (int)gt_random_below(search->random, (uint64_t)v + 1);
        level->order[v] = level->order[other]; /* a Fisher-Yates shuffle */
        level->order[other] = (uint8_t)v;
    }
}

static void search_open(gt_space_search *search, gt_space *space, gt_binding *binding)
{
    search->space = space;
    search->binding = binding;
    search->checks = UINT64_MAX;
    search->count = search->at = search->known = search->turns = 0;
}

static void search_add(gt_space_search *search, const gt_group *group, uint32_t level, int before)
{
    search->levels[search->count++] = (gt_search_level){
        .group = group, .axis = group->diagram.axes[level], .level = level, .before = before};
}

static void search_begin(gt_space_search *search, gt_space *space, const gt_group *group,
                         gt_random *random, uint32_t checks)
{
    search_open(search, space, &space->probe);
    search->random = random;
    search->checks = checks;
    for (uint32_t i = 0; i < group->diagram.count; i++) {
        search_add(search, group, i, (int)i - 1);
    }
    enter_level(search);
}

static bool try_value(gt_space_search *search, const gt_search_level *level, int position)
{
    gt_space *space = search->space;
    const uint32_t axis = level->axis, known = search->known | UINT32_C(1) << axis;
    search->checks--;
    search->found.choice[axis] = space->choices[axis][position];
    if (!is_loose(level->group)) {
        return true;
    }
    gt_slots_axis(search->binding->slots, space->template, axis, search->found.choice[axis]);
    return !gt_space_check(space, search->binding, known, axis);
}

static bool advance_search(gt_space_search *search)
{
    gt_search_level *level = &search->levels[search->at];
    const int values = search->space->counts[level->axis];
    const uint32_t node = level->before < 0 ? 0 : search->levels[level->before].child;
    while (level->next < values && search->checks > 0) {
        int tried = level->next++, position = search->random ? level->order[tried] : tried;
        level->child =
            gt_diagram_child(&level->group->diagram, search->space, level->level, node, position);
        if (level->child != GT_NODE_DEAD && try_value(search, level, position)) {
            return true;
        }
    }
    return false;
}

static void step_back(gt_space_search *search)
{
    search->known &= ~(UINT32_C(1) << search->levels[--search->at].axis);
}

/* Finds the next valid combination and sets search->found. Returns false after the last one, after
 * a cancel, or when no checks are left. */
static bool search_next(gt_space_search *search)
{
    if (search->at == search->count) { /* continue after the last combination found */
        step_back(search);
    }
    for (;;) {
        if (++search->turns % 256 == 0 && gt_space_is_canceled(search->space)) {
            return false;
        }
        if (advance_search(search)) {
            search->known |= UINT32_C(1) << search->levels[search->at].axis;
            if (++search->at == search->count) {
                return true;
            }
            enter_level(search);
        } else if (search->checks == 0 || search->at == 0) {
            return false;
        } else {
            step_back(search);
        }
    }
}

enum { DRAWS = 4096, DRAW_CHECKS = 1 << 14 };

void gt_space_rewind(gt_space *space)
{
    space->walk.started = space->walk.finished = false;
}

bool gt_space_next(gt_space *space, gt_config *out)
{
    gt_walk *walk = &space->walk;
    const bool first = !walk->started;
    bool found = !walk->finished && (!first || gt_space_count(space).count > 0);
    if (found && first) {
        walk->started = true;
        walk->binding = space->base;
        search_open(&walk->search, space, &walk->binding);
    }
    for (uint32_t i = 0; i < space->template->axis_count && found && first; i++) {
        const gt_group *group = &space->groups[space->group_of[i]];
        const uint32_t earlier = group->axes & ((UINT32_C(1) << i) - 1);
        search_add(&walk->search, group, (uint32_t)__builtin_popcount(earlier),
                   earlier ? 31 - __builtin_clz(earlier) : -1);
    }
    found = found &&
            (space->template->axis_count ? search_next(&walk->search)
                                         : first); /* a space without axes has one configuration */
    walk->finished = !found;
    if (found) {
        *out = walk->search.found;
    }
    return found;
}

static int reason_against_group(gt_space *space, const gt_group *group, const gt_config *config)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        if (!(group->axes >> i & 1)) {
            continue;
        }
        known |= UINT32_C(1) << i;
        gt_slots_axis(space->probe.slots, space->template, i, config->choice[i]);
        int reason = gt_space_check(space, &space->probe, known, i);
        if (reason) {
            return reason;
        }
    }
    return 0;
}

/* Draws an integer below `count`. The draw is exactly uniform if `count` is below 2^53. */
static double place_among(double count, gt_random *random)
{
    return count < 0x1p53 ? (double)gt_random_below(random, (uint64_t)count)
                          : gt_random_unit(random) * count;
}

/* Draws a combination from a group. Returns 0 or, for a loose group, the reason that excludes the
 * combination. */
static int draw_from(gt_space *space, const gt_group *group, gt_random *random, gt_config *out)
{
    const gt_diagram *d = &group->diagram;
    double place = place_among(gt_diagram_endings(d, space, 0, 0), random);
    uint32_t node = 0;
    for (uint32_t level = 0; level < d->count; level++) {
        uint32_t axis = d->axes[level], next = GT_NODE_DEAD;
        for (int v = 0; v < space->counts[axis]; v++) {
            uint32_t child = gt_diagram_child(d, space, level, node, v);
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
    return is_loose(group) ? reason_against_group(space, group, out) : 0;
}

static bool draw_group(gt_space *space, const gt_group *group, gt_random *random, gt_config *out)
{
    if (gt_diagram_endings(&group->diagram, space, 0, 0) <= 0) {
        return false;
    }
    for (int i = 0; i < DRAWS && !(i % 256 == 255 && gt_space_is_canceled(space)); i++) {
        if (!draw_from(space, group, random, out)) {
            return true;
        }
    }
    gt_space_search search = {.found = *out};
    search_begin(&search, space, group, random, DRAW_CHECKS);
    if (!search_next(&search)) {
        return false;
    }
    *out = search.found;
    return true;
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

enum { HITS = 400, SAMPLES_MAX = 1 << 15 };

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

static void estimate_group(gt_space *space, gt_group *group)
{
    gt_random random = {1};
    gt_config config;
    int hits = 0, drawn = 0, misses[GT_SPACE_REASONS] = {0};
    for (; drawn < SAMPLES_MAX && hits < HITS; drawn++) {
        if (drawn % 256 == 0 && gt_space_is_canceled(space)) {
            break;
        }
        int reason = draw_from(space, group, &random, &config);
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

static gputune_status prepare_group(gt_space *space, gt_group *group)
{
    gt_diagram *diagram = &group->diagram;
    gputune_status status = GPUTUNE_OK;
    diagram->count = list_axes(diagram->axes, group->axes);
    if (diagram->count > 1) {
        uint32_t axes[GT_AXIS_MAX];
        status = gt_diagram_build(diagram, space, axes, list_axes(axes, group->axes));
    }
    group->count = gt_diagram_endings(diagram, space, 0, 0);
    group->certainty = GT_EXACT;
    if (is_loose(group) && group->count > 0) {
        estimate_group(space, group);
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

static const double exact_limit = 0x1p53; /* above this, doubles do not represent every integer */

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

/* Multiplies a size by the number of different sources in a group, according to a diagram that
 * begins with the axes that change the source. */
static void multiply_sources(gt_space_size *size, gt_space *space, gt_group *group,
                             uint32_t in_source)
{
    uint32_t axes[2 * GT_AXIS_MAX]; /* large enough for both lists */
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
    if (diagram.children[0]) {
        count = gt_diagram_beginnings(&diagram, space, own);
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

/* Counts the combinations that single values exclude, for a group without a diagram. */
static void exclude_values(tally *tally, const gt_space *space, const gt_group *group,
                           double others, gt_certainty certainty)
{
    const gt_diagram *d = &group->diagram;
    double combined = others * combinations(space, group->axes);
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t axis = d->axes[i];
        int allowed = 0;
        combined /= space->counts[axis];
        for (int v = 0; v < space->counts[axis]; v++) {
            count_excluded(tally, space->blocked[axis][v], space->blocked[axis][v] ? combined : 0,
                           certainty);
            allowed += !space->blocked[axis][v];
        }
        combined *= allowed;
    }
}

static void exclude_in_group(tally *tally, const gt_space *space, const gt_group *group,
                             double others, gt_certainty certainty)
{
    const gt_diagram *d = &group->diagram;
    const double drawn = gt_diagram_endings(d, space, 0, 0);
    if (!d->excluded) {
        exclude_values(tally, space, group, others, certainty);
    }
    for (int r = 1; r < GT_SPACE_REASONS; r++) {
        count_excluded(tally, r, (d->excluded ? d->excluded[r] : 0) * others, certainty);
        count_excluded(tally, r, drawn * group->missed[r] * others, GT_ABOUT);
    }
}

/* Counts exclusions by reason. Combinations that earlier groups exclude are not counted again. */
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
