/* Precompiled headers of one compile worker. The sources of a template's variants begin alike, with
 * the prelude and the template's #includes; where reading them takes long (CUB: most of a compile),
 * the compiler keeps what it made of them and begins the next variants from there.
 *
 * What the compiler keeps is bound to its process (it holds addresses), so each worker has its own;
 * nothing is shared and nothing can race. The compiler's file is unlinked as soon as it is written,
 * and kept open, so that no file is left, however the worker ends. */
#pragma once

#include "base/hash.h"
#include "gpu/nvrtc.h"

enum { GT_HEADS = 4 }; /* the most heads that a worker keeps */

/* The heads that a worker knows. A cache that is all zero is empty. */
typedef struct gt_head_cache {
    struct gt_head {
        gt_hash key;
        bool known, failed; /* the entry is in use; the compiler did not keep or use this head */
        double plain_ns;    /* time of the last compile that read the head; 0: none went well yet */
        int file;           /* descriptor of what the compiler kept, 0: nothing */
        uint64_t last_use;  /* `clock` at the last compile */
    } heads[GT_HEADS];
    uint64_t clock; /* number of compiles */
} gt_head_cache;

/* Compiles as gt_nvrtc_compile() does, and has the compiler keep the source's head where that saves
 * time: if the first compile with a head took long, the second one keeps the head, and later ones
 * use it. A compile that fails while it keeps or uses a head is repeated without. */
gputune_status gt_head_cache_compile(gt_compiled *out, gt_head_cache *cache, const gt_nvrtc *nvrtc,
                                     const gt_nvrtc_request *request);
