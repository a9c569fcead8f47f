/* Searching where diagrams leave rules out, and listing what is found; walking a space in order,
 * and drawing from it. */
#include "kernel/space_parts.h"

#include "base/array.h"

#include <string.h>

enum { LIST_CHECKS = 1 << 18, LIST_MAX = 1 << 16, LIST_EDGES_MAX = 1 << 21 };

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
    const gt_diagram *diagram = gt_group_diagram(group);
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

gputune_status gt_group_list(gt_space *space, gt_group *group)
{
    list list = {.axes = group->walked.count};
    size_t bytes = GT_SPACE_REASONS * sizeof(double);
    double *excluded = malloc(bytes);
    GT_TRY(gt_allocated(excluded));
    memcpy(excluded, gt_group_diagram(group)->excluded, bytes);
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

int gt_group_draw(gt_space *space, const gt_group *group, gt_random *random, gt_config *out)
{
    const gt_diagram *d = gt_group_diagram(group);
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
    if (gt_diagram_endings(gt_group_diagram(group), space, 0, 0) <= 0) {
        return false;
    }
    for (int i = 0; i < DRAWS && !(i % 256 == 255 && gt_space_is_canceled(space)); i++) {
        if (!gt_group_draw(space, group, random, out)) {
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

bool gt_space_has(gt_space *space, const gt_config *config)
{
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        if (!memchr(space->choices[i], config->choice[i], (size_t)space->counts[i])) {
            return false;
        }
    }
    return !gt_space_reason(space, config);
}
