/* The variants of one session on their way from proposal to proof: takes configurations from a
 * proposer, generates sources, hands each distinct one to the compile workers once, and compiled
 * variants to the measure worker. One thread. */
#pragma once

#include "base/array.h"
#include "base/hash_index.h"
#include "farm/farm.h"
#include "kernel/source.h"
#include "search/schedule.h"
#include "tuner/history.h"
#include "tuner/proposer.h"
#include "tuner/request.h"

typedef enum gt_stage {
    GT_STAGE_WAITING,   /* its source is not compiled yet */
    GT_STAGE_VERIFYING, /* with the measure worker */
    GT_STAGE_SLOWER, /* its first launch was clearly slower than the best that is right: it cannot
                        win, and was not proved */
    GT_STAGE_READY,  /* verified (or compiled, in a field that does not measure) */
    GT_STAGE_OUTCLASSED, /* measured earlier and far slower than the best of this space; not tried
                          */
    GT_STAGE_TWIN,       /* the same launch as an earlier variant, which is tried for both */
    GT_STAGE_GIVEN_UP,   /* compiling it took far longer than it is worth; not tried */
    GT_STAGE_LATE,       /* takes long to compile or did not end once; tried after all others */
    GT_STAGE_SKETCHED,   /* a sketch whose time, or failure, is known */
    GT_STAGE_FAILED
} gt_stage;

/* Why a variant is in the field. */
typedef enum gt_role {
    GT_ROLE_PROPOSED, /* races */
    GT_ROLE_DEFAULT,  /* races, and every result is compared with it */
    GT_ROLE_FALLBACK, /* compiled and verified for misaligned buffers, and not raced */
    GT_ROLE_SKETCH    /* compiled quickly and launched once, for the proposer alone */
} gt_role;

/* One variant. Its id in jobs and events is its index. */
typedef struct gt_variant {
    gt_config config;
    gt_hash trial;
    uint32_t unit;      /* index of the source it is compiled from */
    uint32_t sibling;   /* the next variant that waits for the same unit, plus one; 0: none */
    uint32_t twin;      /* in GT_STAGE_TWIN: the variant that is tried instead */
    uint32_t next_twin; /* the next one that this is tried for, or is tried with it, plus one; 0 */
    gt_stage stage;
    gt_role role;
    bool dropped;           /* the measure worker was told to forget it */
    bool surely_proved;     /* is proved, however slow its first launch is */
    bool kept;              /* its trial was stored before the tuning's end */
    bool remembered;        /* failed in an earlier tuning, and was not tried again */
    gputune_status failure; /* of a failed or given up one, as gt_event says */
    bool repeatable;        /* of a crash or a hang, as gt_event says */
    double median_ns;       /* of its samples, by the objective, when it was last told; 0: none */
    double work;      /* of a launch, over that of the default's; known once it is to be verified */
    uint32_t turn;    /* counts what is sent to verification */
    uint32_t hangs;   /* verifications that did not end in time; after one it is tried again */
    uint32_t helper;  /* whose measure worker has it in hand, from 1; 0: none's */
    bool helped;      /* another GPU's has launched it: it is this one's turn */
    bool tried_late;  /* was GT_STAGE_LATE, and its turn has come */
    double cut_off_s; /* the limit it did not end in: a longer one tries again; 0: it ended */
    char *message;
    gt_verified verified;
} gt_variant;

/* One distinct source. */
typedef struct gt_unit {
    gt_hash hash;
    gt_stage stage; /* WAITING, READY or FAILED */
    gputune_status failure;
    bool repeatable; /* of a failure, as gt_event says */
    bool given_up;   /* the farm was told to end its compile */
    bool put_off;    /* the same, because it held up others: it is compiled again after them */
    bool kept;       /* its code was stored before the tuning's end */
    double asked_s;  /* seconds of its compile when the proposer was last asked about it */
    char *message;
    gt_compiled compiled;
    bool from_store;
    int64_t elsewhere_ns;           /* another session compiles it, since then; 0: none does */
    bool is_sketch;                 /* compiled quickly; of another hash than its source alone */
    uint32_t waiting, last_waiting; /* first and last variant that wait for it, plus one; 0: none */
} gt_unit;

