/* The variants of a session, from a configuration to verified code. The field takes configurations
 * from a proposer, generates their sources, has each distinct source compiled once, and sends
 * compiled variants to the measure worker. Not thread-safe. */
#pragma once

#include "base/array.h"
#include "base/hash_index.h"
#include "farm/farm.h"
#include "kernel/bind/source.h"
#include "search/schedule.h"
#include "tuner/history.h"
#include "tuner/proposer.h"
#include "tuner/request.h"

typedef enum gt_stage {
    GT_STAGE_WAITING,   /* waiting to be compiled, or to be verified */
    GT_STAGE_VERIFYING, /* sent to the measure worker */
    GT_STAGE_SLOWER,    /* not proved, because its first launch was clearly too slow */
    GT_STAGE_READY,     /* verified (or compiled, in a field that does not measure) */
    GT_STAGE_DEFERRED,  /* waiting for a second attempt; see gt_deferral */
    GT_STAGE_QUICK,     /* a quick compile that was timed, or has failed */
    GT_STAGE_FAILED,
    GT_STAGES
} gt_stage;

/* Why a variant is deferred. The reason stays set during its second attempt. */
typedef enum gt_deferral {
    GT_DEFERRED_NEVER,
    GT_DEFERRED_LATE,     /* compiles for long, or did not finish in an earlier call; tried last */
    GT_DEFERRED_HUNG,     /* hung once; tried last, with ten times the deadline */
    GT_DEFERRED_WORTHLESS /* takes too long to compile; not tried in this call */
} gt_deferral;

typedef enum gt_role {
    GT_ROLE_PROPOSED, /* takes part in the race */
    GT_ROLE_DEFAULT,  /* the default, which takes part in the race */
    GT_ROLE_FALLBACK, /* verified for misaligned buffers, but does not race */
    GT_ROLE_QUICK     /* compiled quickly and launched once, as information for the proposer */
} gt_role;

typedef struct gt_unit gt_unit;
typedef struct gt_variant gt_variant;

/* A configuration with the same launch as a variant, which alone is tried. */
typedef struct gt_duplicate {
    gt_config config;
    gt_hash trial;
} gt_duplicate;

/* One variant. */
struct gt_variant {
    gt_variant *next; /* next variant in the order of `id` */
    uint32_t id;      /* index in gt_field.variants; identifies the variant in jobs and events */
    gt_config config;
    gt_hash trial;
    gt_unit *unit;            /* NULL before the source is generated */
    gt_variant *next_waiting; /* next variant that waits for the same unit */
    GT_ARRAY(gt_duplicate) duplicates;
    gt_stage stage;
    gt_deferral deferral;
    bool retried; /* true if the variant's second attempt has begun */
    gt_role role;
    bool dropped;       /* true if the measure worker has discarded it */
    bool surely_proved; /* true if it is proved even if its first launch is slow */
    bool kept;          /* true if the variant's trial was stored before the end of the tuning */
    bool remembered;    /* true if it failed in an earlier tuning and was not tried again */
    gputune_status failure; /* why the variant failed or was given up */
    bool repeatable;        /* true if the failure would happen again (gt_event.repeatable) */
    double median_ns;       /* median of its samples as last reported to the proposer; 0: none */
    double work;    /* work of its launch relative to the default's; set before verification */
    uint32_t turn;  /* position in the order of verification, counted from 1 */
    double limit_s; /* a time limit that was too short for the variant; 0: none */
    char *message;
    gt_verified verified;
};

/* One distinct source. */
struct gt_unit {
    uint32_t id; /* index in gt_field.units; identifies the compile job */
    gt_hash hash;
    gt_stage stage; /* WAITING, READY or FAILED */
    gputune_status failure;
    bool repeatable; /* true if the failure would happen again (gt_event.repeatable) */
    bool given_up;   /* true if the compile was ended for good, because it is not worth the time */
    bool put_off;    /* true if the compile was ended to free the worker, and is repeated later */
    double spent_s;  /* seconds spent on compiles that were put off */
    /* seconds of compiling when the proposer was last asked about it */
    double asked_s;
    char *message;
    gt_compiled compiled;
    bool from_store; /* true if the unit's code comes from the store, or is built in */
    /* true if compiled with less optimisation; its hash differs from the full compile's */
    bool is_quick;
    gt_variant *waiting, *last_waiting; /* first and last variant that waits for the unit */
};

