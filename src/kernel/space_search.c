/* What the groups of a space have: searching where their diagrams leave rules out, and listing what
 * is found; walking the space in order, drawing from it, and counting. */
#include "kernel/space_parts.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_CHECKS = 1 << 18, LIST_MAX = 1 << 16, LIST_EDGES_MAX = 1 << 21 };

/* The diagram from which a group is drawn and counted. */
static const gt_diagram *diagram_of(const gt_group *group)
{
    return group->better.count ? &group->better : &group->walked;
}

static void enter_level(gt_space_search *search)
{
    gt_search_level *level = &search->levels[search->at];
    level->next = 0;
    for (int v = 0; v < search->space->counts[level->axis] && search->random; v++) {
        int other = (int)gt_random_below(search->random, (uint64_t)v + 1);
        level->order[v] = level->order[other]; /* Fisher-Yates from the front */
        level->order[other] = (uint8_t)v;
    }
}

/* Begins a search through no axis; search_add() adds the next one, a level of a diagram, and
 * `before` as in gt_search_level. */
static void search_open(gt_space_search *search, gt_space *space, gt_binding *binding)
{
    search->space = space;
    search->binding = binding;
    search->checks = UINT64_MAX;
    search->count = search->at = search->known = search->turns = 0;
}

static void search_add(gt_space_search *search, const gt_diagram *diagram, uint32_t level,
                       int before)
{
    gt_search_level *added = &search->levels[search->count++];
    added->diagram = diagram;
    added->axis = diagram->axes[level];
    added->level = level;
    added->before = before;
    added->next = 0;
}

/* Begins a search of a group, with the space's probe. */
static void search_begin(gt_space_search *search, gt_space *space, const gt_group *group,
                         gt_random *random, uint32_t checks)
{
    const gt_diagram *diagram = diagram_of(group);
    search_open(search, space, &space->probe);
    search->random = random;
    search->checks = checks;
    for (uint32_t i = 0; i < diagram->count; i++) {
        search_add(search, diagram, i, (int)i - 1);
    }
    enter_level(search);
}

/* Whether the level's axis may have this value. */
static bool try_value(gt_space_search *search, const gt_search_level *level, int position)
{
    const gt_diagram *d = level->diagram;
    gt_space *space = search->space;
    const uint32_t axis = level->axis, known = search->known | UINT32_C(1) << axis;
    search->checks--;
    search->found.choice[axis] = space->choices[axis][position];
    if (!d->relaxed) {
        return true;
    }
    gt_slots_axis(search->binding->slots, space->template, axis, search->found.choice[axis]);
    int reason = gt_space_check(space, search->binding, known, axis, &d->dropped);
    if (reason && search->excluded) {
        search->excluded[reason] += gt_diagram_endings(d, space, level->level + 1, level->child);
    }
    return !reason;
}