/* Another GPU of the same kind, on which variants are launched first (field_help.c). */
typedef struct gt_helper {
    gputune *tuner; /* whose farm it is */
    char name[32];  /* "GPU 1" */
    gt_farm *farm;
    bool asked, prepared, lost; /* asked to prepare */
    uint32_t in_hand;           /* variants that its measure worker has */
    int64_t since_ns;           /* it has been at the first of them since then */
    double scale;          /* a launch's time on the request's GPU over that here; 0: not known */
    uint32_t uncalibrated; /* variants since the scale was found out */
    uint32_t unequal;      /* in a row: scales that no equal GPU has */
    bool calibrates;
    uint32_t launched;    /* variants, for the debug log */
    gt_schedule schedule; /* of it alone; no rounds are taken there */
} gt_helper;

typedef struct gt_field_options {
    const gt_request *request;
    gt_farm *farm;
    gt_helper *helpers; /* the session's; their farms are linked to `farm` in this order */
    uint32_t helper_count;
    gt_proposer *proposer;
    bool measure;       /* false: compile only */
    bool with_default;  /* the default is the first variant, whatever is proposed */
    bool with_fallback; /* the variant for any alignment comes next; it is verified, but does not
                           race */
    bool distinct;      /* of variants with equal launches only the first is tried */
    uint32_t limit;     /* most proposals that are taken; 0: all */
    const gt_history *history; /* what earlier tunings of the scenario found; NULL: nothing */
    bool only_promising; /* where all variants are tried: leave out those that were far slower than
                            the best */
    bool puts_off;       /* variants that take long are left to gt_field_try_late() */
    bool drops_slower;   /* a variant whose first launch shows that it cannot win is not proved */
} gt_field_options;

/* More variants than a tuning can try; a limit on memory. */
enum { GT_FIELD_VARIANTS_MAX = 1 << 17 };

typedef struct gt_field {
    gt_field_options options;
    gt_measure_setup *setup; /* objective (as it is sampled), cache, seed, inputs; the rest is
                                filled in when it is sent. Large: the field's, on the heap */
    GT_ARRAY(gt_variant) variants;
    GT_ARRAY(gt_unit) units; /* [0] the service kernels, [1] the reference; variants' follow */
    gt_hash_index sources;   /* by hash: its unit */
    gt_hash_index launches; /* by hash: the first variant with that launch; with options.distinct */
    uint32_t given;         /* of `variants`: added before the first proposal */
    uint32_t started;       /* of `variants`: source generated and submitted */
    uint32_t compiling, verifying;
    uint32_t elsewhere;   /* of those that compile: by other sessions of this process */
    gt_schedule schedule; /* of the measure worker, and of compiling */
    struct {
        uint32_t count, most; /* variants that were proposed; most of them without a result then */
        double sum;           /* of those without a result, over all proposals */
    } ages;
    uint32_t untimed; /* variants that are right and have no time yet: neither a sample nor a first
                         launch that tells; the session's to set */
    bool rounds_wait; /* the session has contestants to sample, and none is being sampled */
    bool abandoned;   /* nothing more is started */
    bool has_auxiliary;  /* service kernels and reference were submitted */
    bool awaits_results; /* the proposer waits for results before it proposes more */
    bool may_measure;    /* the session may measure on the GPU, so preparing may begin */
    bool preparing, prepared;
    bool awaits_default; /* the default is verified before all others */
    gt_prepared preparation;
    gt_problem awkward;
    uint32_t workload_count;
    GT_ARRAY(uint32_t)
    compiled; /* variants that wait for preparation, default and their turn to be verified */
    GT_ARRAY(uint32_t)
    newly_ready; /* became ready, and gt_field_next_ready() has not returned them yet */
    uint32_t ready, failed, twins, outclassed;
    uint32_t sketches;
    uint32_t slower;   /* in GT_STAGE_SLOWER */
    double best_ns;    /* of the first launches of variants that are right; 0: none that tells */
    uint32_t given_up; /* variants that were not tried, since compiling them took too long */
    uint32_t late;     /* in GT_STAGE_LATE */
    gt_saved_output *saves; /* files that the first variant's outputs are written to */
    uint32_t save_count;
    uint32_t turns;
    double default_ran_s; /* how long the default, not proved yet, had been running when the time
                             was up, if that is suspicious; else 0 */
    double longest_s;     /* the longest compile of a variant that ended */
    int64_t last_put_off_ns;
    int64_t start_ns;
    uint32_t unexplained; /* rounds that failed while no variant was sampled */
    bool cut;             /* there were more proposals than the limit, or memory, allows */
    gt_hash champion;     /* trial that was the fastest of this space in earlier tunings, or zero */
    double champion_ns;   /* its time then; 0: none */
} gt_field;

