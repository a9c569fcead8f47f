/* Finds pairs of axes that a domain's constraints connect, such as the two sides of a block. The
 * product of such axes often determines the time. Works for every domain, because it uses only
 * random draws. Pure. */
#pragma once

#include "search/domain.h"

typedef struct gt_bond {
    uint32_t a, b; /* axes, a < b */
} gt_bond;

/* Writes at most `most` pairs of dependent axes to out, the strongest first, and their number to
 * *count. Finds none if the domain's size is an estimate, because a draw may then take long.
 * Deterministic. ENOMEM. */
gputune_status gt_bonds_find(gt_bond *out, uint32_t *count, uint32_t most, const gt_domain *domain);