typedef struct gt_field_options {
    const gt_request *request;
    gt_farm *farm;
    gt_proposer *proposer;
    bool measure; /* true: compile and measure; false: only compile */
    /* true: if `measure` is false, also compile what a later tuning will need: service kernels,
     * reference and fallback */
    bool for_later;
    bool with_default; /* true if the default comes first, even if it is not proposed */
    /* true: look for the fastest variant. The field adds and verifies the fallback, tries equal
     * launches only once, leaves slow compiles to gt_field_retry(), and does not prove variants
     * whose first launch is too slow. */
    bool races;
    /* true: do not prove variants whose first launch is too slow; implied by `races` */
    bool skips_slow;
    uint32_t limit;            /* maximum number of proposals to take; 0: all */
    const gt_history *history; /* results of earlier tunings of the scenario; NULL: none */
} gt_field_options;

/* Limit on the number of variants of a field, and so on its memory. */
enum { GT_FIELD_VARIANTS_MAX = 1 << 17 };

typedef struct gt_field {
    gt_field_options options;
    gt_measure_setup *setup;         /* allocated separately, because it is large */
    gt_variant *first;               /* first of the variants, in the order of `id` */
    GT_ARRAY(gt_variant *) variants; /* owned; the index is the id */
    GT_ARRAY(gt_unit *) units;       /* owned; the index is the id */
    gt_variant *standard;            /* the default; NULL: the field does not contain it */
    /* NULL if there is none, or if it races like any other variant */
    gt_variant *fallback;
    gt_hash_index sources;  /* maps the hash of a source to the id of its unit */
    gt_hash_index launches; /* maps the hash of a launch to the id of its first variant */
    uint32_t duplicates;    /* number of duplicates of all variants */
    /* number of GT_DEFERRED_WORTHLESS variants and their duplicates */
    uint32_t worthless;
    uint32_t started; /* number of variants whose source was generated and submitted */
    uint32_t compiling, verifying;
    gt_schedule schedule; /* shares the measure worker between rounds and pending variants */
    uint32_t untimed; /* number of verified variants whose time is unknown; the policy sets it */
    bool rounds_wait; /* true if contestants are waiting to be sampled */
    bool abandoned;   /* true if no new work is started */
    bool waits_for_results; /* true if the proposer needs results before its next proposals */
    bool may_measure;       /* true if the session may use the GPU */
    bool preparing, prepared;
    bool waits_for_default; /* true if the default must be verified before all others */
    /* true if the field added the default, because another variant seemed wrong */
    bool added_default;
    gt_prepared preparation;
    GT_ARRAY(gt_variant *) compiled; /* compiled variants, in the order of verification */
    /* ready variants that gt_field_next_ready() has not returned yet */
    GT_ARRAY(gt_variant *) newly_ready;
    uint32_t in[GT_STAGES];  /* number of variants in each stage */
    uint32_t quick_compiles; /* number of variants in the role GT_ROLE_QUICK */
    double best_ns;          /* fastest first launch of a verified variant; 0: unknown */
    uint32_t cut_off;        /* number of variants without a result when the field was abandoned */
    uint32_t turns;
    double longest_s; /* time of the longest compile that succeeded */
    int64_t last_put_off_ns;
    int64_t start_ns;
    bool compiles;        /* true if a variant was compiled, in this tuning or an earlier one */
    uint32_t alike;       /* number of variants that failed to compile with the default's error */
    uint32_t unexplained; /* number of rounds that failed while no variant was sampled */
    gt_variant *doubtful; /* variant that crashed last; NULL: the GPU has worked since then */
    bool cut; /* true if no more proposals are taken, because there were too many variants */
} gt_field;

