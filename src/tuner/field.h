/* A field holds the variants of one session on their way from proposal to proof. It takes
 * configurations from a proposer, generates their sources, hands each distinct source to the
 * compile workers once, and hands compiled variants to the measure worker. One thread. */
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
    GT_STAGE_WAITING,   /* its source is not compiled yet */
    GT_STAGE_VERIFYING, /* the measure worker has it */
    GT_STAGE_SLOWER,   /* its first launch was clearly slower than the best right variant: it cannot
                          win, and was not proved */
    GT_STAGE_READY,    /* verified (or compiled, in a field that does not measure) */
    GT_STAGE_DEFERRED, /* see gt_deferral */
    GT_STAGE_QUICK,    /* a quick compile whose time, or failure, is known */
    GT_STAGE_FAILED,
    GT_STAGES
} gt_stage;

/* Why a variant was deferred, while it is and later. */
typedef enum gt_deferral {
    GT_DEFERRED_NEVER,
    GT_DEFERRED_LATE, /* it compiles for long, or did not end in an earlier call: tried last */
    GT_DEFERRED_HUNG, /* it hung once, in this call or an earlier one: tried after all others, with
                         ten times the deadline */
    GT_DEFERRED_WORTHLESS /* compiling took longer than it is worth: not tried now, nor stored */
} gt_deferral;

/* Why a variant is in the field. */
typedef enum gt_role {
    GT_ROLE_PROPOSED, /* races */
    GT_ROLE_DEFAULT,  /* races, and every result is compared with it */
    GT_ROLE_FALLBACK, /* compiled and verified for misaligned buffers, and not raced */
    GT_ROLE_QUICK     /* compiled quickly and launched once, for the proposer alone */
} gt_role;

typedef struct gt_unit gt_unit;
typedef struct gt_variant gt_variant;

/* A configuration that is launched exactly as a variant is, which is tried for both. */
typedef struct gt_duplicate {
    gt_config config;
    gt_hash trial;
} gt_duplicate;

/* One variant. */
struct gt_variant {
    gt_variant *next; /* the variant that was added next; NULL: none was */
    uint32_t id;      /* of the variant in jobs and events: its place in gt_field.variants */
    gt_config config;
    gt_hash trial;
    gt_unit *unit;       /* the source from which it is compiled; NULL until it is generated */
    gt_variant *sibling; /* the next variant that waits for the same unit; NULL: none */
    GT_ARRAY(gt_duplicate) duplicates; /* configurations with the same launch */
    gt_stage stage;
    gt_deferral deferral;
    bool retried; /* it was deferred, and its second attempt has begun */
    gt_role role;
    bool dropped;           /* the measure worker has forgotten it */
    bool surely_proved;     /* must be proved, however slow its first launch is */
    bool kept;              /* its trial was stored before the tuning's end */
    bool remembered;        /* failed in an earlier tuning, and was not tried again */
    gputune_status failure; /* status of a variant that failed or was given up, as in gt_event */
    bool repeatable;        /* of a crash or a hang, as in gt_event */
    double median_ns;       /* median of its samples, as last reported to the proposer; 0: none */
    double work;    /* work of its launch over that of the default's; known before verifying */
    uint32_t turn;  /* its place in the order in which variants were sent to verification, from 1 */
    double limit_s; /* time limit, in seconds, within which it did not end: a call with a longer
                       limit tries it again; 0: it ended */
    char *message;
    gt_verified verified;
};

/* One distinct source. */
struct gt_unit {
    uint32_t id; /* of its compile job: its place in gt_field.units */
    gt_hash hash;
    gt_stage stage; /* WAITING, READY or FAILED */
    gputune_status failure;
    bool repeatable; /* of a failure, as in gt_event */
    bool given_up;   /* the farm has ended its compile */
    bool put_off;    /* the same, because this compile held up others: it is repeated after them */
    bool kept;       /* its code was stored before the tuning's end */
    double spent_s;  /* seconds that its compiles have taken that were put off */
    double asked_s;  /* how long it had compiled when the proposer was last asked */
    char *message;
    gt_compiled compiled;
    bool from_store; /* its code is stored already, or built in */
    bool is_quick;   /* compiled quickly; its hash then differs from that of the source alone */
    gt_variant *waiting, *last_waiting; /* the first and last variant that wait for it, or NULL */
};

