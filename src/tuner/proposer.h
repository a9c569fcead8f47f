/* Proposes the variants of a tuning and hears their results; a search is one kind. One thread. */
#pragma once

#include "kernel/space/space.h"
#include "search/strategy.h"

typedef struct gt_proposer gt_proposer;
struct gt_proposer {
    /* Writes up to `count` new configurations; returns how many. 0: none before more results. */
    uint32_t (*propose)(gt_proposer *self, gt_config *out, uint32_t count);
    /* Hears of a configuration once it is compiled and proved, or has failed, and whenever it was
     * sampled. The result lacks the point; a time of 0 is not known. May be NULL. */
    void (*hear)(gt_proposer *self, const gt_config *config, const gt_tried *result, bool is_quick);
    /* Returns true if a compile that has run for `seconds` is to be given up. NULL: never. */
    bool (*gives_up)(gt_proposer *self, const gt_config *config, double seconds);
    uint64_t total;      /* how many configurations it will propose in all; 0: not known */
    bool quick_compiles; /* its last proposals are quick compiles: compiled quickly and launched
                      once, and no trials (search/quick.h) */
    bool learns;         /* what it hears changes what it proposes, now; so it is asked late */
    bool exhausted;      /* the proposer proposes nothing more, whatever it hears */
    bool out_of_memory;  /* it proposes nothing more, because memory was short */
};

/* Proposes the configurations of a list, which must outlive the proposer, in its order. */
typedef struct gt_list_proposer {
    gt_proposer proposer;
    const gt_config *configs;
    size_t count, next;
} gt_list_proposer;
gt_list_proposer gt_list_proposer_make(const gt_config *configs, size_t count);

/* Proposes every valid configuration of a space, which must outlive the proposer, in its order. */
typedef struct gt_space_proposer {
    gt_proposer proposer;
    gt_space *space;
} gt_space_proposer;
gt_space_proposer gt_space_proposer_make(gt_space *space);
