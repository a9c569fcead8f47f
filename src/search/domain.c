/* Moves points within a domain and finds their neighbours. */
#include "search/domain.h"

#include <string.h>

enum { JUMP_TRIES = 64 };

bool gt_point_equal(const gt_point *a, const gt_point *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

void gt_domain_neighbours(const gt_domain *domain, const gt_point *point,
                          bool (*each)(void *user, const gt_point *neighbour), void *user)
{
    gt_point neighbour = *point;
    for (uint32_t i = 0; i < domain->axis_count; i++) {
        uint32_t from = point->choice[i];
        for (uint32_t to = 0; to < domain->axes[i].choices; to++) {
            neighbour.choice[i] = (uint16_t)to;
            if (to != from && domain->is_valid(domain->user, &neighbour) &&
                !each(user, &neighbour)) {
                return;
            }
        }
        neighbour.choice[i] = (uint16_t)from;
    }
}

bool gt_domain_step(const gt_domain *domain, gt_random *random, gt_point *point)
{
    if (!domain->axis_count) {
        return false;
    }
    uint32_t axis = (uint32_t)gt_random_below(random, domain->axis_count);
    bool up = gt_random_below(random, 2);
    uint32_t from = point->choice[axis];
    if (up ? from + 1 >= domain->axes[axis].choices : from == 0) {
        return false;
    }
    gt_point to = *point;
    to.choice[axis] = (uint16_t)(up ? from + 1 : from - 1);
    bool valid = domain->is_valid(domain->user, &to);
    *point = valid ? to : *point;
    return valid;
}

/* Changes a random axis that has the same choice in `point` and in `from`. */
static void change_one(const gt_domain *domain, gt_random *random, const gt_point *from,
                       gt_point *point)
{
    uint32_t axis;
    do {
        axis = (uint32_t)gt_random_below(random, domain->axis_count);
    } while (domain->axes[axis].choices < 2 || point->choice[axis] != from->choice[axis]);
    uint32_t other = (uint32_t)gt_random_below(random, domain->axes[axis].choices - 1);
    point->choice[axis] = (uint16_t)(other + (other >= from->choice[axis]));
}

bool gt_domain_jump(const gt_domain *domain, gt_random *random, uint32_t count, gt_point *point)
{
    uint32_t changeable = 0;
    for (uint32_t i = 0; i < domain->axis_count; i++) {
        changeable += domain->axes[i].choices > 1;
    }
    for (int tries = 0; tries < JUMP_TRIES && changeable >= count; tries++) {
        gt_point to = *point;
        for (uint32_t i = 0; i < count; i++) {
            change_one(domain, random, point, &to);
        }
        if (domain->is_valid(domain->user, &to)) {
            *point = to;
            return true;
        }
    }
    return false;
}