enum { GT_UNIT_SERVICE, GT_UNIT_REFERENCE, GT_UNIT_FIRST };

/* Begins a field with the default and its fallback, as the options want. Their pointers must
 * outlive it. */
gputune_status gt_field_open(gt_field *out, const gt_field_options *options);
void gt_field_close(gt_field *field);

/* So many helpers take part from now on, the first ones of the options'. */
gputune_status gt_field_take_helpers(gt_field *field, uint32_t count);
/* Takes proposals, generates sources and submits them, so that the compile workers stay busy; hands
 * compiled variants to the measure worker where it is their turn. Returns within milliseconds. */
gputune_status gt_field_pump(gt_field *field);
/* Ends compiles that have been running for long and that the proposer gives up: never the
 * default's or the fallback's. Their variants are told to the proposer as failures when the farm's
 * answer comes, and are not stored: another tuning may try them. */
void gt_field_give_up_compiles(gt_field *field);
/* Says that the session may measure on the GPU from now on. */
gputune_status gt_field_allow_measuring(gt_field *field);
/* How long to wait for an event between two pumps, in seconds: 0 if the last pump did not start all
 * that it could, else the time for which a cancel may go unnoticed. */
double gt_field_patience(const gt_field *field);

/* Handles a COMPILED, PREPARED or VERIFIED event, and submits the jobs that follow from it. What it
 * keeps of the event becomes its own. Fails with the status of a preparation that failed. */
gputune_status gt_field_handle(gt_field *field, gt_event *event);
/* Returns each variant that became ready once; false when there are no more. */
bool gt_field_next_ready(gt_field *field, uint32_t *variant);

/* Sends every ready variant to verification again, dropped ones too, for another race among
 * them. */
gputune_status gt_field_reverify(gt_field *field);
/* Sends variants that hung to verification once more, with ten times the deadline; *count: how
 * many. */
gputune_status gt_field_retry_hung(gt_field *field, uint32_t *count);
/* If the fastest variant of earlier tunings has failed, tries the variants that were left out as
 * far slower than it; *count: how many. */
gputune_status gt_field_try_outclassed(gt_field *field, uint32_t *count);
/* Ends compiles that keep a worker from the variants that wait for one, and leaves them for
 * gt_field_try_late(): those that take far longer than any that ended, and one now and then where
 * none has ended; the default's only where there is one worker. After a quarter of the request's
 * limit the other variants no longer wait for the default, where there is a reference. */
gputune_status gt_field_put_off_slow(gt_field *field);
/* Tries the variants that were put off, and those that an earlier call with a shorter limit could
 * not finish. */
gputune_status gt_field_try_late(gt_field *field, uint32_t *count);
/* The request's time is up: variants that came last, or that took most of it, fail. A later call of
 * no longer limit does not try them; one that hung once is tried by the next, and last. A default
 * that runs suspiciously long is no answer of this call, and tried again by the next. `busy_s`: how
 * long the measure worker has been at what it has in hand. */
