/* Searching where diagrams leave rules out, and listing what is found. */
#include "kernel/space_parts.h"

#include "base/array.h"

#include <string.h>

enum { LIST_CHECKS = 1 << 18, LIST_MAX = 1 << 16, LIST_EDGES_MAX = 1 << 21 };

static void enter_level(gt_space_search *search, uint32_t node)
{
    gt_search_level *level = &search->levels[search->at];
    int values = search->space->counts[search->diagram->axes[search->at]];
    level->node = node;
    level->next = 0;
    for (int v = 0; v < values; v++) { /* Fisher-Yates from the front */
        int other = search->random ? (int)gt_random_below(search->random, (uint64_t)v + 1) : v;
        level->order[v] = level->order[other];
        level->order[other] = (uint8_t)v;
    }
}

void gt_space_search_begin(gt_space_search *search, gt_space *space, const gt_group *group,
                           gt_random *random, uint32_t checks)
{
    search->space = space;
    search->diagram = gt_group_diagram(group);
    search->random = random;
    search->checks = checks;
    search->at = search->known = search->turns = 0;
    enter_level(search, 0);
}

/* Whether the level's axis may have this value. */
static bool try_value(gt_space_search *search, int position, uint32_t child)
{
    const gt_diagram *d = search->diagram;
    gt_space *space = search->space;
    uint32_t axis = d->axes[search->at], known = search->known | UINT32_C(1) << axis;
    search->checks--;
    search->found.choice[axis] = space->choices[axis][position];
    if (!d->relaxed) {
        return true;
    }
    gt_slots_axis(space->probe.slots, space->template, axis, search->found.choice[axis]);
    int reason = gt_space_check(space, &space->probe, known, axis, &d->dropped);
    if (reason && search->excluded) {
        search->excluded[reason] += gt_diagram_endings(d, space, search->at + 1, child);
    }
    return !reason;
}

/* The node behind the next value of this level that may lead on; DEAD: none is left. */
static uint32_t advance(gt_space_search *search)
{
    gt_search_level *level = &search->levels[search->at];
    int values = search->space->counts[search->diagram->axes[search->at]];
    while (level->next < values && search->checks > 0) {
        int position = level->order[level->next++];
        uint32_t child =
            gt_diagram_child(search->diagram, search->space, search->at, level->node, position);
        if (child != GT_NODE_DEAD && try_value(search, position, child)) {
            return child;
        }
    }
    return GT_NODE_DEAD;
}

gt_found gt_space_search_next(gt_space_search *search)
{
    const gt_diagram *d = search->diagram;
    if (search->at == d->count) { /* go on behind what was found */
        search->known &= ~(UINT32_C(1) << d->axes[--search->at]);
    }
    for (;;) {
        if (++search->turns % 256 == 0 && gt_space_is_canceled(search->space)) {
            return GT_FOUND_NOTHING_YET;
        }
        uint32_t child = advance(search);
        if (child != GT_NODE_DEAD) {
            search->known |= UINT32_C(1) << d->axes[search->at];
            if (++search->at == d->count) {
                return GT_FOUND;
            }
            enter_level(search, child);
        } else if (search->checks == 0) {
            return GT_FOUND_NOTHING_YET;
        } else if (search->at == 0) {
            return GT_FOUND_NONE;
        } else {
            search->known &= ~(UINT32_C(1) << d->axes[--search->at]);
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
    gt_found found = GT_FOUND;
    gt_space_search_begin(&search, space, group, NULL, LIST_CHECKS);
    while (list->count <= LIST_MAX && (found = gt_space_search_next(&search)) == GT_FOUND) {
        GT_TRY(append(list, space, &group->walked, &search.found));
    }
    *complete = found == GT_FOUND_NONE;
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
    d->endings[at] = calloc((size_t)d->width[at] + 1, sizeof(double));
    if (!d->children[at] || !d->endings[at]) {
        return gt_fail_memory();
    }
    for (size_t e = 0; e < edges; e++) {
        d->children[at][e] = GT_NODE_DEAD;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const uint8_t *row = list->positions.items + (size_t)i * list->axes;
        parent += i && memcmp(row, row - list->axes, at) != 0;
        child += i && memcmp(row, row - list->axes, at + 1) != 0;
        d->children[at][parent * values + row[at]] = child;
        d->endings[at][parent] += 1;
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
    d.endings[d.count] = malloc(((size_t)list->count + 1) * sizeof(double));
    for (uint32_t i = 0; d.endings[d.count] && i < list->count; i++) {
        d.endings[d.count][i] = 1;
    }
    if (status < 0 || !d.endings[d.count]) {
        d.excluded = NULL; /* the caller's still */
        gt_diagram_free(&d);
        return status < 0 ? status : gt_fail_memory();
    }
    *out = d;
    return GPUTUNE_OK;
}

static bool is_small(const list *list, const gt_space *space, const gt_diagram *walked)
{
    uint64_t edges = 0;
    for (uint32_t i = 0; i < walked->count; i++) {
        edges += (uint64_t)prefixes(list, i) * (uint64_t)space->counts[walked->axes[i]];
    }
    return edges <= LIST_EDGES_MAX;
}

static gputune_status replace(gt_space *space, gt_group *group, list *list, double **excluded)
{
    gt_diagram tree;
    bool complete = false;
    GT_TRY(find_all(list, &complete, space, group, *excluded));
    if (!complete) {
        return GPUTUNE_OK;
    }
    if (list->positions.items) {
        qsort_r(list->positions.items, list->count, list->axes, compare_rows, &list->axes);
    }
    if (!is_small(list, space, &group->walked)) {
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
