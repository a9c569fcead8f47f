/* Builds the decision diagram of a group of axes, level by level. */
#include "kernel/space/internal.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* maximum number of checks per diagram; a check tests one value at one node */
    CHECKS_MAX = 1 << 20,
    LEVEL_CHECKS_MAX = 1 << 17 /* maximum number of checks per level */
};

/* The nodes of a level. Each node has a row of keys, one for each open filter. A filter is open if
 * only some of its axes have values. */
typedef struct level {
    uint32_t width;
    uint8_t *prefixes; /* value positions on one path to each node */
    double *paths;     /* number of paths to each node */
    uint64_t *keys;
    int open[GT_FILTERS_MAX], open_count;
} level;

typedef struct builder {
    gt_diagram *diagram;
    const gt_space *space;
    gt_binding binding;
    uint32_t at;
    uint32_t all, known; /* all axes; axes of this level and of the levels before it */
    level now, next;
    uint32_t capacity;
    uint32_t *table; /* hash table: maps keys to nodes of `next`, as node + 1 */
    uint32_t table_mask;
} builder;

static void free_level(level *level)
{
    free(level->prefixes);
    free(level->paths);
    free(level->keys);
    *level = (struct level){0};
}

static uint32_t axis_of(const builder *b)
{
    return b->diagram->axes[b->at];
}

static uint32_t values_of(const builder *b)
{
    return (uint32_t)b->space->counts[axis_of(b)];
}

static gputune_status open_level(level *level, const builder *b, uint32_t capacity)
{
    level->open_count = 0;
    for (int r = 0; r < b->space->filter_count; r++) {
        uint32_t axes = b->space->filters[r].axes;
        if (!(axes & ~b->all) && axes & b->known && axes & ~b->known) {
            level->open[level->open_count++] = r;
        }
    }
    level->width = 0;
    level->prefixes = calloc(capacity, b->at + 1);
    level->paths = calloc(capacity, sizeof *level->paths);
    level->keys = calloc((size_t)capacity * (size_t)level->open_count + 1, sizeof *level->keys);
    return level->prefixes && level->paths && level->keys ? GPUTUNE_OK : gt_fail_memory();
}

/* Sets the binding to the values on a path to the node, and runs the stages for their axes. */
static void load_node(builder *b, uint32_t node)
{
    const gt_diagram *d = b->diagram;
    const uint8_t *prefix = b->now.prefixes + (size_t)node * b->at;
    uint32_t known = 0;
    b->binding = b->space->base;
    for (uint32_t i = 0; i < b->at; i++) {
        gt_slots_axis(b->binding.slots, b->space->template, d->axes[i],
                      b->space->choices[d->axes[i]][prefix[i]]);
        known |= UINT32_C(1) << d->axes[i];
    }
    for (int r = 0; r < b->space->filter_count; r++) {
        const gt_filter *filter = &b->space->filters[r];
        if (filter->bind && filter->axes && !(filter->axes & ~known)) {
            (void)filter->bind(&b->binding);
        }
    }
}

/* Appends the keys of a possible new node of `next`. Returns a reason if no continuation is valid.
 * from[i] is the column in `now` of open filter i. */
static int reason_left(builder *b, uint32_t node, const int *from)
{
    level *next = &b->next;
    uint64_t *keys = next->keys + (size_t)next->width * (size_t)next->open_count;
    const uint64_t *old = b->now.keys + (size_t)node * (size_t)b->now.open_count;
    for (int i = 0; i < next->open_count; i++) {
        const gt_filter *filter = &b->space->filters[next->open[i]];
        if (!(filter->axes >> axis_of(b) & 1)) {
            keys[i] = old[from[i]];
            continue;
        }
        int reason = gt_filter_ahead(b->space, &b->binding, filter, b->known, &keys[i]);
        if (reason) {
            return reason;
        }
    }
    return 0;
}

static uint32_t find_slot(const builder *b, const uint64_t *keys)
{
    size_t bytes = (size_t)b->next.open_count * sizeof *keys;
    uint32_t slot = (uint32_t)gt_hash64(keys, bytes) & b->table_mask;
    while (b->table[slot] &&
           memcmp(b->next.keys + (size_t)(b->table[slot] - 1) * (size_t)b->next.open_count, keys,
                  bytes) != 0) {
        slot = (slot + 1) & b->table_mask;
    }
    return slot;
}

