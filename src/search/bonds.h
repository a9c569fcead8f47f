/* Which axes a domain's constraints tie together: a block has at most so many threads, a tile must
 * fit. What such axes make together often decides the time. Found from draws alone, so that it
 * works for every domain. Pure. */
#pragma once

#include "search/domain.h"

typedef struct gt_bond {
    uint32_t a, b; /* axes, a < b */
} gt_bond;

/* Fills the pairs of axes whose choices depend on each other the most, the closest first; *count is
 * how many they are, at most `most`. None where the domain's size is an estimate: a draw may take
 * long there. Reproducible. ENOMEM. */
gputune_status gt_bonds_find(gt_bond *out, uint32_t *count, uint32_t most, const gt_domain *domain);
