/* The field: the variants of a session. It takes configurations from a proposer, generates sources,
 * has each source compiled once, and sends variants to the measure worker. Not thread-safe. */
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
    GT_STAGE_WAITING,   /* waiting to be compiled or verified */
    GT_STAGE_VERIFYING, /* sent to the measure worker */
    GT_STAGE_SLOWER,    /* not proved, because its first launch was clearly too slow */
    GT_STAGE_READY,     /* verified, or only compiled if the field does not measure */
    GT_STAGE_DEFERRED,  /* waiting for a second attempt (gt_deferral) */
    GT_STAGE_QUICK,     /* a GT_ROLE_QUICK variant that was timed or failed */
    GT_STAGE_FAILED,
    GT_STAGES
} gt_stage;

/* Why a variant waits for a second attempt. The reason stays set during that attempt. */
typedef enum gt_deferral {
    GT_DEFERRED_NEVER,
    GT_DEFERRED_LATE,     /* slow to compile, or unfinished in an earlier call; tried last */
    GT_DEFERRED_HUNG,     /* hung once; tried last, with ten times the deadline */
    GT_DEFERRED_WORTHLESS /* takes too long to compile; not tried again in this call */
} gt_deferral;

typedef enum gt_role {
    GT_ROLE_PROPOSED,
    GT_ROLE_DEFAULT,  /* the default, which races like proposed variants */
    GT_ROLE_FALLBACK, /* verified for misaligned buffers, but does not race */
    GT_ROLE_QUICK     /* compiled quickly and launched once, as information for the proposer */
} gt_role;

typedef struct gt_unit gt_unit;
typedef struct gt_variant gt_variant;

/* A configuration that has the same launch as a variant. Only the variant is tried. */
typedef struct gt_duplicate {
    gt_config config;
    gt_hash trial;
} gt_duplicate;

struct gt_variant {
    gt_variant *next; /* next variant, in the order of `id` */
    uint32_t id;      /* index in gt_field.variants; identifies the variant in jobs and events */
    gt_config config;
    gt_hash trial;
    gt_unit *unit;            /* NULL before the source is generated */
    gt_variant *next_waiting; /* next variant that waits for the same unit */
    GT_ARRAY(gt_duplicate) duplicates;
    gt_stage stage;
    gt_deferral deferral;
    bool retried; /* true if the second attempt has begun */
    gt_role role;
    bool dropped;       /* true if the measure worker has discarded the variant */
    bool surely_proved; /* true: prove the variant even if its first launch is slow */
    bool kept;          /* true if the trial was stored before the end of the tuning */
    bool remembered; /* true if the variant failed in an earlier tuning and was not tried again */
    gputune_status failure; /* why the variant failed or was given up */
    bool repeatable;        /* true if the failure would happen again (gt_event.repeatable) */
    double median_ns;       /* median of the samples, as last reported to the proposer; 0: none */
    double work;            /* work relative to the default's launch; set before verification */
    uint32_t turn;          /* position in the order of verification, counted from 1 */
    double limit_s;         /* a time limit that was too short for the variant; 0: none */
    char *message;
    gt_verified verified;
};

struct gt_unit {
    uint32_t id; /* index in gt_field.units; identifies the compile job */
    gt_hash hash;
    gt_stage stage; /* WAITING, READY or FAILED */
    gputune_status failure;
    bool repeatable; /* true if the failure would happen again (gt_event.repeatable) */
    bool given_up;   /* true if the compile was ended, because it is not worth its time */
    bool put_off;    /* true if the compile was ended to free its worker; it is repeated later */
    double spent_s;  /* seconds spent on compiles that were put off */
    double asked_s;  /* compile time when the proposer was last asked to give up */
    char *message;
    gt_compiled compiled;
    bool from_store; /* true if the code was stored or is built in */
    bool is_quick;   /* true if compiled with less optimisation, under a different hash */
    gt_variant *waiting, *last_waiting; /* first and last variant that waits for this unit */
};

typedef struct gt_field_options {
    const gt_request *request;
    gt_farm *farm;
    gt_proposer *proposer;
    bool measure; /* false: only compile */
    /* without `measure`: also compile service kernels, reference and fallback, for later tunings */
    bool for_later;
    bool with_default; /* true if the default comes first, even if it is not proposed */
    /* true: look for the fastest variant. Then the field also verifies the fallback, tries equal
     * launches only once, leaves slow compiles to gt_field_retry(), and implies `skips_slow`. */
    bool races;
    bool skips_slow;           /* true: do not prove variants whose first launch is too slow */
    uint32_t limit;            /* maximum number of proposals to take; 0: all */
    const gt_history *history; /* results of earlier tunings of the scenario; NULL: none */
} gt_field_options;

/* Maximum number of variants, which bounds the memory. */
enum { GT_FIELD_VARIANTS_MAX = 1 << 17 };

