/* A recorded space, in which all configurations were measured. Searches can be replayed on it. Pure
 * functions; replay/read.h reads recorded spaces from files. */
#pragma once

#include "base/array.h"
#include "base/hash_index.h"
#include "search/strategy.h"

typedef struct gt_recorded_entry {
    gt_tried tried; /* tried.measure_s is the time of all launches together */
    double launch_s;
    double worker_s; /* seconds of the host's work, except compiling */
    int line;
} gt_recorded_entry;

/* A recorded space. An all-zero space is empty. Axes and `entries` can be added in any order. After
 * gt_recorded_finish() has succeeded, the space is immutable. */
typedef struct gt_recorded {
    uint32_t axis_count;
    gt_domain_axis axes[GT_SEARCH_AXES]; /* values are owned */
    GT_ARRAY(gt_recorded_entry) entries; /* sorted lexicographically by gt_recorded_finish() */
    uint32_t ok;
    double best_ns, worst_ns;
    gt_hash_index places; /* indices of the entries, by the hash of their point */
} gt_recorded;

/* Appends an axis and copies `values`, which is NULL if the choices are words. Fails with EINVAL if
 * domain.h does not allow the axis, or with ENOMEM. */
gputune_status gt_recorded_axis(gt_recorded *recorded, const double *values, uint32_t choices);
/* Sorts and merges the entries. Fails with ERECORDED if equal entries differ or none has a time. */
gputune_status gt_recorded_finish(gt_recorded *recorded);
void gt_recorded_free(gt_recorded *recorded);

/* Returns the domain of the recorded configurations, even failed ones. It refers to `recorded`. */
gt_domain gt_recorded_domain(const gt_recorded *recorded);
const gt_recorded_entry *gt_recorded_at(const gt_recorded *recorded, const gt_point *point);
