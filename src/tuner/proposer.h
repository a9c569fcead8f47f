/* A proposer chooses the configurations of a session and learns from their results. Not
 * thread-safe. */
#pragma once

#include "kernel/space/space.h"
#include "search/strategy.h"

typedef struct gt_proposer gt_proposer;
struct gt_proposer {
    /* Writes up to `count` new configurations to `out` and returns their number. 0: results are
     * needed first. */
    uint32_t (*propose)(gt_proposer *self, gt_config *out, uint32_t count);
    /* Receives the result of a configuration after its verification, its failure, or new samples.
     * result->point is not set; a time of 0 means unknown. May be NULL. */
    void (*on_result)(gt_proposer *self, const gt_config *config, const gt_tried *result,
                      bool is_quick);
    /* Returns true if a compile that has run for `seconds` is not worth waiting for. NULL:
     * never. */
    bool (*gives_up)(gt_proposer *self, const gt_config *config, double seconds);
    /* number of configurations that can race, including the default; 0: unknown */
    uint64_t total;
    bool quick_compiles; /* true if the last call's proposals are quick compiles (GT_ROLE_QUICK) */
    /* true if proposals depend on results, so they should be taken as late as possible */
    bool learns;
    bool exhausted;     /* true if the proposer makes no more proposals */
    bool out_of_memory; /* true if memory ran out, which ends the proposals */
};

/* Proposes the configurations of a list, in order. The list must outlive the proposer. */
typedef struct gt_list_proposer {
    gt_proposer proposer;
    const gt_config *configs;
    size_t count, next;
} gt_list_proposer;
gt_list_proposer gt_list_proposer_make(const gt_config *configs, size_t count);

/* Proposes the configurations of a space, in order. The space must outlive the proposer. */
typedef struct gt_space_proposer {
    gt_proposer proposer;
    gt_space *space;
} gt_space_proposer;
gt_space_proposer gt_space_proposer_make(gt_space *space);
