/* The field: all variants of a session. It takes configurations from a proposer, generates sources,
 * has each source compiled once, and sends variants to the measure worker. Not thread-safe. */
#pragma once

#include "base/array.h"
#include "base/hash_index.h"
#include "farm/farm.h"
#include "search/schedule.h"
#include "tuner/history.h"
#include "tuner/proposer.h"
#include "tuner/request.h"

typedef enum gt_stage {
    GT_STAGE_WAITING,   /* waits to be compiled or verified */
    GT_STAGE_VERIFYING, /* sent to the measure worker */
    GT_STAGE_SLOWER,    /* not proved, because the first launch was far too slow */
    GT_STAGE_READY,     /* verified or, if the field does not measure, compiled */
    GT_STAGE_DEFERRED,  /* waits for a second attempt (gt_deferral) */
    GT_STAGE_QUICK,     /* a quick compile (GT_ROLE_QUICK) that was timed or has failed */
    GT_STAGE_FAILED,
    GT_STAGES
} gt_stage;

/* Reasons why a variant waits for a second attempt. Kept during the second attempt. */
typedef enum gt_deferral {
    GT_DEFERRED_NEVER,
    GT_DEFERRED_LATE,     /* compiles slowly, or was not finished in an earlier call; tried last */
    GT_DEFERRED_HUNG,     /* hung once; tried last, with ten times the time limit */
    GT_DEFERRED_WORTHLESS /* compiles too slowly to be worth it; not tried again in this call */
} gt_deferral;

typedef enum gt_role {
    GT_ROLE_PROPOSED,
    GT_ROLE_DEFAULT,  /* the default, which races like the proposed variants */
    GT_ROLE_FALLBACK, /* verified for unaligned buffers; does not race */
    GT_ROLE_QUICK     /* quickly compiled and launched once, to guide the proposer */
} gt_role;

typedef struct gt_unit gt_unit;
typedef struct gt_variant gt_variant;

/* A configuration that has the same launch as a variant, so it need not be tried itself. */
typedef struct gt_duplicate {
    gt_config config;
    gt_hash trial;
} gt_duplicate;

struct gt_variant {
    gt_variant *next; /* next variant by `id` */
    uint32_t id;      /* index in gt_field.variants; id in the variant's jobs and events */
    gt_config config;
    gt_hash trial;
    gt_unit *unit;            /* NULL until the source is generated */
    gt_variant *next_waiting; /* next variant that waits for the unit */
    GT_ARRAY(gt_duplicate) duplicates;
    gt_stage stage;
    gt_deferral deferral;
    bool retried; /* true during and after the second attempt */
    gt_role role;
    bool dropped;           /* true if the measure worker was asked to drop the variant */
    bool surely_proved;     /* true: prove the variant even if the first launch is slow */
    bool kept;              /* true if the variant's trial was stored during the tuning */
    bool remembered;        /* true if the variant was not tried, because it failed before */
    gputune_status failure; /* why the variant failed or was given up */
    bool repeatable;        /* true if the variant would fail again (gt_event.repeatable) */
    double median_ns;       /* median time that was reported to the proposer; 0: none */
    double work;            /* work per launch divided by the default's; set before verification */
    uint32_t turn;          /* position in the order of verification, from 1 */
    double limit_s;         /* time limit in seconds that the variant exceeded; 0: none */
    char *message;
    gt_verified verified;
};

struct gt_unit {
    uint32_t id; /* index in gt_field.units; id of the compile job */
    gt_hash hash;
    gt_stage stage; /* GT_STAGE_WAITING, GT_STAGE_READY or GT_STAGE_FAILED */
    gputune_status failure;
    bool repeatable; /* true if the compile would fail again (gt_event.repeatable) */
    bool given_up;   /* true if the compile was ended because it takes too long */
    bool put_off;    /* true if the compile was ended to free a worker, and will be repeated */
    double spent_s;  /* seconds spent on compiles that were put off */
    double asked_s;  /* compile time, in seconds, at which the proposer was last asked */
    char *message;
    gt_compiled compiled;
    bool from_store; /* true if the code is built in or was stored, so it was not compiled */
    bool is_quick;   /* true for a quick compile; its hash differs from a full compile's */
    gt_variant *waiting, *last_waiting; /* list of the variants that wait for the unit */
};

