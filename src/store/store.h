/* What is remembered between runs: winners, trials, cubins and leases in SQLite. Knows no CUDA.
 *
 * A store is a stack of databases: the user's file (written), and the read-only system file; what
 * the upper one knows wins. When the file cannot be written (read-only, full disk, locked for 30 s,
 * a newer version, damaged) a database in memory takes its place on top, with one warning through
 * the log, and everything goes on answering: nothing here makes a caller fail for the database's
 * sake. A damaged file stays as it is, and "PATH.1" (.2, …) is begun beside it.
 *
 * Thread-safe: one mutex a store, no callback runs under it. After a fork the child's store knows
 * nothing and keeps nothing (SQLite connections do not survive a fork). Lookups wait 100 ms for a
 * lock at most, writes 30 s. Keys, rooms' terms: DESIGN.md "Records". */
#ifndef GT_STORE_STORE_H
#define GT_STORE_STORE_H

#include "base/device.h"
#include "base/hash.h"
#include "base/launch.h"
#include "base/log.h"
#include "base/patience.h"
#include "base/status.h"
#include "stats/summary.h"
#include "store/answer.h"

typedef struct gt_store gt_store;

/* ---- Opening -------------------------------------------------------------------------------- */

/* Opens `path` (NULL: GPUTUNE_DB, else gputune.db in the cache folder; ":memory:" keeps nothing),
 * making it and its folders (0600, 0700), and beneath it `system_path` read-only (NULL or missing:
 * none). Fails with ENOMEM only. `log` (may be NULL) is copied. *out is for gt_store_close(). */
gputune_status gt_store_open(gt_store **out, const char *path, const char *system_path,
                             const gt_log *log);
/* The same with one database that is only read: nothing is made, written or put beside it.
 * EDATABASE, with a message that names it, when it is missing, locked, or not gputune's. */
gputune_status gt_store_open_read(gt_store **out, const char *path, const gt_log *log);
/* NULL is allowed. Must not be called in a forked child with any hope of cleaning up: it leaks. */
void gt_store_close(gt_store *store);
/* Whether what is put outlives this process. */
bool gt_store_is_writable(gt_store *store);
/* The file in use ("gputune.db.1" beside a damaged one), ":memory:" without one. */
const char *gt_store_path(gt_store *store);
/* Why it is not writable, in one line; "" if it is. Copied into `out`, which is returned. */
const char *gt_store_why(gt_store *store, char *out, size_t bytes);

/* Whether the file that was asked for served: EDATABASE, with a message that names it and says why,
 * when the last lookup got no answer from it (`writing`: or when what is put is kept in memory).
 * ":memory:" always serves. */
gputune_status gt_store_check(gt_store *store, bool writing);

/* ---- Keys ------------------------------------------------------------------------------------ */

enum { GT_ENVIRONMENT_MAX = 40, GT_SCENARIO_SIZES = 16 };

/* What was asked for: the key of a winner beside the environment. Strings are the caller's; NULL
 * counts as "". */
typedef struct gt_scenario {
    const char *kernel;
    const char *problem;  /* "n=67108864 T=half": as measured, shown */
    const char *bucket;   /* what stands for it in the key (gt_problem_bucket); NULL: `problem` */
    const char *fixed;    /* its const and type values alone, "T=half": `nearest` must match them */
    const int64_t *sizes; /* its run-time sizes in the template's order, for `nearest` */
    uint32_t size_count;  /* at most GT_SCENARIO_SIZES */
    gputune_objective objective; /* never DEFAULT */
    gputune_cache cache;
    const char *alignment;         /* "16", or "16 x=4" */
    const char *inputs;            /* "seed=1", or "live:TAG" */
    gt_hash identity;              /* gt_template.identity */
    bool unreferenced; /* no reference: the default is taken as right; not part of the key */
    double work_bytes, work_flops; /* of one launch, shown; not part of the key */
} gt_scenario;

/* The key's hash. */
gt_hash gt_scenario_hash(const gt_scenario *scenario);
/* `environment` (gt_device.environment) joined with `more`, for objectives that depend on the host:
 * CPU model and bus link. `more` NULL or "": a copy. Returns out. */
const char *gt_environment_join(char out[GT_ENVIRONMENT_MAX], const char *environment,
                                const char *more);

