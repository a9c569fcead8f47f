/* Stores recorded spaces in memory. */
#include "replay/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gputune_status gt_recorded_axis(gt_recorded *recorded, const double *values, uint32_t choices)
{
    GT_REFUSE(recorded->axis_count == GT_SEARCH_AXES, GPUTUNE_EINVAL,
              "more than %d parameters with several values; expected fewer", GT_SEARCH_AXES);
    GT_REFUSE(choices > GT_SEARCH_CHOICES, GPUTUNE_EINVAL,
              "a parameter with more than %d values; expected fewer", GT_SEARCH_CHOICES);
    double *copy = NULL;
    if (values) {
        copy = malloc(choices * sizeof *copy);
        GT_TRY(gt_allocated(copy));
        memcpy(copy, values, choices * sizeof *copy);
    }
    recorded->axes[recorded->axis_count++] = (gt_domain_axis){choices, copy};
    return GPUTUNE_OK;
}

static int by_point(const void *a, const void *b)
{
    const gt_recorded_entry *x = a, *y = b;
    for (size_t i = 0; i < GT_SEARCH_AXES; i++) {
        int difference = (int)x->tried.point.choice[i] - (int)y->tried.point.choice[i];
        if (difference) {
            return difference;
        }
    }
    return x->line - y->line;
}

static bool is_same(const gt_tried *a, const gt_tried *b)
{
    return a->outcome == b->outcome && a->time_ns == b->time_ns;
}

static gputune_status check_twice(const gt_recorded_entry *first, const gt_recorded_entry *second)
{
    GT_REFUSE(!is_same(&first->tried, &second->tried), GPUTUNE_ERECORDED,
              "line %d: the configuration of line %d with another result; expected each "
              "configuration once",
              second->line, first->line);
    return GPUTUNE_OK;
}

static void take_figures(gt_recorded *recorded, const gt_tried *tried)
{
    if (tried->outcome != GT_TRIED_OK) {
        return;
    }
    bool is_first = !recorded->ok++;
    recorded->best_ns = is_first ? tried->time_ns : fmin(recorded->best_ns, tried->time_ns);
    recorded->worst_ns = is_first ? tried->time_ns : fmax(recorded->worst_ns, tried->time_ns);
}

gputune_status gt_recorded_finish(gt_recorded *recorded)
{
    size_t all = recorded->entries.count;
    if (all) {
        qsort(recorded->entries.items, all, sizeof *recorded->entries.items, by_point);
    }
    recorded->entries.count = 0;
    for (size_t i = 0; i < all; i++) {
        const gt_recorded_entry *entry = &recorded->entries.items[i];
        uint32_t place, next = (uint32_t)recorded->entries.count;
        GT_TRY(gt_hash_index_intern(&recorded->places, gt_point_hash(&entry->tried.point), next,
                                    &place));
        if (place != next) {
            GT_TRY(check_twice(&recorded->entries.items[place], entry));
            continue;
        }
        recorded->entries.items[recorded->entries.count++] = *entry;
        take_figures(recorded, &entry->tried);
    }
    GT_REFUSE(!recorded->ok, GPUTUNE_ERECORDED,
              "none of %zu configurations has a measured time; expected at least one",
              recorded->entries.count);
    return GPUTUNE_OK;
}

void gt_recorded_free(gt_recorded *recorded)
{
    for (uint32_t i = 0; i < recorded->axis_count; i++) {
        free((double *)recorded->axes[i].values);
    }
    gt_array_free(&recorded->entries);
    gt_hash_index_free(&recorded->places);
    *recorded = (gt_recorded){0};
}

static bool draw(void *user, gt_random *random, gt_point *out)
{
    const gt_recorded *recorded = user;
    *out = recorded->entries.items[gt_random_below(random, recorded->entries.count)].tried.point;
    return true;
}

static bool is_valid(void *user, const gt_point *point)
{
    return gt_recorded_at(user, point);
}

static bool next(void *user, gt_point *point, bool first)
{
    const gt_recorded *recorded = user;
    const gt_recorded_entry *entries = recorded->entries.items;
    const gt_recorded_entry *at = first ? entries : gt_recorded_at(recorded, point) + 1;
    bool is_there = at < entries + recorded->entries.count;
    *point = is_there ? at->tried.point : *point;
    return is_there;
}

gt_domain gt_recorded_domain(const gt_recorded *recorded)
{
    return (gt_domain){.axis_count = recorded->axis_count,
                       .axes = recorded->axes,
                       .size = (double)recorded->entries.count,
                       .size_is_exact = true,
                       .user = (void *)recorded,
                       .draw = draw,
                       .is_valid = is_valid,
                       .next = next};
}

const gt_recorded_entry *gt_recorded_at(const gt_recorded *recorded, const gt_point *point)
{
    uint32_t place;
    return gt_hash_index_find(&place, &recorded->places, gt_point_hash(point))
               ? &recorded->entries.items[place]
               : NULL;
}
