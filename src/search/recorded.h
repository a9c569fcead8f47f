/* A recorded space: its configurations were all measured, and it is a domain to search in. Pure.
 * api/recorded.h reads one from a file. */
#pragma once

#include "search/point_set.h"
#include "search/strategy.h"

#include "base/array.h"

/* The record of one configuration. */
typedef struct gt_recorded_entry {
    gt_tried tried;  /* measure_s: what all its launches took */
    double launch_s; /* one of them */
    double worker_s; /* time of the host besides compiling */
    int line;        /* where it stands in the file */
} gt_recorded_entry;

/* All zero is an empty one. Immutable once gt_recorded_finish() succeeded. */
typedef struct gt_recorded {
    uint32_t axis_count;
    gt_domain_axis axes[GT_SEARCH_AXES]; /* values are owned */
    GT_ARRAY(gt_recorded_entry) entries; /* in lexicographic order when finished */
    uint32_t ok;                         /* of the entries: with a time */
    double best_ns, worst_ns;
    gt_point_set index; /* entry i is at i */
} gt_recorded;

/* Appends an axis: `values` NULL makes words of them. EINVAL beyond the limits of domain.h; ENOMEM.
 */
gputune_status gt_recorded_axis(gt_recorded *recorded, const double *values, uint32_t choices);
/* Appends an entry. ENOMEM. */
gputune_status gt_recorded_add(gt_recorded *recorded, const gt_recorded_entry *entry);
/* Sorts the entries. ERECORDED where two are of one configuration and differ (equal ones become
 * one), and where none has a time. */
gputune_status gt_recorded_finish(gt_recorded *recorded);
void gt_recorded_free(gt_recorded *recorded);

/* The domain of the recorded configurations; what failed is valid, what is not recorded is not. The
 * space must outlive it. */
gt_domain gt_recorded_domain(const gt_recorded *recorded);
/* The entry of a valid point. */
const gt_recorded_entry *gt_recorded_at(const gt_recorded *recorded, const gt_point *point);