/* Makes an environment known, with what is shown of it: every put of this environment needs it.
 * `host` is the text joined into it, or NULL. Writes only what changed. */
gputune_status gt_store_register_gpu(gt_store *store, const char *environment,
                                     const gt_device *device, const char *host, const gt_patience *patience);
/* A measured property of that GPU. Names: GT_FACT_COPY. */
#define GT_FACT_COPY "copy_bytes_per_s" /* device-to-device stream copy, read plus written */
gputune_status gt_store_set_gpu_fact(gt_store *store, const char *environment, const char *name,
                                     double value, const gt_patience *patience);
/* ENOTFOUND, silently, when it was never set. */
gputune_status gt_store_gpu_fact(double *out, gt_store *store, const char *environment,
                                 const char *name);

/* ---- Compiled code -------------------------------------------------------------------------- */

/* One compiled source. `source` is gt_source.hash. */
typedef struct gt_code {
    gt_hash source;
    char arch[16];     /* "sm_90" */
    bool ptx;          /* PTX (an emulated device), else a cubin */
    int nvrtc_version; /* 13000 for 13.0 */
    gt_image image;
    gt_resources resources;
    double compile_ns;
} gt_code;

void gt_code_free(gt_code *code);
/* Compiled earlier? `nvrtc_version` 0 takes the newest. The image is a copy whose checksum was
 * right. ENOTFOUND silently. gt_code_free() releases. */
gputune_status gt_store_find_cubin(gt_code *out, gt_store *store, gt_hash source, const char *arch,
                                   bool ptx, int nvrtc_version, const gt_patience *patience);
/* Keeps compiled sources, in one transaction. */
gputune_status gt_store_put_cubins(gt_store *store, const gt_code *codes, size_t count, const gt_patience *patience);

/* ---- Trials ---------------------------------------------------------------------------------- */

typedef enum gt_trial_status {
    GT_TRIAL_OK,         /* raced to the end */
    GT_TRIAL_ELIMINATED, /* right, and left the race as slower */
    GT_TRIAL_WRONG,      /* wrong results */
    GT_TRIAL_CRASHED,
    GT_TRIAL_HUNG,
    GT_TRIAL_COMPILE, /* does not compile */
    GT_TRIAL_LAUNCH   /* the driver refuses it */
} gt_trial_status;
/* "ok", "eliminated", "wrong", "crashed", "hung", "compile", "launch". */
const char *gt_trial_status_name(gt_trial_status status);

/* One configuration tried in a scenario. */
typedef struct gt_trial {
    gt_hash hash;       /* gt_trial_hash() */
    gt_hash source;     /* gt_source.hash, which leads to the cubin */
    const char *config; /* gt_config_text() */
    gt_trial_status status;
    const char *message; /* a failure's, or why it was eliminated; NULL: "" */
    bool is_default, noisy;
    gt_summary time; /* nanoseconds (energy: nanojoules) */
    uint32_t eliminated_round;
    gt_resources resources;
    uint32_t shared_bytes; /* dynamic */
    double occupancy, max_error, compile_ns;
    int driver_version, nvrtc_version; /* it was tried with */
} gt_trial;

typedef struct gt_trial_list {
    gt_trial *items;
    size_t count;
} gt_trial_list;

/* All known trials of a scenario, failed ones too, in no particular order. A failure is left out
 * when it was met with another driver or NVRTC than these (it may work now). Nothing known: an
 * empty list. gt_trial_list_free() releases; the strings live as long as the list. */
gputune_status gt_store_trials(gt_trial_list *out, gt_store *store, const char *environment,
                               const gt_scenario *scenario, int driver_version, int nvrtc_version, const gt_patience *patience);
void gt_trial_list_free(gt_trial_list *list);
/* Adds or replaces trials (by their hash), in one transaction: what is finished is kept, whatever
 * happens next. */
gputune_status gt_store_put_trials(gt_store *store, const char *environment,
                                   const gt_scenario *scenario, const gt_trial *trials,
                                   size_t count, const gt_patience *patience);

/* ---- Winners --------------------------------------------------------------------------------- */

/* What is remembered of a finished tuning. Given to put: borrowed. From find: owned, for
 * gt_winner_free(). */