typedef struct gt_field_options {
    const gt_request *request;
    gt_farm *farm;
    gt_proposer *proposer;
    bool measure;      /* false: compile only */
    bool for_later;    /* without `measure`: compile also what a later tuning needs besides the
                          proposals: the service kernels, the reference and the fallback */
    bool with_default; /* the default is the first variant, whatever is proposed */
    bool races; /* the fastest variant is sought. The fallback follows the default, and is verified,
                   not raced. One of several variants with equal launches is tried. Slow compiles
                   are left to gt_field_retry(). A variant whose first launch is too slow is not
                   proved */
    uint32_t limit;            /* most proposals that are taken; 0: all */
    const gt_history *history; /* what earlier tunings of the scenario found; NULL: nothing */
} gt_field_options;

/* More variants than a tuning can try; a limit on memory. */
enum { GT_FIELD_VARIANTS_MAX = 1 << 17 };

typedef struct gt_field {
    gt_field_options options;
    gt_measure_setup *setup; /* owned, on the heap because it is large; its images come later */
    gt_variant *first;       /* of the variants */
    GT_ARRAY(gt_variant *) variants; /* by id; owned */
    GT_ARRAY(gt_unit *)
    units;                 /* [0] the service kernels, [1] the reference; variants' follow; owned */
    gt_variant *standard;  /* the default; NULL: it is not in the field */
    gt_variant *fallback;  /* the variant for any alignment, while it does not race; NULL: none */
    gt_hash_index sources; /* hash of a source: the id of its unit */
    gt_hash_index launches; /* hash of a launch: id of the first variant with it (options.races) */
    uint32_t duplicates;    /* of all variants */
    uint32_t worthless;     /* GT_DEFERRED_WORTHLESS, their duplicates included */
    uint32_t started; /* how many of `variants` have a source that was generated and submitted */
    uint32_t compiling, verifying;
    gt_schedule schedule; /* shares the measure worker's time, and limits compiling ahead */
    uint32_t untimed;     /* right variants without a time yet: no sample, and no first launch that
                             tells it; the session sets this */
    bool rounds_wait;     /* the session has contestants to sample, and samples none of them now */
    bool abandoned;       /* nothing more is started */
    bool awaits_results;  /* the proposer waits for results before it proposes more */
    bool may_measure;     /* the session may measure on the GPU, so preparing may begin */
    bool preparing, prepared;
    bool awaits_default; /* the default is verified before all others */
    bool added_default;  /* the default was added only because a variant was found wrong */
    gt_prepared preparation;
    GT_ARRAY(gt_variant *)
    compiled; /* variants that wait for preparation, default and their turn to be verified */
    GT_ARRAY(gt_variant *)
    newly_ready;             /* became ready, and gt_field_next_ready() has not returned them yet */
    uint32_t in[GT_STAGES];  /* how many variants are in each stage */
    uint32_t quick_compiles; /* variants that are quick compiles, whatever their stage */
    double best_ns;          /* fastest first launch of a right variant; 0: none tells its time */
    uint32_t cut_off;        /* variants that the field was abandoned before they had a result */
    gt_saved_output *saves;  /* files that the first variant's outputs are written to */
    uint32_t save_count;
    uint32_t turns;
    double longest_s; /* the longest compile of a variant that ended */
    int64_t last_put_off_ns;
    int64_t start_ns;
    bool compiles;        /* a source of a variant compiled, now or in an earlier tuning */
    uint32_t alike;       /* variants that failed to compile with the default's error */
    uint32_t unexplained; /* rounds that failed while no variant was sampled */
    gt_variant *doubtful; /* the variant of the last crash; NULL: the GPU has worked since */
    bool cut;             /* there were more proposals than the limit, or memory, allows */
} gt_field;

enum { GT_UNIT_SERVICE, GT_UNIT_REFERENCE, GT_UNIT_FIRST };

/* Opens a field with the default and the fallback, if the options ask for them. A field that
 * measures submits the service kernels and the reference. The options must outlive the field. */
gputune_status gt_field_open(gt_field *out, const gt_field_options *options);
void gt_field_close(gt_field *field);