/* Goes to the next value of this level that may lead on; false: none is left. */
static bool advance(gt_space_search *search)
{
    gt_search_level *level = &search->levels[search->at];
    const int values = search->space->counts[level->axis];
    const uint32_t node = level->before < 0 ? 0 : search->levels[level->before].child;
    while (level->next < values && search->checks > 0) {
        int tried = level->next++, position = search->random ? level->order[tried] : tried;
        level->child =
            gt_diagram_child(level->diagram, search->space, level->level, node, position);
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

typedef enum found { FOUND, FOUND_NONE, FOUND_NOTHING_YET } found;

/* Sets search->found to the next valid combination. FOUND_NONE: there are no more;
 * FOUND_NOTHING_YET: the checks are used up, or the space is canceled. */
static found search_next(gt_space_search *search)
{
    if (search->at == search->count) { /* go on behind what was found */
        step_back(search);
    }
    for (;;) {
        if (++search->turns % 256 == 0 && gt_space_is_canceled(search->space)) {
            return FOUND_NOTHING_YET;
        }
        if (advance(search)) {
            search->known |= UINT32_C(1) << search->levels[search->at].axis;
            if (++search->at == search->count) {
                return FOUND;
            }
            enter_level(search);
        } else if (search->checks == 0) {
            return FOUND_NOTHING_YET;
        } else if (search->at == 0) {
            return FOUND_NONE;
        } else {
            step_back(search);
        }
    }
}

/* --- lists ------------------------------------------------------------------------------------ */

/* Valid combinations as the positions of a group's values, in the order of its axes. */
typedef struct list {
    GT_ARRAY(uint8_t) positions;
    uint32_t axes, count; /* of a row; rows */
} list;

static gputune_status append(list *list, const gt_space *space, const gt_diagram *walked,
                             const gt_config *config)
{
    for (uint32_t i = 0; i < walked->count; i++) {
        uint32_t axis = walked->axes[i];
        const uint8_t *at =
            memchr(space->choices[axis], config->choice[axis], (size_t)space->counts[axis]);
        GT_TRY(gt_array_push(&list->positions, (uint8_t)(at - space->choices[axis])));
    }
    list->count++;
    return GPUTUNE_OK;
}

/* *complete: the list has them all. */
static gputune_status find_all(list *list, bool *complete, gt_space *space, const gt_group *group,
                               double *excluded)
{
    gt_space_search search = {.excluded = excluded};
    found found = FOUND;
    search_begin(&search, space, group, NULL, LIST_CHECKS);
    while (list->count <= LIST_MAX && (found = search_next(&search)) == FOUND) {
        GT_TRY(append(list, space, &group->walked, &search.found));
    }
    *complete = found == FOUND_NONE;
    return GPUTUNE_OK;
}

static int compare_rows(const void *a, const void *b, void *bytes)
{
    return memcmp(a, b, *(const uint32_t *)bytes);
}

/* How many rows of a sorted list differ from the one before in their first `levels` places. */
static uint32_t prefixes(const list *list, uint32_t levels)
{
    uint32_t count = list->count > 0;
    const uint8_t *row = list->positions.items;
    for (uint32_t i = 1; i < list->count; i++, row += list->axes) {
        count += memcmp(row, row + list->axes, levels) != 0;
    }
    return count;
}

/* One level of the tree of a sorted list: a node for each prefix. */
static gputune_status add_level(gt_diagram *d, const gt_space *space, const list *list, uint32_t at)
{
    size_t values = (size_t)space->counts[d->axes[at]], edges = d->width[at] * values;
    uint32_t parent = 0, child = 0;
    d->children[at] = malloc((edges + 1) * sizeof(uint32_t));
    GT_TRY(gt_allocated(d->children[at]));
    for (size_t e = 0; e < edges; e++) {
        d->children[at][e] = GT_NODE_DEAD;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const uint8_t *row = list->positions.items + (size_t)i * list->axes;
        parent += i && memcmp(row, row - list->axes, at) != 0;
        child += i && memcmp(row, row - list->axes, at + 1) != 0;
        d->children[at][parent * values + row[at]] = child;
    }
    return GPUTUNE_OK;
}

static gputune_status make_tree(gt_diagram *out, const gt_space *space, const gt_diagram *walked,
                                list *list, double *excluded)
{
    gt_diagram d = {.count = walked->count, .excluded = excluded};
    gputune_status status = GPUTUNE_OK;
    memcpy(d.axes, walked->axes, sizeof d.axes);
    for (uint32_t i = 0; i <= d.count; i++) {
        d.width[i] = prefixes(list, i);
    }
    for (uint32_t i = 0; i < d.count && status == GPUTUNE_OK; i++) {
        status = add_level(&d, space, list, i);
    }
    GT_THEN(status, gt_diagram_count(&d, space));
    if (status < 0) {
        d.excluded = NULL; /* the caller's still */
    }
    return GT_GIVE(status, out, d, gt_diagram_free(&d));
}

static gputune_status replace(gt_space *space, gt_group *group, list *list, double **excluded)
{
    gt_diagram tree;
    uint64_t edges = 0;
    bool complete = false;
    GT_TRY(find_all(list, &complete, space, group, *excluded));
    if (!complete) {
        return GPUTUNE_OK;
    }
    if (list->positions.items) {
        qsort_r(list->positions.items, list->count, list->axes, compare_rows, &list->axes);
    }
    for (uint32_t i = 0; i < group->walked.count; i++) {
        edges += (uint64_t)prefixes(list, i) * (uint64_t)space->counts[group->walked.axes[i]];
    }
    if (edges > LIST_EDGES_MAX) {
        return GPUTUNE_OK;
    }
    GT_TRY(make_tree(&tree, space, &group->walked, list, *excluded));
    *excluded = NULL; /* taken over */
    gt_diagram_free(&group->walked);
    gt_diagram_free(&group->better);
    group->walked = tree;
    return GPUTUNE_OK;
}

/* If a search finds all valid combinations of a group and they are few, replaces the group's
 * diagrams by one that is exact, with its levels in the order of the axes. Else changes nothing.
 * ENOMEM. */
static gputune_status list_group(gt_space *space, gt_group *group)
{
    list list = {.axes = group->walked.count};
    size_t bytes = GT_SPACE_REASONS * sizeof(double);
    double *excluded = malloc(bytes);
    GT_TRY(gt_allocated(excluded));
    memcpy(excluded, diagram_of(group)->excluded, bytes);
    gputune_status status = replace(space, group, &list, &excluded);
    gt_array_free(&list.positions);
    free(excluded);
    return status;
}

/* ---- walking in order, and drawing ----------------------------------------------------------- */

enum { DRAWS = 4096, DRAW_CHECKS = 1 << 14 };

/* --- in order --------------------------------------------------------------------------------- */

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
        search_add(&walk->search, &group->walked, (uint32_t)__builtin_popcount(earlier),
                   earlier ? 31 - __builtin_clz(earlier) : -1);
    }
    found = found && (space->template->axis_count ? search_next(&walk->search) == FOUND
                                                  : first); /* without axes there is one */
    walk->finished = !found;
    if (found) {
        *out = walk->search.found;
    }
    return found;
}