/* Returns the node of `next` with the keys just appended, or makes a new node. */
static uint32_t intern_node(builder *b, uint32_t node, uint32_t position)
{
    level *next = &b->next;
    uint32_t slot = find_slot(b, next->keys + (size_t)next->width * (size_t)next->open_count);
    if (!b->table[slot]) {
        uint8_t *prefix = next->prefixes + (size_t)next->width * (b->at + 1);
        memcpy(prefix, b->now.prefixes + (size_t)node * b->at, b->at);
        prefix[b->at] = (uint8_t)position;
        next->paths[next->width] = 0;
        b->table[slot] = ++next->width;
    }
    uint32_t child = b->table[slot] - 1;
    next->paths[child] += b->now.paths[node];
    return child;
}

static void take_node(builder *b, uint32_t node, const int *from, double below)
{
    uint32_t axis = axis_of(b), values = values_of(b);
    load_node(b, node);
    for (uint32_t v = 0; v < values; v++) {
        uint32_t *child = &b->diagram->children[b->at][(size_t)node * values + v];
        int reason = b->space->blocked[axis][v];
        if (!reason) {
            gt_slots_axis(b->binding.slots, b->space->template, axis, b->space->choices[axis][v]);
            reason = gt_space_check(b->space, &b->binding, b->known, axis);
        }
        reason = reason ? reason : reason_left(b, node, from);
        *child = reason ? GT_NODE_DEAD : intern_node(b, node, v);
        if (reason) {
            b->diagram->excluded[reason] += b->now.paths[node] * below;
        }
    }
}

static gputune_status open_table(builder *b)
{
    uint32_t slots = 64;
    while (slots < 2 * b->capacity) {
        slots *= 2;
    }
    free(b->table);
    b->table = calloc(slots, sizeof *b->table);
    b->table_mask = slots - 1;
    return gt_allocated(b->table);
}

static gputune_status take_level(builder *b)
{
    int from[GT_FILTERS_MAX] = {0};
    double below = 1; /* number of combinations of the later axes */
    size_t checks = (size_t)b->now.width * values_of(b);
    b->capacity = (uint32_t)checks + 1; /* one additional row for the keys of the next node */
    b->diagram->children[b->at] = calloc(checks + 1, sizeof(uint32_t));
    GT_TRY(gt_allocated(b->diagram->children[b->at]));
    b->known |= UINT32_C(1) << axis_of(b);
    GT_TRY(open_level(&b->next, b, b->capacity));
    GT_TRY(open_table(b));
    for (int i = 0; i < b->next.open_count; i++) {
        from[i] = -1;
        for (int k = 0; k < b->now.open_count; k++) {
            from[i] = b->now.open[k] == b->next.open[i] ? k : from[i];
        }
    }
    for (uint32_t i = b->at + 1; i < b->diagram->count; i++) {
        below *= b->space->counts[b->diagram->axes[i]];
    }
    for (uint32_t node = 0; node < b->now.width; node++) {
        GT_REFUSE(node % 256 == 0 && gt_space_is_canceled(b->space), GPUTUNE_ECANCELED,
                  "canceled while the configurations were counted");
        take_node(b, node, from, below);
    }
    return GPUTUNE_OK;
}

static uint64_t checks_allowed(const builder *b)
{
    uint64_t most = CHECKS_MAX / b->diagram->count;
    most = most < LEVEL_CHECKS_MAX ? most : LEVEL_CHECKS_MAX;
    return most * 8 / (8 + (uint64_t)b->next.open_count);
}

static bool is_too_wide(const builder *b)
{
    return b->at + 1 < b->diagram->count && b->next.open_count > 0 &&
           (uint64_t)b->next.width * (uint32_t)b->space->counts[b->diagram->axes[b->at + 1]] >
               checks_allowed(b);
}

static gputune_status take_levels(builder *b, bool *complete)
{
    b->diagram->excluded = calloc(GT_SPACE_REASONS, sizeof *b->diagram->excluded);
    GT_TRY(open_level(&b->now, b, 1));
    GT_TRY(gt_allocated(b->diagram->excluded));
    b->now.width = 1;
    b->now.paths[0] = 1;
    b->diagram->width[0] = 1;
    for (b->at = 0; b->at < b->diagram->count; b->at++) {
        GT_TRY(take_level(b));
        if (is_too_wide(b)) {
            return GPUTUNE_OK;
        }
        b->diagram->width[b->at + 1] = b->next.width;
        free_level(&b->now);
        b->now = b->next;
        b->next = (level){0};
    }
    *complete = true;
    return GPUTUNE_OK;
}

