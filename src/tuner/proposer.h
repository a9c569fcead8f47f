/* A proposer chooses the configurations of a session. It may use their results. Not thread-safe. */
#pragma once

#include "kernel/space/space.h"
#include "search/strategy.h"

typedef struct gt_proposer gt_proposer;
struct gt_proposer {
    /* Writes up to `count` new configurations. Returns their number; 0 if it needs results
     * first. */
    uint32_t (*propose)(gt_proposer *self, gt_config *out, uint32_t count);
    /* Reports that a configuration was verified, has failed, or has new samples. result->point is
     * not used, and a time of 0 is unknown. The function may be NULL. */
    void (*on_result)(gt_proposer *self, const gt_config *config, const gt_tried *result,
                      bool is_quick);
    /* Returns true if a compile that has already taken `seconds` should be ended. May be NULL. */
    bool (*gives_up)(gt_proposer *self, const gt_config *config, double seconds);
    uint64_t total; /* number of configurations that can race, including the default; 0: unknown */
    bool quick_compiles; /* true if the last proposals are for quick compiles (GT_ROLE_QUICK) */
    bool learns;         /* true if proposals improve with results, so it is better to ask late */
    bool exhausted;      /* true if there are no more proposals */
    bool out_of_memory;  /* true if there are no more proposals because memory ran out */
};

/* Proposes the configurations of a list in order. The list must stay valid. */
typedef struct gt_list_proposer {
    gt_proposer proposer;
    const gt_config *configs;
    size_t count, next;
} gt_list_proposer;
gt_list_proposer gt_list_proposer_make(const gt_config *configs, size_t count);
