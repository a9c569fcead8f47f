/* Finds which axes a domain's constraints tie together, such as the sides of a block, whose product
 * often decides the time. It uses random draws only, so it works for every domain. Pure. */
#pragma once

#include "search/domain.h"

typedef struct gt_bond {
    uint32_t a, b; /* axes, a < b */
} gt_bond;

/* Fills `out` with at most `most` pairs of axes whose choices depend on each other the most, the
 * closest pair first. Finds none if the domain's size is an estimate, because a draw may then take
 * long. The result is the same in every call. ENOMEM. */
gputune_status gt_bonds_find(gt_bond *out, uint32_t *count, uint32_t most, const gt_domain *domain);