/* Takes proposals, generates sources and submits them, so that the compile workers stay busy; hands
 * compiled variants to the measure worker when it is their turn. Returns within milliseconds. */
gputune_status gt_field_pump(gt_field *field);
/* Ends long compiles that the proposer gives up, except the default's and the fallback's. When the
 * farm answers, their variants are reported to the proposer as failures; they are not stored.
 *
 * With options.races, also ends slow compiles while others wait for a worker, and leaves their
 * variants for gt_field_retry(). A compile is slow if it takes more than a fifth of the limit, and
 * far longer than all that have ended; before one has ended, one at a time is ended. The default's
 * compile is ended only if there is one worker. After a fifth of the limit, variants no longer wait
 * for the default if there is a reference. */
gputune_status gt_field_end_slow_compiles(gt_field *field);
/* Says that the session may measure on the GPU from now on. */
gputune_status gt_field_allow_measuring(gt_field *field);
/* How long to wait for an event between two pumps, in seconds: 0 if the last pump did not start all
 * that it could, else the time for which a cancel may go unnoticed. */
double gt_field_patience(const gt_field *field);

/* Handles a COMPILED, PREPARED or VERIFIED event: keeps parts of it, submits what follows. */
gputune_status gt_field_handle(gt_field *field, gt_event *event);
/* Returns each variant that became ready once; NULL when there are no more. */
gt_variant *gt_field_next_ready(gt_field *field);

/* Sends every ready variant, even a dropped one, to verification again, for another race. */
gputune_status gt_field_reverify(gt_field *field);
/* Tries the deferred variants again, once nothing else is left to try. *count is how many. */
gputune_status gt_field_retry(gt_field *field, uint32_t *count);
/* Called when the request's time is up: fails the variants that had a fair part of the time and did
 * not finish. A later call does not try them unless its limit is longer; a variant that hung once,
 * and a default that runs suspiciously long, is tried by the next call that measures, after all
 * others. `busy_s`: seconds for which the measure worker has been at its present request. */
gputune_status gt_field_note_unfinished(gt_field *field, double busy_s);
/* The same for a session that stores nothing: fails only a variant that runs suspiciously long. */
gputune_status gt_field_note_running(gt_field *field, double busy_s);
/* If the default has failed, notes that in the request, so that the call does not return it. */
void gt_field_note_bad_default(const gt_field *field, gt_request *request);
/* Returns true if some variant could not race for want of memory or time. */
bool gt_field_lacks_one(const gt_field *field);
/* Stops the field: it starts nothing, and expects no answers, because the jobs were cancelled. */
void gt_field_abandon(gt_field *field);
/* Returns true if nothing compiles, the default included, and so many variants failed alike that no
 * more are tried; false if variants come in the order of the space. */
bool gt_field_never_compiles(const gt_field *field);
/* Returns true if nothing is left to compile or to verify. */
bool gt_field_is_done(const gt_field *field);
/* Returns true if the variant is deferred and the field would try it again. */
static inline bool gt_variant_may_be_retried(const gt_variant *variant)
{
    return variant->stage == GT_STAGE_DEFERRED && variant->deferral != GT_DEFERRED_WORTHLESS;
}
/* "ok", "wrong", "crashed", "hung", "compile", "launch", "slow". */
const char *gt_variant_status(const gt_variant *variant);
/* The code of a unit, to be stored. The unit keeps ownership of the image. */
gt_code gt_unit_code(const gt_unit *unit, const gt_device *device);
/* Stores the code of the ready variants that this session compiled. */
gputune_status gt_field_keep_code(const gt_field *field, const gt_patience *patience);
/* Names scalars that were proved with one value only, or NULL. The caller frees *out. ENOMEM. */
gputune_status gt_field_single(char **out, const gt_field *field);
/* Makes a trial of what is known of a variant, or of a duplicate of it (NULL: of itself), without
 * its samples. The caller fills in times, noise, configuration and message. */
gt_trial gt_field_trial(const gt_field *field, const gt_variant *variant,
                        const gt_duplicate *duplicate);
/* Converts a sample of a variant to the value that is compared, stored and shown: by the objective
 * `rate` the time for the work of the default's launch, else the sample itself. */
