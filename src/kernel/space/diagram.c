/* Builds the decision diagram of a group of axes with a depth-first search. */
#include "kernel/space/internal.h"

#include "base/hash_index.h"

#include <stdlib.h>
#include <string.h>

/* The maximum number of checks per diagram. A check tests one value of an axis at one node. */
enum { CHECKS_MAX = 1 << 18 };

typedef struct builder {
    gt_diagram *diagram;
    const gt_space *space;
    gt_binding binding;
    uint32_t checks;
    gt_hash_index nodes[GT_AXIS_MAX + 1]; /* for each level, maps the hash of the keys to a node */
    /* keys of all filters, for each level of the current path */
    uint64_t keys[GT_AXIS_MAX + 1][GT_FILTERS_MAX];
} builder;

static uint32_t values_at(const gt_diagram *diagram, const gt_space *space, uint32_t level)
{
    return (uint32_t)space->counts[diagram->axes[level]];
}

/* Sets the axis of a level to the value at `position`, and computes the keys of the next level.
 * Returns the reason if no valid combination has this value, otherwise 0. */
static int take_value(builder *b, uint32_t level, uint32_t known, uint32_t position)
{
    const gt_space *space = b->space;
    const uint32_t axis = b->diagram->axes[level];
    uint64_t *keys = b->keys[level + 1];
    gt_slots_axis(b->binding.slots, space->template, axis, space->choices[axis][position]);
    int reason = space->blocked[axis][position];
    reason = reason ? reason : gt_space_check(space, &b->binding, known, axis);
    memcpy(keys, b->keys[level], (size_t)space->filter_count * sizeof *keys);
    for (int k = 0; k < space->touching_count[axis] && !reason; k++) {
        const uint8_t index = space->touching[axis][k];
        const gt_filter *filter = &space->filters[index];
        keys[index] = 0;
        if (filter->axes & ~known) {
            reason = gt_filter_ahead(space, &b->binding, filter, known, &keys[index]);
        }
    }
    return reason;
}

/* Sets *out to the node of a level that has the current keys. If this node does not exist yet,
 * creates it and all nodes below it. */
static gputune_status visit_node(builder *b, int32_t *out, uint32_t level, uint32_t known)
{
    gt_diagram *d = b->diagram;
    const uint32_t count = (uint32_t)d->endings[level].count;
    const size_t bytes = (size_t)b->space->filter_count * sizeof **b->keys;
    uint32_t node;
    GT_TRY(
        gt_hash_index_intern(&b->nodes[level], gt_hash_bytes(b->keys[level], bytes), count, &node));
    *out = (int32_t)node;
    if (node < count) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_array_push(&d->endings[level], level == d->count));
    const uint32_t values = level < d->count ? values_at(d, b->space, level) : 0;
    for (uint32_t v = 0; v < values; v++) {
        GT_TRY(gt_array_push(&d->children[level], 0));
    }
    GT_REFUSE(node % 256 == 0 && gt_space_is_canceled(b->space), GPUTUNE_ECANCELED,
              "canceled while the configurations were counted");
    for (uint32_t v = 0; v < values && b->checks <= CHECKS_MAX; v++) {
        const uint32_t both = known | UINT32_C(1) << d->axes[level];
        const int reason = take_value(b, level, both, v);
        int32_t child = -reason;
        b->checks++;
        if (!reason) {
            GT_TRY(visit_node(b, &child, level + 1, both));
            d->endings[level].items[node] += d->endings[level + 1].items[child];
        }
        d->children[level].items[(size_t)node * values + v] = child;
    }
    return GPUTUNE_OK;
}

/* Counts the paths to each node, and the combinations that are excluded for each reason. */
static gputune_status count_paths(gt_diagram *d, const gt_space *space)
{
    double below = 1; /* number of combinations of the axes below this level */
    for (uint32_t i = 0; i <= d->count; i++) {
        below *= i < d->count ? values_at(d, space, i) : 1;
        d->paths[i] = calloc(d->endings[i].count, sizeof **d->paths);
        GT_TRY(gt_allocated(d->paths[i]));
    }
    d->paths[0][0] = 1;
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t values = values_at(d, space, i);
        below /= values;
        for (size_t edge = 0; edge < d->children[i].count; edge++) {
            const int32_t child = d->children[i].items[edge];
            const double paths = d->paths[i][edge / values];
            *(child < 0 ? &d->excluded[-child] : &d->paths[i + 1][child]) +=
                child < 0 ? paths * below : paths;
        }
    }
    return GPUTUNE_OK;
}

void gt_diagram_clear(gt_diagram *diagram)
{
    for (int i = 0; i <= GT_AXIS_MAX; i++) {
        gt_array_free(&diagram->endings[i]);
        free(diagram->paths[i]);
    }
    for (int i = 0; i < GT_AXIS_MAX; i++) {
        gt_array_free(&diagram->children[i]);
    }
    diagram->is_complete = false;
    memset(diagram->paths, 0, sizeof diagram->paths);
    memset(diagram->excluded, 0, sizeof diagram->excluded);
}

gputune_status gt_diagram_build(gt_diagram *out, const gt_space *space, const uint32_t *axes,
                                uint32_t count)
{
    GT_FREED builder *b = calloc(1, sizeof *b);
    int32_t root;
    *out = (gt_diagram){.count = count};
    memcpy(out->axes, axes, count * sizeof *axes);
    GT_TRY(gt_allocated(b));
    b->diagram = out;
    b->space = space;
    b->binding = space->base;
    gputune_status status = visit_node(b, &root, 0, 0);
    out->is_complete = status == GPUTUNE_OK && b->checks <= CHECKS_MAX;
    if (out->is_complete) {
        status = count_paths(out, space);
    }
    if (status < 0 || !out->is_complete) {
        gt_diagram_clear(out);
    }
    for (uint32_t i = 0; i <= count; i++) {
        gt_hash_index_free(&b->nodes[i]);
    }
    return status;
}

int32_t gt_diagram_child(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                         int32_t node, int position)
{
    const uint32_t axis = diagram->axes[level];
    if (!diagram->is_complete) {
        return space->blocked[axis][position] ? GT_NODE_DEAD : 0;
    }
    const size_t edge = (size_t)node * values_at(diagram, space, level) + (size_t)position;
    const int32_t child = diagram->children[level].items[edge];
    return child >= 0 && diagram->endings[level + 1].items[child] > 0 ? child : GT_NODE_DEAD;
}

double gt_diagram_endings(const gt_diagram *diagram, const gt_space *space, uint32_t level,
                          int32_t node)
{
    double endings = 1;
    if (diagram->is_complete) {
        return diagram->endings[level].items[node];
    }
    for (uint32_t i = level; i < diagram->count; i++) {
        uint32_t allowed = 0;
        for (uint32_t v = 0; v < values_at(diagram, space, i); v++) {
            allowed += !space->blocked[diagram->axes[i]][v];
        }
        endings *= allowed;
    }
    return endings;
}

double gt_diagram_beginnings(const gt_diagram *diagram, uint32_t levels)
{
    double count = 0;
    for (size_t n = 0; n < diagram->endings[levels].count; n++) {
        count += diagram->endings[levels].items[n] > 0 ? diagram->paths[levels][n] : 0;
    }
    return count;
}