typedef struct gt_field_options {
    const gt_request *request;
    gt_farm *farm;
    gt_proposer *proposer;
    bool measure;      /* false: only compile */
    bool for_later;    /* if not `measure`: also compile fallback, reference and service kernels */
    bool with_default; /* true: begin with the default, even if it is not proposed */
    /* True: look for the fastest variant. Also verifies the fallback, tries each launch only once,
     * and puts slow compiles off until gt_field_retry(). Implies `skips_slow`. */
    bool races;
    bool skips_slow;           /* true: do not prove variants whose first launch is too slow */
    uint32_t limit;            /* maximum number of proposals; 0: no limit */
    const gt_history *history; /* results of earlier tunings of the scenario, or NULL */
} gt_field_options;

/* maximum number of variants, to limit the memory */
enum { GT_FIELD_VARIANTS_MAX = 1 << 17 };

typedef struct gt_field {
    gt_field_options options;
    gt_measure_setup *setup;         /* allocated separately, because it is large */
    gt_variant *first;               /* first variant by `id` */
    GT_ARRAY(gt_variant *) variants; /* by id; owned */
    GT_ARRAY(gt_unit *) units;       /* by id; owned */
    gt_variant *standard;            /* the default, or NULL */
    gt_variant *fallback;            /* the fallback if it does not race, otherwise NULL */
    gt_hash_index sources;           /* ids of units by the hash of their source */
    /* ids of the first variants by the hash of their launch */
    gt_hash_index launches;
    uint32_t duplicates;
    uint32_t worthless; /* includes duplicates */
    uint32_t started;   /* number of variants whose source was generated */
    uint32_t compiling, verifying;
    gt_schedule schedule; /* decides if the measure worker samples or verifies next */
    uint32_t untimed;     /* number of verified variants that have no samples; set by the policy */
    bool rounds_wait;     /* true if contestants are waiting to be sampled */
    bool abandoned;       /* true if nothing new may be started */
    bool waits_for_results; /* true if the proposer needs results before it can propose more */
    bool may_measure;       /* true if the session may use the GPU */
    bool preparing, prepared;
    bool waits_for_default; /* true if no other variant may be verified before the default */
    bool added_default;     /* true if the default was added only because a variant seemed wrong */
    gt_prepared preparation;
    GT_ARRAY(gt_variant *) compiled;    /* variants to be verified, in order */
    GT_ARRAY(gt_variant *) newly_ready; /* contestants for gt_field_next_ready() */
    uint32_t in[GT_STAGES];
    uint32_t quick_compiles; /* number of variants that were added only as quick compiles */
    double best_ns;          /* shortest first launch of a verified variant; 0: none */
    uint32_t cut_off; /* number of variants that had no result when the field was abandoned */
    uint32_t turns;
    double longest_s; /* longest time of a compile that succeeded */
    int64_t last_put_off_ns;
    int64_t start_ns;
    bool compiles;  /* true if a variant has compiled, now or in an earlier tuning */
    uint32_t alike; /* number of variants that fail to compile with the same error as the default */
    uint32_t unexplained; /* number of rounds that failed without a culprit */
    gt_variant *doubtful; /* last variant that crashed; NULL if a launch has succeeded since */
    bool cut;             /* true if more variants were proposed than allowed */
} gt_field;

/* ids of the units of the service kernels, of the reference, and of the first variant */
enum { GT_UNIT_SERVICE, GT_UNIT_REFERENCE, GT_UNIT_FIRST };

/* Opens a field. Adds the default and the fallback if the options say so. If the field measures,
 * the service kernels and the reference are submitted. Pointers in the options must stay valid. */
gputune_status gt_field_open(gt_field *out, const gt_field_options *options);
void gt_field_close(gt_field *field);