static inline double gt_variant_value(const gt_variant *variant, double sampled)
{
    return sampled / variant->work;
}
/* The variant that is tried for a configuration, its own or one with the same launch; or NULL. */
const gt_variant *gt_field_find(const gt_field *field, const gt_config *config);
/* The ready variant of a configuration, or NULL. */
const gt_variant *gt_field_find_ready(const gt_field *field, const gt_config *config);
/* How many variants were tried, or are known from earlier tunings, without the fallback, compiles
 * that were given up, and those without a result when the field was abandoned. */
uint32_t gt_field_tried(const gt_field *field);
/* How many variants there will be, as far as known. As in gt_field_tried(), duplicates count. */
uint32_t gt_field_total(const gt_field *field);
/* Returns true if the launch that verified a variant is as good as a quick sample of its time: it
 * ran with a cold cache, and took so long that the host's part does not count. */
bool gt_field_pilot_is_sample(const gt_field *field, const gt_variant *variant);
/* The time of the launch that verified a variant, by the objective; 0: it is not known. */
double gt_field_pilot(const gt_field *field, const gt_variant *variant);
/* Notes the median of a racing variant's samples. If its first launch was lucky, variants that were
 * left out because they were slower than that launch are proved. ENOMEM. */
gputune_status gt_field_note_median(gt_field *field, gt_variant *variant, double median_ns);
/* Tells the proposer the result of a variant; `time_ns` is 0 if the variant was not sampled yet. */
void gt_field_tell(const gt_field *field, const gt_variant *variant, double time_ns);
/* Handles a round of samples that failed. The variant that was being sampled leaves the race, and
 * *culprit is its id. If no variant was being sampled, *culprit is GT_NO_VARIANT: the round may be
 * repeated, and after a few such rounds this function fails. */
gputune_status gt_field_blame(gt_field *field, uint64_t *culprit, const gt_event *event);
/* Records the failure of a variant that was launched. One that hung for the first time may have
 * been held up by a loaded machine: it is tried again, last and with more time. ENOMEM. */
gputune_status gt_field_fail_launched(gt_field *field, gt_variant *variant, const gt_event *event);
/* Records a failure of a variant. ENOMEM. */
gputune_status gt_field_fail(gt_field *field, gt_variant *variant, gputune_status failure,
                             bool repeatable, const char *message);
/* Fails as most variants of a field failed in which none became ready, with the first message. */
gputune_status gt_field_verdict(const gt_field *field);

/* ---- between field.c and field_verify.c ---- */

/* Moves a variant to another stage. */
void gt_field_move(gt_field *field, gt_variant *variant, gt_stage stage);
/* Generates the source of a variant, and submits its compile if the source is new. */
gputune_status gt_field_start(gt_field *field, gt_variant *variant);
/* Binds a variant's launches at the requested size and, if there is one, at the odd-tail size. */
gputune_status gt_field_bind_launches(const gt_field *field, const gt_variant *variant,
                                      gt_launch launches[GT_WORKLOAD_MAX]);
/* Sends compiled variants to verification, as many as the measure worker has room for, once it has
 * begun to prepare. The default is the first, because others are compared with its time. */
gputune_status gt_field_verify_compiled(gt_field *field);
/* Notes that a variant is verified, or needs no verification, and tells the proposer. */
gputune_status gt_field_mark_ready(gt_field *field, gt_variant *variant);
/* Takes an answer to a verification. Fails if the failure is not the variant's fault. */
gputune_status gt_field_handle_verified(gt_field *field, gt_event *event);
/* Sets a variant's message to what explains its failure. ENOMEM. */
gputune_status gt_field_explain(const gt_field *field, gt_variant *variant, const char *message);
/* Counts a failure, of a variant or of an earlier trial, that is the default's. */
void gt_field_count_alike(gt_field *field, gputune_status failure, const char *message);
/* Defers a variant. ENOMEM. */
gputune_status gt_field_defer(gt_field *field, gt_variant *variant, gt_deferral why,
                              gputune_status failure, const char *message);
/* Adds the default, which is verified before all others, if the request permits it. ENOMEM. */
gputune_status gt_field_add_default(gt_field *field);
