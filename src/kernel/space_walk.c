/* Walking a space in order, and drawing from it. */
#include "kernel/space_parts.h"

#include <string.h>

enum { DRAWS = 4096, DRAW_CHECKS = 1 << 14 };

/* --- in order --------------------------------------------------------------------------------- */

void gt_space_rewind(gt_space *space)
{
    space->walk.started = space->walk.finished = false;
}

bool gt_space_next(gt_space *space, gt_config *out)
{
    gt_walk *walk = &space->walk;
    const bool first = !walk->started;
    bool found = !walk->finished && (!first || gt_space_count(space).count > 0);
    if (found && first) {
        walk->started = true;
        walk->binding = space->base;
        gt_space_search_open(&walk->search, space, &walk->binding);
    }
    for (uint32_t i = 0; i < space->template->axis_count && found && first; i++) {
        const gt_group *group = &space->groups[space->group_of[i]];
        const uint32_t earlier = group->axes & ((UINT32_C(1) << i) - 1);
        gt_space_search_add(&walk->search, &group->walked, (uint32_t)__builtin_popcount(earlier),
                            earlier ? 31 - __builtin_clz(earlier) : -1);
    }
    found = found && (space->template->axis_count ? gt_space_search_next(&walk->search) == GT_FOUND
                                                  : first); /* without axes there is one */
    walk->finished = !found;
    if (found) {
        *out = walk->search.found;
    }
    return found;
}

/* --- at random -------------------------------------------------------------------------------- */

static int reason_against_group(gt_space *space, const gt_group *group, const gt_config *config)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        if (!(group->axes >> i & 1)) {
            continue;
        }
        known |= UINT32_C(1) << i;
        gt_slots_axis(space->probe.slots, space->template, i, config->choice[i]);
        int reason = gt_space_check(space, &space->probe, known, i, NULL);
        if (reason) {
            return reason;
        }
    }
    return 0;
}

/* A uniform place among `count` endings: exact as long as doubles hold every integer. */
static double place_among(double count, gt_random *random)
{
    return count < 0x1p53 ? (double)gt_random_below(random, (uint64_t)count)
                          : gt_random_unit(random) * count;
}

int gt_group_draw(gt_space *space, const gt_group *group, gt_random *random, gt_config *out)
{
    const gt_diagram *d = gt_group_diagram(group);
    double place = place_among(gt_diagram_endings(d, space, 0, 0), random);
    uint32_t node = 0;
    for (uint32_t level = 0; level < d->count; level++) {
        uint32_t axis = d->axes[level], next = GT_NODE_DEAD;
        for (int v = 0; v < space->counts[axis]; v++) {
            uint32_t child = gt_diagram_child(d, space, level, node, v);
            if (child == GT_NODE_DEAD) {
                continue;
            }
            double endings = gt_diagram_endings(d, space, level + 1, child);
            next = child;
            out->choice[axis] = space->choices[axis][v];
            if (place < endings) {
                break;
            }
            place -= endings;
        }
        node = next;
    }
    return d->relaxed ? reason_against_group(space, group, out) : 0;
}

static bool draw_group(gt_space *space, const gt_group *group, gt_random *random, gt_config *out)
{
    if (gt_diagram_endings(gt_group_diagram(group), space, 0, 0) <= 0) {
        return false;
    }
    for (int i = 0; i < DRAWS && !(i % 256 == 255 && gt_space_is_canceled(space)); i++) {
        if (!gt_group_draw(space, group, random, out)) {
            return true;
        }
    }
    gt_space_search search = {.found = *out};
    gt_space_search_begin(&search, space, group, random, DRAW_CHECKS);
    if (gt_space_search_next(&search) != GT_FOUND) {
        return false;
    }
    *out = search.found;
    return true;
}

bool gt_space_draw(gt_space *space, gt_random *random, gt_config *out)
{
    gt_config config = {{0}};
    bool found = gt_space_count(space).count > 0 && !gt_space_is_canceled(space);
    for (int g = 0; g < space->group_count && found; g++) {
        found = draw_group(space, &space->groups[g], random, &config);
    }
    if (found) {
        *out = config;
    }
    return found;
}

bool gt_space_has(gt_space *space, const gt_config *config)
{
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        if (!memchr(space->choices[i], config->choice[i], (size_t)space->counts[i])) {
            return false;
        }
    }
    return !gt_space_reason(space, config);
}
