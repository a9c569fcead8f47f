/* The configurations that a search may try, from a template's space, a recorded space or a
 * synthetic landscape. Pure. */
#pragma once

#include "base/hash.h"
#include "base/random.h"
#include "base/status.h"

enum { GT_SEARCH_AXES = 48, GT_SEARCH_CHOICES = UINT16_MAX, GT_SEARCH_FEATURES = 48 };

/* A configuration: one choice per axis, as an index. Elements from axis_count on are zero. */
typedef struct gt_point {
    uint16_t choice[GT_SEARCH_AXES];
} gt_point;

typedef struct gt_domain_axis {
    uint32_t choices;     /* 1 to GT_SEARCH_CHOICES */
    const double *values; /* values by choice, in order; NULL for words */
} gt_domain_axis;

/* A set of valid configurations. Functions run on the strategy's thread and keep no pointers. */
typedef struct gt_domain {
    uint32_t axis_count;
    const gt_domain_axis *axes;
    double size; /* number of valid configurations; an estimate unless size_is_exact */
    bool size_is_exact;
    const gt_point *fallback; /* the template's default, which is tried first; may be NULL */
    void *user;               /* first argument of the functions */
    /* Draws a valid configuration uniformly. Returns false if there is none. */
    bool (*draw)(void *user, gt_random *random, gt_point *out);
    bool (*is_valid)(void *user, const gt_point *point);
    /* Moves *point to the first (if `first`) or next valid configuration. Returns false at the
     * end. */
    bool (*next)(void *user, gt_point *point, bool first);
    /* Writes the features of a valid point, which are known before it is tried, to `out`. */
    void (*features)(void *user, const gt_point *point, double out[GT_SEARCH_FEATURES]);
    uint32_t feature_count; /* number of features; 0: `features` may be NULL */
} gt_domain;

bool gt_point_equal(const gt_point *a, const gt_point *b);
static inline gt_hash gt_point_hash(const gt_point *point)
{
    return gt_hash_bytes(point, sizeof *point);
}

/* Calls `each` for the valid points that differ from `point` in one axis, until a call returns
 * false. For an axis with many choices, visits only adjacent choices and an even selection. */
void gt_domain_neighbours(const gt_domain *domain, const gt_point *point,
                          bool (*each)(void *user, const gt_point *neighbour), void *user);

/* Moves `point` by one choice, up or down, in a random axis. Returns false if the result is
 * invalid. */
bool gt_domain_step(const gt_domain *domain, gt_random *random, gt_point *point);

/* Changes `count` random axes. Returns false, without a change, if no valid point is found. */
bool gt_domain_jump(const gt_domain *domain, gt_random *random, uint32_t count, gt_point *point);
