/* A recorded space, in which all configurations were measured, so searches can be replayed.
 * Pure. replay/read.h reads one from a file. */
#pragma once

#include "base/array.h"
#include "base/hash_index.h"
#include "search/strategy.h"

/* The record of one configuration. */
typedef struct gt_recorded_entry {
    gt_tried tried;  /* tried.measure_s is the time of all its launches */
    double launch_s; /* seconds of one launch */
    double worker_s; /* seconds of host work other than compiling */
    int line;        /* line in the file */
} gt_recorded_entry;

/* A recorded space. It is empty if all bytes are zero; axes and `entries` are added in any order.
 * It is immutable after gt_recorded_finish() has succeeded. */
typedef struct gt_recorded {
    uint32_t axis_count;
    gt_domain_axis axes[GT_SEARCH_AXES]; /* values are owned */
    GT_ARRAY(gt_recorded_entry) entries; /* in lexicographic order after gt_recorded_finish() */
    uint32_t ok;                         /* number of entries with a time */
    double best_ns, worst_ns;
    gt_hash_index places; /* indices of the entries, by hash of the point */
} gt_recorded;

/* Appends an axis. Copies `values`, which is NULL if the choices are words. Returns EINVAL beyond
 * the limits of domain.h, or ENOMEM. */
gputune_status gt_recorded_axis(gt_recorded *recorded, const double *values, uint32_t choices);
/* Sorts the entries, and merges equal entries. Returns ERECORDED if two entries of one
 * configuration differ, or if no entry has a time. */
gputune_status gt_recorded_finish(gt_recorded *recorded);
void gt_recorded_free(gt_recorded *recorded);

/* Makes the domain of the recorded configurations. Configurations that failed are valid, and
 * missing ones are not. The space must outlive the domain. */
gt_domain gt_recorded_domain(const gt_recorded *recorded);
/* Returns the entry of a valid point. */
const gt_recorded_entry *gt_recorded_at(const gt_recorded *recorded, const gt_point *point);