typedef struct gt_field {
    gt_field_options options;
    gt_measure_setup *setup;         /* on the heap, because it is large */
    gt_variant *first;               /* first variant, in the order of `id` */
    GT_ARRAY(gt_variant *) variants; /* owned; indexed by id */
    GT_ARRAY(gt_unit *) units;       /* owned; indexed by id */
    gt_variant *standard;            /* the default; NULL if it is not in the field */
    gt_variant *fallback;            /* fallback that does not race; NULL: none */
    gt_hash_index sources;           /* maps the hash of a source to the id of its unit */
    gt_hash_index launches;          /* maps the hash of a launch to the id of its first variant */
    uint32_t duplicates;
    uint32_t worthless; /* includes duplicates */
    uint32_t started;   /* number of variants whose source was generated */
    uint32_t compiling, verifying;
    gt_schedule schedule; /* shares the measure worker's time between rounds and pending variants */
    uint32_t untimed;     /* number of verified variants without a time; set by the policy */
    bool rounds_wait;     /* true if contestants wait to be sampled */
    bool abandoned;       /* true if no new work may start */
    bool waits_for_results; /* true if the proposer needs results before it proposes more */
    bool may_measure;       /* true if the session may use the GPU */
    bool preparing, prepared;
    bool waits_for_default; /* true if the default must be verified before other variants */
    bool added_default;     /* true if the default was added to check a variant that seemed wrong */
    gt_prepared preparation;
    GT_ARRAY(gt_variant *) compiled;    /* variants to verify, in order */
    GT_ARRAY(gt_variant *) newly_ready; /* contestants for gt_field_next_ready() */
    uint32_t in[GT_STAGES];
    uint32_t quick_compiles; /* number of GT_ROLE_QUICK variants */
    double best_ns;          /* fastest first launch of a verified variant; 0: unknown */
    uint32_t cut_off;        /* number of variants without a result when the field was abandoned */
    uint32_t turns;
    double longest_s; /* time of the longest successful compile */
    int64_t last_put_off_ns;
    int64_t start_ns;
    bool compiles;  /* true if any variant has ever compiled, in this tuning or an earlier one */
    uint32_t alike; /* number of variants that failed to compile with the default's error */
    uint32_t unexplained; /* number of failed rounds without a known culprit */
    gt_variant *doubtful; /* variant that crashed last; NULL if the GPU has worked since */
    bool cut;             /* true if proposals were left out, because there were too many */
} gt_field;

/* Ids of units: service kernels, reference, and the first unit of a variant. */
enum { GT_UNIT_SERVICE, GT_UNIT_REFERENCE, GT_UNIT_FIRST };

/* Opens a field with the default and the fallback, if requested. A field that measures submits the
 * service kernels and the reference. The options' pointers must outlive the field. */
gputune_status gt_field_open(gt_field *out, const gt_field_options *options);
void gt_field_close(gt_field *field);

/* Takes proposals, and submits sources and compiled variants. Returns within a few milliseconds. */
gputune_status gt_field_pump(gt_field *field);
/* Ends compiles that are not worth their time. The proposer may give up any long compile. With
 * options.races, a slow compile is put off until gt_field_retry() if other compiles wait for a
 * worker. A compile is slow after a fifth of the limit, if it also takes far longer than all
 * others. If there is a reference, variants wait for the default only during that fifth. */
gputune_status gt_field_end_slow_compiles(gt_field *field);
/* Allows the field to use the GPU. */
gputune_status gt_field_allow_measuring(gt_field *field);
/* Returns how many seconds to wait for an event; 0 if gt_field_pump() should be called again. */
double gt_field_patience(const gt_field *field);

/* Handles a COMPILED, PREPARED or VERIFIED event. Takes ownership of parts of the event. */
gputune_status gt_field_handle(gt_field *field, gt_event *event);
/* Returns a ready contestant that no earlier call has returned; NULL if there is none. */
gt_variant *gt_field_next_ready(gt_field *field);

/* Queues all contestants for verification again, for another race. */
gputune_status gt_field_reverify(gt_field *field);
/* Starts the second attempts of deferred variants. Sets *count to their number. */
gputune_status gt_field_retry(gt_field *field, uint32_t *count);
/* Ends a field after the time limit. Fails variants that did not finish in a fair part of the time;
 * only calls with a longer limit try them again. Defers a default that ran suspiciously long, so
 * the next tuning tries it last. `busy_s` is gt_session_busy_s(). */
gputune_status gt_field_note_unfinished(gt_field *field, double busy_s);
/* Ends the field of a session that stores nothing. A variant that ran suspiciously long fails. */
gputune_status gt_field_note_running(gt_field *field, double busy_s);
/* Copies a failure of the default to the request, so the call does not return the default. */
void gt_field_note_bad_default(const gt_field *field, gt_request *request);
/* Returns true if some variant could not race because memory or time ran out. */
bool gt_field_lacks_one(const gt_field *field);
/* Starts no more work, and expects no more events. All jobs must have been cancelled. */
void gt_field_abandon(gt_field *field);
/* Returns true if the default and many other variants failed to compile with the same error. Then
 * no more variants are tried. Always false if the proposer does not learn. */
