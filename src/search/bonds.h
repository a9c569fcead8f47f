/* Finds which axes a domain's constraints tie together, such as the sides of a block, which has a
 * limited number of threads. The product of such axes often decides the time. The bonds are found
 * from random draws alone, so that this works for every domain. Pure. */
#pragma once

#include "search/domain.h"

typedef struct gt_bond {
    uint32_t a, b; /* axes, a < b */
} gt_bond;

/* Fills `out` with the pairs of axes whose choices depend on each other the most, the closest pair
 * first; *count is the number of pairs, at most `most`. There are none if the domain's size is an
 * estimate, because a draw may then take long. The result is the same in every call. ENOMEM. */
gputune_status gt_bonds_find(gt_bond *out, uint32_t *count, uint32_t most, const gt_domain *domain);
