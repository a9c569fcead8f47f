/* The set of configurations that a search may try. It comes from the space of a template, from a
 * recorded space, or from a synthetic landscape. The functions do no I/O. */
#pragma once

#include "base/hash.h"
#include "base/random.h"
#include "base/status.h"

enum { GT_SEARCH_AXES = 48, GT_SEARCH_CHOICES = UINT16_MAX, GT_SEARCH_FEATURES = 48 };

/* A configuration: the index of a choice for each axis. Elements from axis_count on are 0. */
typedef struct gt_point {
    uint16_t choice[GT_SEARCH_AXES];
} gt_point;

typedef struct gt_domain_axis {
    uint32_t choices;     /* number of choices, from 1 to GT_SEARCH_CHOICES */
    const double *values; /* value of each choice, in order; NULL if the choices are words */
} gt_domain_axis;

/* A set of valid configurations. A strategy calls the functions on the thread that calls it. */
typedef struct gt_domain {
    uint32_t axis_count;
    const gt_domain_axis *axes;
    double size; /* number of valid configurations; an estimate unless size_is_exact */
    bool size_is_exact;
    const gt_point *fallback; /* the template's default, which is tried first, or NULL */
    void *user;               /* first argument of the functions below */
    /* Draws a valid configuration uniformly. Returns false if there is none. */
    bool (*draw)(void *user, gt_random *random, gt_point *out);
    bool (*is_valid)(void *user, const gt_point *point);
    /* Moves *point to the next valid configuration, or to the first one if `first` is true. Returns
     * false if there are no more. */
    bool (*next)(void *user, gt_point *point, bool first);
    /* Computes the features of a valid point. They are known before the point is tried. */
    void (*features)(void *user, const gt_point *point, double out[GT_SEARCH_FEATURES]);
    uint32_t feature_count; /* number of features; if it is 0, `features` may be NULL */
} gt_domain;

bool gt_point_equal(const gt_point *a, const gt_point *b);
static inline gt_hash gt_point_hash(const gt_point *point)
{
    return gt_hash_bytes(point, sizeof *point);
}

/* Calls `each` for the valid points that differ from `point` in one axis, until `each` returns
 * false. */
void gt_domain_neighbours(const gt_domain *domain, const gt_point *point,
                          bool (*each)(void *user, const gt_point *neighbour), void *user);

/* Moves `point` to the next or previous choice of a random axis. Returns false and leaves `point`
 * unchanged if the result is not valid. */
bool gt_domain_step(const gt_domain *domain, gt_random *random, gt_point *point);

/* Changes `count` random axes. Returns false and changes nothing if no valid point is found. */
bool gt_domain_jump(const gt_domain *domain, gt_random *random, uint32_t count, gt_point *point);
