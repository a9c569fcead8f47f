/* Points of a domain and their neighbours. */
#include "search/domain.h"

#include <string.h>

enum { STEP_TRIES = 64, MOST_CHOICES = 64 };

bool gt_point_equal(const gt_point *a, const gt_point *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

uint64_t gt_point_hash(const gt_point *point)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < sizeof point->choice; i += sizeof hash) {
        uint64_t word;
        memcpy(&word, (const char *)point->choice + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_near(const gt_domain_axis *axis, gt_neighbourhood kind, uint32_t from, uint32_t to)
{
    if (to + 1 == from || from + 1 == to) {
        return true;
    }
    uint32_t every = (axis->choices + MOST_CHOICES - 1) / MOST_CHOICES;
    return (kind == GT_HAMMING || !axis->values) && to % every == from % every;
}

void gt_domain_neighbours(const gt_domain *domain, const gt_point *point, gt_neighbourhood kind,
                          bool (*each)(void *user, const gt_point *neighbour), void *user)
{
    gt_point neighbour = *point;
    for (uint32_t i = 0; i < domain->axis_count; i++) {
        uint32_t from = point->choice[i];
        for (uint32_t to = 0; to < domain->axes[i].choices; to++) {
            if (to == from || !is_near(&domain->axes[i], kind, from, to)) {
                continue;
            }
            neighbour.choice[i] = (uint16_t)to;
            if (domain->is_valid(domain->user, &neighbour) && !each(user, &neighbour)) {
                return;
            }
        }
        neighbour.choice[i] = (uint16_t)from;
    }
}

bool gt_domain_step(const gt_domain *domain, gt_random *random, gt_neighbourhood kind,
                    gt_point *point)
{
    for (int tries = 0; tries < STEP_TRIES && domain->axis_count; tries++) {
        uint32_t i = (uint32_t)gt_random_below(random, domain->axis_count);
        uint32_t from = point->choice[i];
        uint32_t to = (uint32_t)gt_random_below(random, domain->axes[i].choices);
        if (to == from || !is_near(&domain->axes[i], kind, from, to)) {
            continue;
        }
        point->choice[i] = (uint16_t)to;
        if (domain->is_valid(domain->user, point)) {
            return true;
        }
        point->choice[i] = (uint16_t)from;
    }
    return false;
}
