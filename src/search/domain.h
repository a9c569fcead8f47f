/* The configurations that a search may try, seen through a few functions, so that a template's
 * space, a recorded one and a synthetic landscape look the same. Pure. */
#pragma once

#include "base/random.h"
#include "base/status.h"

enum { GT_SEARCH_AXES = 48, GT_SEARCH_CHOICES = UINT16_MAX };

/* One choice per axis, as indices. What is behind axis_count is zero. */
typedef struct gt_point {
    uint16_t choice[GT_SEARCH_AXES];
} gt_point;

typedef struct gt_domain_axis {
    uint32_t choices;     /* 1 to GT_SEARCH_CHOICES */
    const double *values; /* of each choice, in their order; NULL: words, which have no order */
} gt_domain_axis;

/* The functions are called from the strategy's thread and keep no pointer. */
typedef struct gt_domain {
    uint32_t axis_count;
    const gt_domain_axis *axes;
    double size; /* valid configurations; an estimate unless size_is_exact */
    bool size_is_exact;
    const gt_point *fallback; /* what is tried first, the template's default; NULL: none */
    void *user;               /* passed to the functions */
    /* A valid configuration, each as likely as any other; false: there is none. */
    bool (*draw)(void *user, gt_random *random, gt_point *out);
    bool (*is_valid)(void *user, const gt_point *point);
    /* The valid configuration after *point in lexicographic order, or the first one (`first`);
     * false at the end. */
    bool (*next)(void *user, gt_point *point, bool first);
} gt_domain;

bool gt_point_equal(const gt_point *a, const gt_point *b);
uint64_t gt_point_hash(const gt_point *point);

/* Calls `each` for the valid points that differ from `point` in one axis, axis by axis; false from
 * it stops. Of an axis with very many choices, the adjacent ones and an even selection of the
 * others. */
void gt_domain_neighbours(const gt_domain *domain, const gt_point *point,
                          bool (*each)(void *user, const gt_point *neighbour), void *user);

/* Changes an axis drawn at random to the next choice up or down; false where that is not valid. */
bool gt_domain_step(const gt_domain *domain, gt_random *random, gt_point *point);

/* Changes `count` different axes of *point to choices drawn at random; false, and *point is as it
 * was, where nothing valid was found in a few tries. */
bool gt_domain_jump(const gt_domain *domain, gt_random *random, uint32_t count, gt_point *point);