bool gt_field_never_compiles(const gt_field *field);
/* Returns true if nothing is left to compile or to verify. */
bool gt_field_is_done(const gt_field *field);
/* Returns true if gt_field_retry() would try the variant. */
static inline bool gt_variant_may_be_retried(const gt_variant *variant)
{
    return variant->stage == GT_STAGE_DEFERRED && variant->deferral != GT_DEFERRED_WORTHLESS;
}
/* Returns "ok", "wrong", "crashed", "hung", "compile", "launch" or "slow". */
const char *gt_variant_status(const gt_variant *variant);
/* Returns a unit's code for the store. The unit still owns the image. */
gt_code gt_unit_code(const gt_unit *unit, const gt_device *device);
/* Stores the code that this session compiled. */
gputune_status gt_field_keep_code(const gt_field *field, const gt_patience *patience);
/* Describes in *out the scalars proved with one value only, or sets NULL. The caller frees *out. */
gputune_status gt_field_single(char **out, const gt_field *field);
/* Returns a trial of `duplicate` (NULL: of the variant itself), without times, noise and texts. */
gt_trial gt_field_trial(const gt_field *field, const gt_variant *variant,
                        const gt_duplicate *duplicate);
/* Converts a sample to the value that is compared, stored and shown. For the objective rate, the
 * value is the time for the work of the default's launch. */
static inline double gt_variant_value(const gt_variant *variant, double sampled)
{
    return sampled / variant->work;
}
/* Finds the variant that has this configuration or a duplicate with it; NULL if there is none. */
const gt_variant *gt_field_find(const gt_field *field, const gt_config *config);
/* Finds the ready variant with this configuration; NULL if there is none. */
const gt_variant *gt_field_find_ready(const gt_field *field, const gt_config *config);
/* Counts variants with a result. Includes duplicates and earlier tunings, but not the fallback. */
uint32_t gt_field_tried(const gt_field *field);
/* Returns the number of variants at the end, with duplicates, as far as it is known. */
uint32_t gt_field_total(const gt_field *field);
/* Returns true if the variant's first launch, which verified it, can serve as a quick sample: its
 * cache was cold, and it took so long that the host's overhead is negligible. */
bool gt_field_pilot_is_sample(const gt_field *field, const gt_variant *variant);
/* Returns the time of the variant's first launch as a value of the objective; 0 if unknown. */
double gt_field_pilot(const gt_field *field, const gt_variant *variant);
/* Records the median of a contestant's samples. If they show that its first launch was fast only by
 * chance, proves the variants that seemed too slow in comparison. */
gputune_status gt_field_note_median(gt_field *field, gt_variant *variant, double median_ns);
/* Reports a variant's result to the proposer. `time_ns` is 0 before the first sample. */
void gt_field_report(const gt_field *field, const gt_variant *variant, double time_ns);
/* Handles a failed round. Sets *culprit to the variant that was being sampled, which leaves the
 * race, or to GT_NO_VARIANT. The session fails after a few rounds without a culprit. */
gputune_status gt_field_blame(gt_field *field, uint64_t *culprit, const gt_event *event);
/* Records a launched variant's failure. A first hang only defers it: the machine may be loaded. */
gputune_status gt_field_fail_launched(gt_field *field, gt_variant *variant, const gt_event *event);
gputune_status gt_field_fail(gt_field *field, gt_variant *variant, gputune_status failure,
                             bool repeatable, const char *message);
/* If no variant became ready, fails with the most frequent failure among the variants. */
gputune_status gt_field_verdict(const gt_field *field);

/* ---- shared by field.c and field_verify.c ---- */

void gt_field_move(gt_field *field, gt_variant *variant, gt_stage stage);
/* Generates the source of a variant, and submits it if it is new. */
gputune_status gt_field_start(gt_field *field, gt_variant *variant);
/* Binds a variant's launch at the requested size and, if there is one, at the odd-tail size. */
gputune_status gt_field_bind_launches(const gt_field *field, const gt_variant *variant,
                                      gt_launch launches[GT_WORKLOAD_MAX]);
/* Sends compiled variants to the measure worker, the default first, because its time is needed. */
gputune_status gt_field_verify_compiled(gt_field *field);
/* Moves a variant to GT_STAGE_READY and reports it to the proposer. */
gputune_status gt_field_mark_ready(gt_field *field, gt_variant *variant);
/* Handles a VERIFIED event. Fails if the event reports a failure that the variant did not cause. */
gputune_status gt_field_handle_verified(gt_field *field, gt_event *event);
/* Sets a variant's message to `message`, followed by possible reasons for the failure. */
gputune_status gt_field_explain(const gt_field *field, gt_variant *variant, const char *message);
/* Counts a compile failure with the same message as the default's. */
void gt_field_count_alike(gt_field *field, gputune_status failure, const char *message);
gputune_status gt_field_defer(gt_field *field, gt_variant *variant, gt_deferral why,
                              gputune_status failure, const char *message);
/* Adds the default, unless constraints exclude it. */
gputune_status gt_field_add_default(gt_field *field);