typedef struct gt_winner {
    char *config, *default_config;
    char *problem; /* what it was measured at (a bucket or `nearest` may differ) */
    int64_t sizes[GT_SCENARIO_SIZES]; /* the same; set by find only */
    uint32_t size_count;
    gt_hash trial, default_trial; /* gt_trial.hash */
    gt_terms terms; /* what it was made under */
    char *only;     /* its restrictions as one text, "UNROLL=1,2,4; VEC=1"; "": none */
    gt_code code;     /* the winner's; image empty when it was not kept or is damaged */
    gt_code fallback; /* the safe one's (gt_config_scalar); zero source: the same as `code` */
    char *fallback_config; /* NULL: the same as `config` */
    gt_summary time, default_time;
    double speedup, speedup_low, speedup_high; /* default over winner, 95% */
    bool tie, noisy, modelled;
    char *stop_reason;
    int nvrtc_version;         /* it was compiled with */
    uint32_t variants, failed; /* of that tuning */
    double tuning_s;
    char created[24]; /* UTC, ISO 8601; set by put */
} gt_winner;

void gt_winner_free(gt_winner *winner);

typedef struct gt_winner_list {
    gt_winner *items;
    size_t count;
} gt_winner_list;
/* Every winner that is kept of the scenario, one for each space. An empty list where there is none;
 * EBUSY silently where the database could not be read in time. gt_winner_list_free() releases. */
gputune_status gt_store_winners(gt_winner_list *out, gt_store *store, const char *environment,
                                const gt_scenario *scenario, const gt_patience *patience);
void gt_winner_list_free(gt_winner_list *list);
/* The winner at the nearest sizes of the same scenario otherwise (kernel, fixed values, objective,
 * cache, alignment, inputs, identity): by the sum of |log(size / wanted)|; the newest of equals.
 * ENOTFOUND silently. */
gputune_status gt_store_find_nearest(gt_winner *out, gt_store *store, const char *environment,
                                     const gt_scenario *scenario, const gt_patience *patience);

/* A tuning's result, put at once. */
typedef struct gt_outcome {
    const char *environment;
    const gt_scenario *scenario;
    const gt_trial *trials;
    size_t trial_count;
    const gt_winner *winner; /* its trials must be among `trials` or stored; its codes are kept */
    const gt_code *codes;    /* more code to keep: the default's, or all */
    size_t code_count;
    bool force; /* also over a winner of higher effort */
} gt_outcome;

/* Scenario, trials, winner and code in one transaction. Over a stored winner of higher effort,
 * validated with the same driver and NVRTC, the winner is left out unless `force`. */
gputune_status gt_store_put_winner(gt_store *store, const gt_outcome *outcome, const gt_patience *patience);

/* ---- Leases ---------------------------------------------------------------------------------- */

/* The right to tune one scenario in one environment. */
typedef struct gt_lease {
    gt_hash key, owner;
    bool held;
} gt_lease;

enum { GT_LEASE_SECONDS = 60 }; /* renew well within it */

/* Waits up to `timeout_s` (0: one try) for the lease; a lease that ran out, or whose owner on this
 * machine is dead, is taken over. EBUSY names the holder's process. Without a writable file it is
 * granted among the threads of this process. Look the winner up again once it is held. `cancel`
 * (may be NULL) non-zero ends the wait with ECANCELED. */
gputune_status gt_store_lease_acquire(gt_lease *out, gt_store *store, const char *environment,
                                      const gt_scenario *scenario, const gt_patience *patience);
/* Another GT_LEASE_SECONDS. EBUSY when it was lost. */
gputune_status gt_store_lease_renew(gt_lease *lease, gt_store *store, const gt_patience *patience);
/* Does nothing when it is not held. */
void gt_store_lease_release(gt_lease *lease, gt_store *store, const gt_patience *patience);

/* ---- Records --------------------------------------------------------------------------------- */

typedef struct gt_records_filter {
    const char *kernel;              /* NULL: all */
    bool all_trials;                 /* else winners only */
    const char *const *environments; /* only these; NULL: any */
    size_t environment_count;
} gt_records_filter;

/* Calls `each` in the order kernel, fixed values, sizes, objective, time (failures last); a
 * non-zero answer stops and is returned. Every field of the record is served. */
int gt_store_records(gt_store *store, const gt_records_filter *filter,
                     int (*each)(void *user, const gputune_record *record), void *user, const gt_patience *patience);

#endif
