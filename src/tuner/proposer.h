/* A proposer proposes the variants of a tuning, and hears what became of them. A search strategy is
 * one kind of proposer. One thread. */
#pragma once

#include "kernel/space/space.h"
#include "search/strategy.h"

typedef struct gt_proposer gt_proposer;
struct gt_proposer {
    /* Writes up to `count` configurations that are to be tried next and have not been proposed
     * before; returns how many it wrote. 0: the proposer has no more, or none until it hears
     * more. */
    uint32_t (*propose)(gt_proposer *self, gt_config *out, uint32_t count);
    /* Hears what became of a configuration, once it is compiled and proved, or has failed, and
     * again whenever it was sampled. The result lacks the point, and a time that is not known yet
     * is 0. May be NULL. */
    void (*hear)(gt_proposer *self, const gt_config *config, const gt_tried *result, bool is_quick);
    /* Whether a compile of this configuration that has been running for `seconds` is to be given
     * up, and with it the configuration. NULL: never. */
    bool (*gives_up)(gt_proposer *self, const gt_config *config, double seconds);
    uint64_t total; /* how many configurations it will propose in all, as far as it knows; 0: not
                       known */
    bool quick_compiles; /* its last proposals are quick compiles: compiled quickly and launched
                      once, and no trials (search/quick.h) */
    bool learns; /* what it hears changes what it proposes, so it is asked as late as possible. The
                    value may change */
    bool exhausted;     /* the proposer proposes nothing more, whatever it hears */
    bool out_of_memory; /* it proposes nothing more, because memory was short */
};

/* Proposes every configuration of a list, in the order of the list. The list must outlive the
 * proposer. */
typedef struct gt_list_proposer {
    gt_proposer proposer;
    const gt_config *configs;
    size_t count, next;
} gt_list_proposer;
gt_list_proposer gt_list_proposer_make(const gt_config *configs, size_t count);

/* Proposes every valid configuration of a space, in the order of its axes. The space must outlive
 * the proposer. */
typedef struct gt_space_proposer {
    gt_proposer proposer;
    gt_space *space;
} gt_space_proposer;
gt_space_proposer gt_space_proposer_make(gt_space *space);
