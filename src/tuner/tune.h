/* The way of a request: look up, search, choose. */
#ifndef GT_TUNER_TUNE_H
#define GT_TUNER_TUNE_H

#include "tuner/request.h"

/* What is to be launched, and why. Owns its images and text. */
typedef struct gt_choice {
    gputune_source source;
    gt_config config;
    gt_image image;
    gt_resources resources;
    bool needs_alignment; /* its vectors are wider than the narrowest */
    bool has_fallback;    /* a variant that is right at any alignment comes with it */
    gt_config fallback;
    gt_image fallback_image;
    double time_ns, default_ns;
    double speedup, speedup_low, speedup_high;
    bool tie, noisy;
    uint32_t variants, failed;
    char *stop_reason;
} gt_choice;

void gt_choice_free(gt_choice *choice);

/* Answers the request: the stored winner; else by measuring, as its effort allows, under the
 * scenario's lease; else the nearest size's winner, or the template's default. Database trouble
 * never fails it. ENOCOMPILER only without a stored image and a compiler. */
gputune_status gt_tune(gt_choice *out, gt_request *request);

/* Races the request's space and stores every trial and the winner (search.c). Ended by time or
 * on request, it is the best so far. */
gputune_status gt_search(gt_choice *out, gt_request *request);

/* Chooses without measuring (rank.c): compiles the space, ranks it by the estimate, and takes the
 * best candidate that verifies in the worker. Stores nothing. */
gputune_status gt_rank(gt_choice *out, const gt_request *request);

/* Finds the variant that is right at any alignment for a choice, from `winner` (may be NULL) or by
 * compiling it; none where the choice is that itself. */
gputune_status gt_choose_fallback(gt_choice *choice, const gt_request *request, gt_winner *winner);

/* Compiles one configuration (or takes it from the store) without measuring. Caller frees
 * image->data. */
gputune_status gt_compile_one(gt_image *image, gt_resources *resources, const gt_request *request,
                              const gt_config *config);

#endif