gputune_status gt_field_note_unfinished(gt_field *field, double busy_s);
/* If the default has failed, or may never end, notes that in the request, so that the call does not
 * return it. */
void gt_field_note_bad_default(const gt_field *field, gt_request *request);
/* Whether a variant could not race for want of memory or time, which is not its fault. */
bool gt_field_lacks_one(const gt_field *field);
/* Stops: starts nothing more, and expects no more answers, because the farm's jobs were
 * cancelled. */
void gt_field_abandon(gt_field *field);
/* Whether nothing is left to compile or to verify. */
bool gt_field_is_done(const gt_field *field);
/* "ok", "wrong", "crashed", "hung", "compile", "launch", "slow". */
const char *gt_variant_status(const gt_variant *variant);
/* Whether the variant exceeded its deadline once, and was not tried again: it may have been late
 * only. */
bool gt_variant_may_be_late(const gt_variant *variant);
/* The variant that was tried for this one: itself, or an earlier one with the same launch. */
uint32_t gt_field_tried_for(const gt_field *field, uint32_t variant);
/* The code of a unit, to be stored. Its image stays the unit's. */
gt_code gt_unit_code(const gt_unit *unit, const gt_device *device);
/* Stores the code of the variants that are ready, as far as it was compiled here. */
gputune_status gt_field_keep_code(const gt_field *field, const gt_patience *patience);
/* What is known of a variant without its samples, as a trial: times, noise, configuration and
 * message are for the caller to fill in. */
gt_trial gt_field_trial(const gt_field *field, uint32_t variant);
/* What a sample of a variant counts: by the objective `rate` the time for the work of the default's
 * launch, else as it is. For whatever is compared, stored or shown. */
double gt_field_value(const gt_field *field, uint32_t variant, double sampled);
/* The default's variant, or GT_NO_VARIANT. */
uint64_t gt_field_default(const gt_field *field);
/* How many variants were tried, or are known from earlier tunings. A fallback does not count, nor
 * does one whose compile was given up. */
uint32_t gt_field_tried(const gt_field *field);
/* How many variants there will be, as far as that is known. Twins do not count. */
uint32_t gt_field_total(const gt_field *field);
/* Whether the launch that verified a variant was as good as a quick sample of its time: with a cold
 * cache, and so long that the host's part does not count. */
bool gt_field_pilot_is_sample(const gt_field *field, uint32_t variant);
/* The time of the launch that verified a variant, by the objective. 0 where it does not tell, or
 * there was none. */
double gt_field_pilot(const gt_field *field, uint32_t variant);
/* A variant that races was sampled: the median of its samples, by the objective. Where its first
 * launch was the fastest of all and its samples are not, variants that were left out as slower are
 * proved after all. ENOMEM. */
gputune_status gt_field_note_median(gt_field *field, uint32_t variant, double median_ns);
/* The answer to a verification, which took the measure worker so long, is noted in the schedule. */
void gt_field_note_newcomer(gt_field *field, double seconds);
/* Tells the proposer the result of a variant; `time_ns` 0: it was not sampled yet. */
void gt_field_tell(const gt_field *field, uint32_t variant, double time_ns);
/* Handles a round of samples that failed. The variant that was sampled then has failed. If there
 * was none, the round may be repeated a few times before the session fails. *culprit: the variant,
 * or GT_NO_VARIANT. */
gputune_status gt_field_blame(gt_field *field, uint64_t *culprit, const gt_event *event);
/* Records a failure found later, after verification. */
gputune_status gt_field_fail(gt_field *field, uint32_t variant, gputune_status failure,
                             bool repeatable, const char *message);
/* The status of a field in which no variant became ready: the most frequent failure, with the
 * message of its first case. */
gputune_status gt_field_verdict(const gt_field *field);
