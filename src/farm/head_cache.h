/* Precompiled headers of one compile worker. The sources of a template's variants begin alike, with
 * the prelude and the template's #includes; where reading them takes long (CUB: most of a compile),
 * the compiler keeps what it made of them and begins the next variants from there.
 *
 * What the compiler keeps is bound to its process (it holds addresses), so each worker has its own;
 * nothing is shared and nothing can race. The file is unlinked as soon as it is there, so that none
 * is left, however the worker ends. */
#pragma once

#include "base/hash.h"
#include "gpu/nvrtc.h"

enum { GT_HEADS = 4 }; /* heads that a worker keeps */

/* All zero is an empty one. */
typedef struct gt_head_cache {
    struct gt_head {
        gt_hash key;
        bool known, failed; /* failed: it cannot be kept, or is not used */
        double plain_ns;    /* of a compile without it */
        int file;           /* 0: none */
        uint64_t last_use;
    } heads[GT_HEADS];
    uint64_t clock;
} gt_head_cache;

/* As gt_nvrtc_compile(). The second compile of a head whose first took long keeps it, later ones
 * use it. What fails with a kept head is compiled once more without. */
gputune_status gt_head_cache_compile(gt_nvrtc_result *out, gt_head_cache *cache,
                                     const gt_nvrtc *nvrtc, const gt_nvrtc_request *request);
void gt_head_cache_free(gt_head_cache *cache);