/* Ids of units: the service kernels, the reference, and the first unit of a variant. */
enum { GT_UNIT_SERVICE, GT_UNIT_REFERENCE, GT_UNIT_FIRST };

/* Opens a field with the default and the fallback, if the options ask for them. A field that
 * measures submits the service kernels and the reference. The options' pointers must outlive the
 * field. */
gputune_status gt_field_open(gt_field *out, const gt_field_options *options);
void gt_field_close(gt_field *field);

/* Takes proposals, generates and submits sources, and sends compiled variants to the measure
 * worker. Returns within a few milliseconds. */
gputune_status gt_field_pump(gt_field *field);
/* Ends compiles that are not worth their time. The proposer may give up any long compile of a
 * proposed variant. With options.races, a slow compile is also put off until gt_field_retry() if
 * others wait for its worker. A compile is slow if it takes more than a fifth of the limit, and far
 * longer than all others did. After a fifth of the limit, variants no longer wait for the default
 * if there is a reference. */
gputune_status gt_field_end_slow_compiles(gt_field *field);
/* Allows the field to use the GPU. */
gputune_status gt_field_allow_measuring(gt_field *field);
/* Returns the seconds to wait for an event: 0 if the last pump could have started more work. */
double gt_field_patience(const gt_field *field);

/* Handles a COMPILED, PREPARED or VERIFIED event. Takes ownership of some parts of the event. */
gputune_status gt_field_handle(gt_field *field, gt_event *event);
/* Returns a variant that became ready, each one once; then NULL. */
gt_variant *gt_field_next_ready(gt_field *field);

/* Verifies all ready variants again, for another race. */
gputune_status gt_field_reverify(gt_field *field);
/* Tries the deferred variants again if nothing else is left. Sets *count to their number. */
gputune_status gt_field_retry(gt_field *field, uint32_t *count);
/* Ends a field whose time has expired. Fails variants that did not finish in a fair part of the
 * time; a later call tries them again only with a longer limit. Defers a default that runs
 * suspiciously long, so the next call that measures tries it last. `busy_s` is the result of
 * gt_session_busy_s(). */
gputune_status gt_field_note_unfinished(gt_field *field, double busy_s);
/* Ends the field of a session that stores nothing. Fails only a variant that runs suspiciously
 * long. */
gputune_status gt_field_note_running(gt_field *field, double busy_s);
/* Stores a failure of the default in the request, so the call does not return the default. */
void gt_field_note_bad_default(const gt_field *field, gt_request *request);
/* Returns true if lack of memory or time kept some variant from racing. */
bool gt_field_lacks_one(const gt_field *field);
/* Starts no more work and expects no answers. The jobs must have been cancelled. */
void gt_field_abandon(gt_field *field);
/* Returns true if the default and many other variants failed to compile with the same error, so no
 * more variants are tried. Always false if the proposer does not learn. */
bool gt_field_never_compiles(const gt_field *field);
/* Returns true if nothing is left to compile or to verify. */
bool gt_field_is_done(const gt_field *field);
/* Returns true if the variant is deferred and gt_field_retry() would try it. */
static inline bool gt_variant_may_be_retried(const gt_variant *variant)
{
    return variant->stage == GT_STAGE_DEFERRED && variant->deferral != GT_DEFERRED_WORTHLESS;
}
/* Returns a word for the result: "ok", "wrong", "crashed", "hung", "compile", "launch" or
 * "slow". */
const char *gt_variant_status(const gt_variant *variant);
/* Returns the code of a unit, to be stored. The unit still owns the image. */
gt_code gt_unit_code(const gt_unit *unit, const gt_device *device);
/* Stores the code that this session compiled. */
gputune_status gt_field_keep_code(const gt_field *field, const gt_patience *patience);
/* Lists in *out the scalars that were proved with only one value; NULL if there are none. The
 * caller frees *out. */
gputune_status gt_field_single(char **out, const gt_field *field);
/* Returns the trial of `duplicate`, or of the variant itself if `duplicate` is NULL. Times, noise,
 * configuration and message are not set. */
