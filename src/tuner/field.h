/* The variants of one tuning on their way from configuration to verified: enumerates the space,
 * generates sources, hands each distinct one to the compile workers once, and compiled variants to
 * the measure worker. One thread. */
#ifndef GT_TUNER_FIELD_H
#define GT_TUNER_FIELD_H

#include "base/array.h"
#include "base/hash_index.h"
#include "farm/farm.h"
#include "kernel/source.h"
#include "tuner/history.h"

typedef enum gt_stage {
    GT_STAGE_WAITING,   /* its source is not compiled yet */
    GT_STAGE_VERIFYING, /* with the measure worker */
    GT_STAGE_READY,     /* verified (or compiled, in a field that does not measure) */
    GT_STAGE_KNOWN,     /* measured earlier; not raced again */
    GT_STAGE_TWIN,      /* the same launch as an earlier variant, which is tried for both */
    GT_STAGE_FAILED
} gt_stage;

/* One variant. Its id in jobs and events is its index. */
typedef struct gt_variant {
    gt_config config;
    gt_hash trial;
    uint32_t unit;    /* index of the source it is compiled from */
    uint32_t sibling; /* the next variant that waits for the same unit, plus one; 0: none */
    uint32_t twin;    /* in GT_STAGE_TWIN: the variant that is tried instead */
    gt_stage stage;
    bool is_default;
    bool spectator;         /* compiled and verified, but not raced */
    bool dropped;           /* the measure worker was told to forget it */
    bool remembered;        /* failed in an earlier tuning, and was not tried again */
    gputune_status failure; /* of a failed one, as gt_event says */
    bool lasting;           /* that failure is worth remembering */
    bool doubtful;          /* hung once: perhaps the machine's fault, and to be tried again */
    char *message;
    gt_verified verified;
} gt_variant;

/* One distinct source. */
typedef struct gt_unit {
    gt_hash hash;
    gt_stage stage; /* WAITING, READY or FAILED */
    gputune_status failure;
    char *message;
    gt_compiled compiled;
    bool from_store;
    uint32_t waiting, last_waiting; /* first and last variant that wait for it, plus one; 0: none */
} gt_unit;

typedef struct gt_field_options {
    const gt_template *template;
    const gt_problem *problem;
    const gt_workload *workload; /* of `problem` */
    const gt_device *device;
    const char *prelude;
    gt_farm *farm;
    gt_store *store;           /* for cubins made earlier; NULL: none */
    bool measure;              /* false: compile only */
    bool distinct;             /* of variants with equal launches only the first is tried */
    bool force;                /* take no verdict or code from earlier tunings */
    const gt_history *history; /* what earlier tunings of the scenario found; NULL: nothing */
    gt_hash champion;          /* trial that won then: raced again even so */
    gt_measure_setup setup; /* objective, cache, seed, inputs, exhaustive; the rest is filled in */
} gt_field_options;

/* More than a tuning can try, and all that memory should be spent on. */
enum { GT_FIELD_VARIANTS_MAX = 1 << 17 };

typedef struct gt_field {
    gt_field_options options;
    GT_ARRAY(gt_variant) variants;
    GT_ARRAY(gt_unit) units;  /* [0] the service kernels, [1] the reference; variants' follow */
    GT_ARRAY(uint32_t) order; /* variants in the order in which they are started */
    gt_hash_index sources;    /* by hash: its unit */
    gt_hash_index launches;   /* by hash: the first variant launched so; with options.distinct */
    uint32_t started;         /* of `order`: source generated and submitted */
    uint32_t compiling, verifying;
    bool preparing, prepared;
    bool awaits_default; /* which is verified before all others */
    gt_prepared preparation;
    gt_problem awkward;
    uint32_t workload_count;
    GT_ARRAY(uint32_t)
    held; /* compiled variants that wait for preparation and default to be sent */
    GT_ARRAY(uint32_t) fresh; /* became ready and were not asked for yet */
    uint32_t ready, failed, twins;
    uint32_t blameless; /* rounds that failed with no variant in hand */
    bool cut;           /* the space has more configurations */
} gt_field;

enum { GT_UNIT_SERVICE, GT_UNIT_REFERENCE, GT_UNIT_FIRST };

/* Begins an empty field. The options' pointers must outlive it. */
gputune_status gt_field_open(gt_field *out, const gt_field_options *options);
void gt_field_close(gt_field *field);

/* Adds a configuration; *index (may be NULL) is its variant. Starts nothing. */
gputune_status gt_field_add(gt_field *field, const gt_config *config, uint32_t *index);
/* Adds the configurations of the space, the default first (even where restrictions leave it out),
 * at most `limit` (0: all) and GT_FIELD_VARIANTS_MAX; field->cut says whether there are more. */
gputune_status gt_field_add_space(gt_field *field, gt_space *space, uint32_t limit);

/* Generates and submits sources to keep the compile workers busy, but returns within milliseconds.
 */
gputune_status gt_field_pump(gt_field *field);
/* How long to wait for an event between two pumps, in seconds: 0 while one was not enough, else as
 * long as a cancel may go unnoticed. */
double gt_field_patience(const gt_field *field);

/* Takes in a COMPILED, PREPARED or VERIFIED event and submits what follows from it; takes over what
 * it keeps of the event. A failed preparation fails the field: its status. */
gputune_status gt_field_handle(gt_field *field, gt_event *event);
/* A variant that became ready and was not returned yet; false when there is none. */
bool gt_field_next_ready(gt_field *field, uint32_t *variant);

/* Sends every ready variant to verification again, also those that were dropped: for another race
 * among them. */
gputune_status gt_field_reverify(gt_field *field);
/* Sends what hung to verification once more, with ten times the deadline; *count: how many. */
gputune_status gt_field_retry_hung(gt_field *field, uint32_t *count);
/* Starts nothing more and expects no more answers: the farm's jobs were cancelled. */
void gt_field_abandon(gt_field *field);
/* Whether nothing is left to compile or to verify. */
bool gt_field_settled(const gt_field *field);
/* Whether `variant`'s failure is a crash, hang or wrong result, and so on: "ok", "wrong",
 * "crashed", "hung", "compile", "launch". */
const char *gt_variant_status(const gt_variant *variant);
/* A round of samples failed: its culprit has failed. Where no variant was in hand, that may have
 * been chance a few times; then the whole fails. *culprit: the variant, or GT_NO_VARIANT. */
gputune_status gt_field_blame(gt_field *field, uint64_t *culprit, const gt_event *event);
/* Records a failure found later, after verification. */
gputune_status gt_field_fail(gt_field *field, uint32_t variant, gputune_status failure,
                             bool lasting, const char *message);
/* The status of a field in which nothing became ready: the commonest failure, with its first
 * message. */
gputune_status gt_field_verdict(const gt_field *field);

#endif
