/* The strategy `local`: neighbours of the fastest few so far, the faster the more often. Neighbours
 * differ in one axis, to an adjacent value or to any, and sometimes in two, where constraints bind
 * axes together. It begins with random configurations, and tries one now and then, so that it
 * leaves what is fast only near by. It remembers nothing but the evidence. */
#include "search/strategy_parts.h"

enum {
    STARTS = 16, /* random configurations before the first neighbour */
    CENTRES = 8, /* the fastest, whose neighbours are tried */
    TRIES = 20   /* for a neighbour that is new */
};
#define RANDOM   0.1  /* of the proposals are any configuration */
#define SLOWER   0.65 /* the chance of the next slower centre instead */
#define ADJACENT 0.5  /* of the neighbours have an adjacent value, */
#define JUMP     0.2  /* and these differ in two axes */

static bool step(gt_strategy *strategy, gt_point *point)
{
    double which = gt_random_unit(&strategy->random);
    if (which < ADJACENT) {
        return gt_domain_step(strategy->domain, &strategy->random, point);
    }
    return gt_domain_jump(strategy->domain, &strategy->random, which < 1 - JUMP ? 1 : 2, point);
}

/* A neighbour of `centre` that is new; false where none was found. */
static bool propose_near(gt_strategy *strategy, const gt_point *centre, gt_point *out)
{
    for (int i = 0; i < TRIES; i++) {
        *out = *centre;
        if (step(strategy, out) && !gt_evidence_has(&strategy->evidence, out)) {
            return true;
        }
    }
    return false;
}

static bool propose_any_near(gt_strategy *strategy, gt_point *out)
{
    uint32_t centres[CENTRES], which = 0;
    uint32_t count = gt_evidence_fastest(&strategy->evidence, centres, CENTRES);
    while (which + 1 < count && gt_random_unit(&strategy->random) < SLOWER) {
        which++;
    }
    for (; which < count; which++) {
        gt_point centre = strategy->evidence.known.items[centres[which]].point;
        if (propose_near(strategy, &centre, out)) {
            return true;
        }
    }
    return false;
}

static gputune_status propose_local(gt_strategy *strategy, void *state, gt_point *out, bool *found)
{
    const gt_point *fallback = strategy->domain->fallback;
    (void)state;
    *found = true;
    if (fallback && !gt_evidence_has(&strategy->evidence, fallback)) {
        *out = *fallback;
        return GPUTUNE_OK;
    }
    bool near =
        strategy->evidence.known.count >= STARTS && gt_random_unit(&strategy->random) >= RANDOM;
    if (!near || !propose_any_near(strategy, out)) {
        *found = gt_strategy_draw(strategy, out);
    }
    return GPUTUNE_OK;
}

const gt_method gt_method_local = {
    .propose = propose_local, .learns = true, .first = STARTS, .first_with_hints = STARTS};
