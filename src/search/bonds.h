/* Finds pairs of axes that a domain's constraints tie together, such as the two sides of a block.
 * The product of such axes often determines the time. Uses only random draws, so it works for every
 * domain. Pure. */
#pragma once

#include "search/domain.h"

typedef struct gt_bond {
    uint32_t a, b; /* axes, a < b */
} gt_bond;

/* Writes at most `most` pairs of axes whose choices depend on each other to out, the strongest
 * first, and their number to *count. Finds none if the domain's size is an estimate, because a draw
 * may then take long. Every call gives the same result. ENOMEM. */
gputune_status gt_bonds_find(gt_bond *out, uint32_t *count, uint32_t most, const gt_domain *domain);