/* Counts the valid continuations of each node, from the last level to the first. Marks children
 * without continuations as GT_NODE_DEAD. */
static gputune_status count_endings(gt_diagram *d, const gt_space *space)
{
    for (uint32_t i = 0; i <= d->count; i++) {
        d->endings[i] = calloc((size_t)d->width[i] + 1, sizeof **d->endings);
        GT_TRY(gt_allocated(d->endings[i]));
    }
    for (uint32_t n = 0; n < d->width[d->count]; n++) {
        d->endings[d->count][n] = 1;
    }
    for (uint32_t i = d->count; i-- > 0;) {
        size_t values = (size_t)space->counts[d->axes[i]];
        for (size_t e = 0; e < d->width[i] * values; e++) {
            uint32_t *child = &d->children[i][e];
            double count = *child == GT_NODE_DEAD ? 0 : d->endings[i + 1][*child];
            d->endings[i][e / values] += count;
            *child = count > 0 ? *child : GT_NODE_DEAD;
        }
    }
    return GPUTUNE_OK;
}

void gt_diagram_clear(gt_diagram *diagram)
{
    gt_diagram empty = {.count = diagram->count};
    for (int i = 0; i < GT_AXIS_MAX; i++) {
        free(diagram->children[i]);
    }
    for (int i = 0; i <= GT_AXIS_MAX; i++) {
        free(diagram->endings[i]);
    }
    free(diagram->excluded);
    memcpy(empty.axes, diagram->axes, sizeof empty.axes);
    *diagram = empty;
}

gputune_status gt_diagram_build(gt_diagram *out, const gt_space *space, const uint32_t *axes,
                                uint32_t count)
{
    builder b = {.diagram = out, .space = space};
    *out = (gt_diagram){.count = count};
    for (uint32_t i = 0; i < count; i++) {
        out->axes[i] = axes[i];
        b.all |= UINT32_C(1) << axes[i];
    }
    bool complete = false;
    gputune_status status = take_levels(&b, &complete);
    if (status == GPUTUNE_OK && complete) {
        status = count_endings(out, space);
    }
    if (status < 0 || !complete) {
        gt_diagram_clear(out);
    }
    free_level(&b.now);
    free_level(&b.next);
    free(b.table);
    return status;
}

uint32_t gt_diagram_child(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node, int position)
{
    uint32_t axis = diagram->axes[level];
    if (!diagram->children[level]) {
        return space->blocked[axis][position] ? GT_NODE_DEAD : 0;
    }
    return diagram->children[level][(size_t)node * (size_t)space->counts[axis] + (size_t)position];
}

static double free_values(const gt_space *space, uint32_t axis)
{
    double count = 0;
    for (int v = 0; v < space->counts[axis]; v++) {
        count += !space->blocked[axis][v];
    }
    return count;
}

double gt_diagram_endings(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          uint32_t node)
{
    double endings = 1;
    if (diagram->endings[level]) {
        return diagram->endings[level][node];
    }
    for (uint32_t i = level; i < diagram->count; i++) {
        endings *= free_values(space, diagram->axes[i]);
    }
    return endings;
}

static double count_beginnings(const gt_diagram *d, const gt_space *space, uint32_t levels,
                               double *some)
{
    for (uint32_t n = 0; n < d->width[levels]; n++) {
        some[n] = d->endings[levels][n] > 0;
    }
    for (uint32_t i = levels; i-- > 0;) {
        double *above = some + d->width[i + 1];
        size_t values = (size_t)space->counts[d->axes[i]];
        for (uint32_t n = 0; n < d->width[i]; n++) {
            above[n] = 0;
            for (size_t v = 0; v < values; v++) {
                uint32_t child = d->children[i][n * values + v];
                above[n] += child == GT_NODE_DEAD ? 0 : some[child];
            }
        }
        memmove(some, above, d->width[i] * sizeof *some);
    }
    return some[0];
}

double gt_diagram_beginnings(const gt_diagram *diagram, const gt_space *space, uint32_t levels)
{
    size_t widest = 1;
    for (uint32_t i = 0; i <= levels; i++) {
        widest = diagram->width[i] > widest ? diagram->width[i] : widest;
    }
    GT_FREED double *some = calloc(2 * widest, sizeof *some);
    return some ? count_beginnings(diagram, space, levels, some) : -1;
}