/* Takes proposals, submits their sources, and sends compiled variants to the measure worker. This
 * takes at most a few milliseconds. */
gputune_status gt_field_pump(gt_field *field);
/* Ends compiles that the proposer gives up. If options.races is set and other compiles wait for a
 * worker, also puts off slow compiles until gt_field_retry(). A compile is slow if it takes more
 * than a fifth of the limit and far longer than all others. If there is a reference, variants wait
 * for the default no longer than a fifth of the limit. */
gputune_status gt_field_end_slow_compiles(gt_field *field);
/* From now on, the field verifies and measures its variants on the GPU. */
gputune_status gt_field_allow_measuring(gt_field *field);
/* Returns for how many seconds to wait for events; 0 if gt_field_pump() has more to do. */
double gt_field_patience(const gt_field *field);

/* Handles an event of kind COMPILED, PREPARED or VERIFIED. Takes over parts of its contents. */
gputune_status gt_field_handle(gt_field *field, gt_event *event);
/* Returns a contestant that is ready and was not returned before; NULL if there is none. */
gt_variant *gt_field_next_ready(gt_field *field);

/* Lets eliminated contestants be verified again, so they can return to the race. */
gputune_status gt_field_reverify(gt_field *field);
/* Begins the second attempts of deferred variants. Sets *count to their number. */
gputune_status gt_field_retry(gt_field *field, uint32_t *count);
/* Called at the time limit. Fails variants that are still compiling after a large part of the
 * limit; only calls with a longer limit try them again. If the default is still running and may
 * never end, defers it: the next tuning tries it last. `busy_s` is gt_session_busy_s(). */
gputune_status gt_field_note_unfinished(gt_field *field, double busy_s);
/* Defers the variant that is being launched if it may never end. Handles no other variant. */
gputune_status gt_field_note_running(gt_field *field, double busy_s);
/* If the default failed, records this in the request, so the call does not return the default. */
void gt_field_note_bad_default(const gt_field *field, gt_request *request);
/* Returns true if a variant could not race because time or memory ran out. */
bool gt_field_lacks_one(const gt_field *field);
/* Starts nothing more and expects no more events. The caller must have cancelled all jobs. */
void gt_field_abandon(gt_field *field);
/* Returns true if the default and many other variants fail to compile with the same error. No other
 * variants are tried then. Returns false if the proposer does not learn. */
bool gt_field_never_compiles(const gt_field *field);
/* Returns true if nothing remains to be compiled or verified. */
bool gt_field_is_done(const gt_field *field);
/* Returns true if gt_field_retry() would try the variant again. */
static inline bool gt_variant_may_be_retried(const gt_variant *variant)
{
    return variant->stage == GT_STAGE_DEFERRED && variant->deferral != GT_DEFERRED_WORTHLESS;
}
/* Returns "ok", "wrong", "crashed", "hung", "compile", "launch" or "slow". */
const char *gt_variant_status(const gt_variant *variant);
/* Returns the code of a unit for the store. The image still belongs to the unit. */
gt_code gt_unit_code(const gt_unit *unit, const gt_device *device);
typedef GT_ARRAY(gt_code) gt_code_list; /* free with GT_FREED; the images belong to the field */
/* Lists the code that this session compiled; if `auxiliary` is true, leaves out the code of
 * variants. */
gputune_status gt_field_list_codes(gt_code_list *out, const gt_field *field, bool auxiliary);
/* Stores the code that this session compiled. */
gputune_status gt_field_keep_code(const gt_field *field, const gt_patience *patience);
/* Describes scalars that were proved with one value only; NULL if none. The caller frees *out. */
gputune_status gt_field_single(char **out, const gt_field *field);
/* Makes the trial of a variant or, if not NULL, of its `duplicate`. Sets neither times nor
 * texts. */
gt_trial gt_field_trial(const gt_field *field, const gt_variant *variant,
                        const gt_duplicate *duplicate);
/* Converts a sample to the value that is compared, stored and shown. For the objective rate, this
 * is the time for as much work as a launch of the default does. */
