/* A proposer chooses the configurations of a session and may use results. Not thread-safe. */
#pragma once

#include "kernel/space/space.h"
#include "search/strategy.h"

typedef struct gt_proposer gt_proposer;
struct gt_proposer {
    /* Writes up to `count` new configurations and returns how many; 0 if it needs results first. */
    uint32_t (*propose)(gt_proposer *self, gt_config *out, uint32_t count);
    /* Reports a verification, a failure or new samples. result->point is not set. A time of 0 means
     * unknown. May be NULL. */
    void (*on_result)(gt_proposer *self, const gt_config *config, const gt_tried *result,
                      bool is_quick);
    /* Returns true if a compile that has taken `seconds` should be ended. May be NULL. */
    bool (*gives_up)(gt_proposer *self, const gt_config *config, double seconds);
    /* number of configurations that can race, including the default; 0 if unknown */
    uint64_t total;
    bool quick_compiles; /* true if the last proposals are quick compiles (GT_ROLE_QUICK) */
    /* true if proposals depend on results, so they should be requested as late as possible */
    bool learns;
    bool exhausted;     /* true if there are no more proposals */
    bool out_of_memory; /* true if memory ran out, which ends the proposals */
};

/* Proposes a list of configurations, in order. The list must outlive the proposer. */
typedef struct gt_list_proposer {
    gt_proposer proposer;
    const gt_config *configs;
    size_t count, next;
} gt_list_proposer;
gt_list_proposer gt_list_proposer_make(const gt_config *configs, size_t count);

/* Proposes all configurations of a space, in order. The space must outlive the proposer. */
typedef struct gt_space_proposer {
    gt_proposer proposer;
    gt_space *space;
} gt_space_proposer;
gt_space_proposer gt_space_proposer_make(gt_space *space);