gt_trial gt_field_trial(const gt_field *field, const gt_variant *variant,
                        const gt_duplicate *duplicate);
/* Converts a sample to the value that is compared, stored and shown. For the objective rate, this
 * is the time for as much work as the default does in a launch. */
static inline double gt_variant_value(const gt_variant *variant, double sampled)
{
    return sampled / variant->work;
}
/* Finds the variant with this configuration or with a duplicate of it. Returns NULL if there is
 * none. */
const gt_variant *gt_field_find(const gt_field *field, const gt_config *config);
/* Finds the ready variant with this configuration. Returns NULL if there is none. */
const gt_variant *gt_field_find_ready(const gt_field *field, const gt_config *config);
/* Counts variants that have a result from this tuning or an earlier one, including duplicates. The
 * fallback does not count. */
uint32_t gt_field_tried(const gt_field *field);
/* Returns the final number of variants, as far as it is known, including duplicates. */
uint32_t gt_field_total(const gt_field *field);
/* Returns true if the launch that verified the variant can serve as a quick sample: its cache was
 * cold, and it took so long that the host's overhead does not matter. */
bool gt_field_pilot_is_sample(const gt_field *field, const gt_variant *variant);
/* Returns the time of the launch that verified the variant, as a value of the objective; 0:
 * unknown. */
double gt_field_pilot(const gt_field *field, const gt_variant *variant);
/* Records the median of a contestant's samples. If the contestant's first launch was only fast by
 * chance, proves the variants that seemed too slow in comparison. */
gputune_status gt_field_note_median(gt_field *field, gt_variant *variant, double median_ns);
/* Reports the result of a variant to the proposer. `time_ns` is 0 before the first sample. */
void gt_field_report(const gt_field *field, const gt_variant *variant, double time_ns);
/* Handles a failed round of samples. Sets *culprit to the variant that was being sampled, which
 * leaves the race. If there was none, sets it to GT_NO_VARIANT; the round may then be repeated a
 * few times before the call fails. */
gputune_status gt_field_blame(gt_field *field, uint64_t *culprit, const gt_event *event);
/* Records the failure of a launched variant. After its first hang, which may be due to a loaded
 * machine, the variant is only deferred. */
gputune_status gt_field_fail_launched(gt_field *field, gt_variant *variant, const gt_event *event);
gputune_status gt_field_fail(gt_field *field, gt_variant *variant, gputune_status failure,
                             bool repeatable, const char *message);
/* If no variant became ready, fails with the most frequent status and the first message with this
 * status. */
gputune_status gt_field_verdict(const gt_field *field);

/* ---- shared by field.c and field_verify.c ---- */

void gt_field_move(gt_field *field, gt_variant *variant, gt_stage stage);
/* Generates the source of a variant, and submits it if it is new. */
gputune_status gt_field_start(gt_field *field, gt_variant *variant);
/* Binds a variant's launch at the requested size and, if there is one, at the odd-tail size. */
gputune_status gt_field_bind_launches(const gt_field *field, const gt_variant *variant,
                                      gt_launch launches[GT_WORKLOAD_MAX]);
/* Sends compiled variants to the measure worker in order. The default is first, because others are
 * compared with its time. */
gputune_status gt_field_verify_compiled(gt_field *field);
/* Moves a variant to GT_STAGE_READY and reports it to the proposer. */
gputune_status gt_field_mark_ready(gt_field *field, gt_variant *variant);
/* Handles a VERIFIED event. Returns an error if the variant did not cause its failure. */
gputune_status gt_field_handle_verified(gt_field *field, gt_event *event);
/* Sets a variant's message, and appends possible reasons for the failure. */
gputune_status gt_field_explain(const gt_field *field, gt_variant *variant, const char *message);
/* Counts a compile failure that equals the default's. */
void gt_field_count_alike(gt_field *field, gputune_status failure, const char *message);
gputune_status gt_field_defer(gt_field *field, gt_variant *variant, gt_deferral why,
                              gputune_status failure, const char *message);
/* Adds the default, unless the constraints exclude it. */
gputune_status gt_field_add_default(gt_field *field);