static inline double gt_variant_value(const gt_variant *variant, double sampled)
{
    return sampled / variant->work;
}
/* Finds the variant that has this configuration, or has a duplicate with this configuration. NULL
 * if there is none. gt_field_find_ready() also returns NULL if the variant is not ready. */
const gt_variant *gt_field_find(const gt_field *field, const gt_config *config);
const gt_variant *gt_field_find_ready(const gt_field *field, const gt_config *config);
/* Counts variants with a result, from now or earlier, and duplicates. Omits the fallback. */
uint32_t gt_field_tried(const gt_field *field);
/* Estimates how many variants there will be in the end, including duplicates. */
uint32_t gt_field_total(const gt_field *field);
/* Returns true if the launch that verified a variant can serve as a quick sample: the cache was
 * cold, and the launch took so long that the host's overhead is negligible. */
bool gt_field_pilot_is_sample(const gt_field *field, const gt_variant *variant);
/* Returns the time of a variant's first launch as a value of the objective; 0: unknown. */
double gt_field_pilot(const gt_field *field, const gt_variant *variant);
/* Sets the median of a contestant's samples. If the median shows that the first launch was fast
 * only by chance, proves the variants that seemed too slow compared with this launch. */
gputune_status gt_field_note_median(gt_field *field, gt_variant *variant, double median_ns);
/* Reports the result of a variant to the proposer. `time_ns` is 0 if it was not sampled yet. */
void gt_field_report(const gt_field *field, const gt_variant *variant, double time_ns);
/* Reports a variant's newest duplicate to the proposer, if the variant has a result. */
void gt_field_report_duplicate(const gt_field *field, const gt_variant *variant);
/* Handles the failure of a round. *culprit is the variant that was being sampled, which leaves the
 * race, or GT_NO_VARIANT if none was. Fails after several such rounds without a culprit. */
gputune_status gt_field_blame(gt_field *field, uint64_t *culprit, const gt_event *event);
/* Records the failure of a variant that was launched. If it hung for the first time, it is only
 * deferred, because the machine may be loaded. */
gputune_status gt_field_fail_launched(gt_field *field, gt_variant *variant, const gt_event *event);
gputune_status gt_field_fail(gt_field *field, gt_variant *variant, gputune_status failure,
                             bool repeatable, const char *message);
/* If no variant is ready, fails with the most frequent failure. */
gputune_status gt_field_verdict(const gt_field *field);

/* ---- shared by field.c and field_verify.c ---- */

void gt_field_move(gt_field *field, gt_variant *variant, gt_stage stage);
/* Generates the source of a variant. Submits it if no other variant has this source. */
gputune_status gt_field_start(gt_field *field, gt_variant *variant);
/* Binds the launches of a variant at the requested size and, if there is one, the odd-tail size. */
gputune_status gt_field_bind_launches(const gt_field *field, const gt_variant *variant,
                                      gt_launch launches[GT_WORKLOAD_MAX]);
/* Sends compiled variants to the measure worker. Until waits_for_default ends, sends none. */
gputune_status gt_field_verify_compiled(gt_field *field);
/* Moves a variant to GT_STAGE_READY and reports it to the proposer. */
gputune_status gt_field_mark_ready(gt_field *field, gt_variant *variant);
/* Handles a VERIFIED event. If the variant is not to blame for a failure, returns this failure. */
gputune_status gt_field_handle_verified(gt_field *field, gt_event *event);
/* Sets the message of a variant to `message` and likely reasons for the failure. */
gputune_status gt_field_explain(const gt_field *field, gt_variant *variant, const char *message);
/* Counts variants that fail to compile with the same message as the default. */
void gt_field_count_alike(gt_field *field, gputune_status failure, const char *message);
gputune_status gt_field_defer(gt_field *field, gt_variant *variant, gt_deferral why,
                              gputune_status failure, const char *message);
/* Adds the default, unless it is excluded by constraints. */
gputune_status gt_field_add_default(gt_field *field);