/* --- at random -------------------------------------------------------------------------------- */

static int reason_against_group(gt_space *space, const gt_group *group, const gt_config *config)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        if (!(group->axes >> i & 1)) {
            continue;
        }
        known |= UINT32_C(1) << i;
        gt_slots_axis(space->probe.slots, space->template, i, config->choice[i]);
        int reason = gt_space_check(space, &space->probe, known, i, NULL);
        if (reason) {
            return reason;
        }
    }
    return 0;
}

/* A uniform place among `count` endings: exact as long as doubles hold every integer. */
static double place_among(double count, gt_random *random)
{
    return count < 0x1p53 ? (double)gt_random_below(random, (uint64_t)count)
                          : gt_random_unit(random) * count;
}

/* Draws a combination of the group's axes from its diagram into *out, and returns the reason that
 * excludes the combination, or 0. All combinations that have no reason are equally likely. The
 * diagram must not be empty. */
static int draw_from(gt_space *space, const gt_group *group, gt_random *random, gt_config *out)
{
    const gt_diagram *d = diagram_of(group);
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
    return d->relaxed ? reason_against_group(space, group, out) : 0;
}

static bool draw_group(gt_space *space, const gt_group *group, gt_random *random, gt_config *out)
{
    if (gt_diagram_endings(diagram_of(group), space, 0, 0) <= 0) {
        return false;
    }
    for (int i = 0; i < DRAWS && !(i % 256 == 255 && gt_space_is_canceled(space)); i++) {
        if (!draw_from(space, group, random, out)) {
            return true;
        }
    }
    gt_space_search search = {.found = *out};
    search_begin(&search, space, group, random, DRAW_CHECKS);
    if (search_next(&search) != FOUND) {
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

/* ---- groups ---------------------------------------------------------------------------------- */

enum { HITS = 400, SAMPLES_MAX = 1 << 15 };

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

/* Builds a diagram of the axes in another order, and keeps it if it tells more than the present
 * one. */
static gputune_status reorder(gt_space *space, gt_group *group, const uint32_t *axes)
{
    gt_diagram fresh = {0};
    const gt_diagram *best = diagram_of(group);
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
    for (int i = 0; i < 2 && diagram_of(group)->relaxed; i++) {
        (void)order_axes(axes, space, group->axes, i == 0);
        GT_TRY(reorder(space, group, axes));
    }
    for (uint32_t i = 0; i < count; i++) {
        axes[i] = group->walked.axes[count - 1 - i];
    }
    if (diagram_of(group)->relaxed) {
        GT_TRY(reorder(space, group, axes));
    }
    return list_group(space, group);
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
    const gt_diagram *diagram = diagram_of(group);
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
    const gt_diagram *d = diagram_of(&space->groups[space->group_of[axis]]);
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
    const gt_diagram *d = diagram_of(group);
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
