/* The way of a request: look up, tune, choose. Serves tune.c, rank.c, compile.c, tuning.c and
 * conclude.c. */
#pragma once

#include "tuner/request.h"

/* The configuration to launch, and why it was chosen. Owns its images and text. */
typedef struct gt_choice {
    gputune_source source;
    gt_config config;
    gt_image image;
    gt_resources resources;
    bool needs_alignment; /* the plan needs buffers of more than the least alignment */
    bool has_fallback;    /* a variant that is right at any alignment comes with it */
    bool outside_only;    /* the restrictions of the request leave it out */
    gt_config fallback;
    gt_image fallback_image;
    double time_ns, default_ns;
    gt_verdict verdict;
    gt_terms terms; /* the terms that it was made under: it answers requests of at most these */
    uint32_t variants, failed;
    char *stop_reason;
} gt_choice;

void gt_choice_free(gt_choice *choice);
/* The configuration of a stored winner. ENOTFOUND when it is not one of the request's. The default
 * is one, also where restrictions leave it out: it races in every space. */
gputune_status gt_stored_config(gt_config *out, const gt_request *request, const gt_winner *winner);
/* Takes a stored winner's times, with the speed-up over the template's default: 0 where that was
 * edited since, and is not measured. ENOMEM, or why the store cannot be read. */
gputune_status gt_choice_take_times(gt_choice *choice, const gt_winner *winner,
                                    const gt_request *request);
/* Completes a choice whose configuration, source and terms are set: its code from the winner (NULL:
 * none) or the store, or compiled; its variant for misaligned buffers; the winner's reason. A
 * failure frees the choice. */
gputune_status gt_choice_finish(gt_choice *out, gt_choice *choice, gt_request *request,
                                gt_winner *winner);

/* Answers the request: from the store, as gt_answers() allows; else by measuring, as its effort
 * allows, under the scenario's lease; else with the nearest size's winner, or the template's
 * default. A configuration that was proved wrong, crashed or hung is no answer: where it is the
 * default and nothing else is right, the call fails with that status. Database trouble never fails
 * it. ENOCOMPILER only without a stored image and a compiler. Where the time limit or a cancel
 * ends the measuring, it answers with the default, which is compiled with the first variants, or
 * while it waits for another process's tuning; ETIMEOUT where the limit was too short even for
 * that. It ends within 0.2 s of its limit. A request
 * in the background gets no answer but a winner, as no caller waits for it. */
gputune_status gt_tune(gt_choice *out, gt_request *request);

/* Races the variants of the request's space, and stores every trial and the winner (tuning.c,
 * conclude.c). If time or the caller ends it, chooses the best so far. */
gputune_status gt_search(gt_choice *out, gt_request *request);

/* Chooses without measuring (rank.c): compiles the space, ranks it by the estimate, and takes the
 * best candidate that verifies in the worker. Stores nothing. */
gputune_status gt_rank(gt_choice *out, gt_request *request);

/* Compiles one configuration (or takes it from the store) without measuring. Caller frees
 * image->data. NULL: its code is not wanted; that of the default stays with the request. */
gputune_status gt_compile_one(gt_image *image, gt_resources *resources, gt_request *request,
                              const gt_config *config);
/* Compiles the default, so that it is the request's standby. It gets most of the time that is left;
 * that it does not succeed is no failure. */
void gt_stand_by(gt_request *request);
/* Compiles the request's space, stores the code, and calls `each` for every variant as it is done,
 * in the order of the space; a non-zero answer stops and is returned. Stopped by time or on
 * request, what was compiled is kept. ECOMPILE where nothing compiled. */
int gt_compile_space(gt_request *request, int (*each)(void *user, const gputune_compiled *compiled),
                     void *user);
