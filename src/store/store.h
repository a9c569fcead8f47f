/* What is remembered between runs: winners, trials, cubins and leases in SQLite. Knows no CUDA.
 * Serves layers.c (opening), keys.c, trials.c, winner.c, records.c,
 * lease.c.
 *
 * A store is a stack of databases: one in memory, where there is one, then the user's file, then
 * what was imported for this store alone (wisdom.h), then the read-only system file; what the upper
 * one knows wins. Nothing here makes a caller fail for the database's sake:
 * - A file that cannot be written (read-only, full disk, a newer version) is given up: from then on
 *   what is put is kept in memory, with one warning through the log.
 * - A damaged file stays as it is, and "PATH.1" (.2, ...) is begun beside it.
 * - A file that stays locked for all of a write's patience: what this write puts is kept in memory,
 *   with one warning. The next write that reaches the file brings it there, and so do
 *   gt_store_check() and closing, which wait 5 s. While the lock lasts, writes wait 30 s in all,
 *   then 1 s each. What reaches the file goes to memory too while there is one, so that memory is
 *   never older than the file.
 * - A row whose checksum is wrong is not there (sql.h says what the checksums bind).
 * - Of a file that another user owns or may write (gt_distrust()), code is not there, and no result
 * is proved; one warning says so.
 *
 * Thread-safe, and no callback runs under a mutex; a lookup does not wait for another thread's
 * write that waits for another process. After a fork the child's store knows nothing and keeps
 * nothing (SQLite connections do not survive a fork).
 *
 * `patience` (NULL: the longest) ends the waits of a call, for locks and for other threads; its
 * cancel flag is heard within 0.1 s. Writes wait 30 s at most. Lookups wait for other processes
 * 100 ms at most; with a patience a quarter of it, and 5 s at most, all of them together. Once that
 * was in vain, those that follow look at once and spend a tenth of the time since then at most,
 * until one is answered. For this process's own commits, which the disk may slow down, they wait as
 * long as the patience says. */
#pragma once

#include "base/device.h"
#include "base/hash.h"
#include "base/launch.h"
#include "base/log.h"
#include "base/patience.h"
#include "base/status.h"
#include "stats/summary.h"
#include "store/columns.h"

typedef struct gt_store gt_store;

/* ---- Opening --------------------------------------------------------------------------------- */

/* Opens `path` (NULL: GPUTUNE_DB, else gputune.db in the cache folder; ":memory:" keeps nothing),
 * making it (0600) and the folders in the cache (0700; a file that was named must have its folder),
 * and beneath it `system_path` read-only (NULL or missing: none). Fails with ENOMEM only. `log`
 * (may be NULL) is copied. *out is for gt_store_close(). */
gputune_status gt_store_open(gt_store **out, const char *path, const char *system_path,
                             const gt_log *log);
/* The same only to read: nothing is made, written or put beside a file; only what a writer that was
 * killed left half done is undone. EDATABASE, with a message that names it, when `path` is missing,
 * locked, or not gputune's; of a damaged one the file begun beside it is read, where there is one.
 * Where `path` is NULL, the user's file may be missing. */
gputune_status gt_store_open_read(gt_store **out, const char *path, const char *system_path,
                                  const gt_log *log);
/* NULL is allowed. Must not be called in a forked child with any hope of cleaning up: it leaks. */
void gt_store_close(gt_store *store);
/* Whether the file that was asked for served: EDATABASE, with a message that names it and says why,
 * when the last lookup got no answer from it (`writing`: or when what is put is kept in memory, or
 * in a file beside it). ":memory:" always serves. */
gputune_status gt_store_check(gt_store *store, bool writing);

/* ---- Keys ------------------------------------------------------------------------------------ */

enum { GT_ENVIRONMENT_MAX = 40 };

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
    double work_bytes, work_flops; /* of a launch of the default; shown, not part of the key */
    bool unreferenced; /* the default is taken as right: there is no reference() and no check(); not
                          part of the key either */
} gt_scenario;

/* The key's hash. */
gt_hash gt_scenario_hash(const gt_scenario *scenario);
/* `environment` (gt_device.environment) joined with `more`, for objectives that depend on the host:
 * its processor. `more` NULL or "": a copy. Returns out. */
const char *gt_environment_join(char out[GT_ENVIRONMENT_MAX], const char *environment,
                                const char *more);

/* ---- Compiled code --------------------------------------------------------------------------- */

void gt_code_free(gt_code *code);
/* Compiled earlier? `nvrtc_version` 0 takes the newest. The image is a copy; a checksum binds it to
 * all the rest. ENOTFOUND silently. gt_code_free() releases. */
gputune_status gt_store_find_cubin(gt_code *out, gt_store *store, gt_hash source, const char *arch,
                                   bool ptx, int nvrtc_version, const gt_patience *patience);
/* Keeps compiled sources, in one transaction. */
gputune_status gt_store_put_cubins(gt_store *store, const gt_code *codes, size_t count,
                                   const gt_patience *patience);

/* ---- Trials ---------------------------------------------------------------------------------- */

/* "ok", "eliminated", "wrong", "crashed", "hung", "compile", "launch", "slow", "unproved",
 * "proved". */
const char *gt_trial_status_name(gt_trial_status status);
/* Whether the trial's results were compared, and are right. */
bool gt_trial_is_right(gt_trial_status status);

typedef struct gt_trial_list {
    gt_trial *items;
    size_t count;
} gt_trial_list;

/* All known trials of a scenario, failed ones too, in no particular order. A failure is left out
 * when it was met with another driver or NVRTC than these (it may work now). Nothing known: an
 * empty list. gt_trial_list_free() releases; the strings live as long as the list. */
gputune_status gt_store_trials(gt_trial_list *out, gt_store *store, const char *environment,
                               const gt_scenario *scenario, int driver_version, int nvrtc_version,
                               const gt_patience *patience);
void gt_trial_list_free(gt_trial_list *list);
/* Puts what is shown of a trial into a record. Its strings stay the trial's. */
void gt_trial_show(gputune_record *record, const gt_trial *trial);
/* The texts of a record that its launch gives. */
typedef struct gt_shapes {
    char grids[GT_SHAPES_TEXT], blocks[GT_SHAPES_TEXT];
} gt_shapes;
/* Puts the grids and blocks of a launch into a record. Its texts are those of *texts. */
void gt_launch_show(gputune_record *record, gt_shapes *texts, const gt_launch *launch);
/* A trial of elsewhere: what was measured at another size, for another objective, with other const
 * or type values, or on another GPU. */
typedef struct gt_related_trial {
    char *config;
    double time_ns;    /* or what else is minimised there */
    double compile_ns; /* 0: not known */
    uint32_t group;    /* times of one group may be compared; 0 is the nearest group */
} gt_related_trial;

typedef struct gt_related_list {
    gt_related_trial *items;
    size_t count;
} gt_related_list;

enum {
    GT_RELATED_MAX = 1000,   /* trials in all */
    GT_RELATED_OF_ONE = 250, /* trials of one scenario on one GPU; and its winners, */
    GT_RELATED_FASTEST = 64  /* and its fastest */
};

/* Trials that were right and measured, of the same kernel (name and identity) elsewhere: not those
 * of `scenario` in `environment`. Group by group, each by time. The nearest groups come first: the
 * same GPU before another, then equal const and type values before others, then the sizes with the
 * least gt_sizes_distance(), then the same objective. Of a scenario with very many trials,
 * those that won, the fastest and a random choice of the others. For a real `device` nothing that
 * was modelled. Nothing known: an empty list, soon. gt_related_list_free() releases. */
gputune_status gt_store_related_trials(gt_related_list *out, gt_store *store,
                                       const gt_device *device, const char *environment,
                                       const gt_scenario *scenario, const gt_patience *patience);
void gt_related_list_free(gt_related_list *list);
/* Adds or replaces trials (by their hash), in one transaction: what is finished is kept, whatever
 * happens next. */
gputune_status gt_store_put_trials(gt_store *store, const char *environment,
                                   const gt_scenario *scenario, const gt_trial *trials,
                                   size_t count, const gt_patience *patience);

/* ---- Winners --------------------------------------------------------------------------------- */

void gt_winner_free(gt_winner *winner);

typedef struct gt_winner_list {
    gt_winner *items;
    size_t count;
} gt_winner_list;

/* All winners of the scenario, over all layers: upper layers first, in a layer final ones first,
 * then the newest. A lower layer's winner is left out where an upper one of the same space answers
 * for it. All of the system's database are final, and those of upper layers that are as fast. A
 * winner counts only while its trial is right and says the same configuration. Nothing known: an
 * empty list. EBUSY, silently, when the file could not be read in time and nothing was found
 * without it. gt_winner_list_free() releases. */
gputune_status gt_store_winners(gt_winner_list *out, gt_store *store, const char *environment,
                                const gt_scenario *scenario, const gt_patience *patience);
void gt_winner_list_free(gt_winner_list *list);
/* The proved winner at the nearest sizes of the same scenario otherwise (kernel, fixed values,
 * objective, cache, alignment, inputs, identity): by gt_sizes_distance(). Of equals: of
 * the whole space, then a final one, then the upper layer's, then the newest. ENOTFOUND silently.
 */
gputune_status gt_store_find_nearest(gt_winner *out, gt_store *store, const char *environment,
                                     const gt_scenario *scenario, const gt_patience *patience);

/* What records show of an environment's GPU. */
typedef struct gt_gpu_facts {
    const gt_device *device;
    const char *host;        /* the text joined into the environment, or NULL */
    double copy_bytes_per_s; /* of a device-to-device stream copy, read plus written; 0: as known */
} gt_gpu_facts;

/* The clock rates that this GPU had under this driver when something was put last: memory_clock_khz
 * and sm_clock_khz of *device, whose uuid, origin and driver_version are given. ENOTFOUND. */
gputune_status gt_store_clock_rates(gt_device *device, gt_store *store);

/* A tuning's result, put at once. */
typedef struct gt_outcome {
    const char *environment;
    const gt_gpu_facts *gpu; /* NULL: as known */
    const gt_scenario *scenario;
    const gt_trial *trials;
    size_t trial_count;
    const gt_winner *winner; /* its trials must be among `trials` or stored; its codes are kept */
    const gt_code *codes;    /* more code to keep: the default's, or all */
    size_t code_count;
    const gt_code *passed; /* code that was kept in case the tuning is cut short: dropped, unless a
                              winner is made of it; images are not read */
    size_t passed_count;
    bool force;          /* also over a winner that answers for this one */
    const char *created; /* when it was measured, UTC, ISO 8601; NULL or "": now */
    double elapsed_s; /* since the tuning began: what it stored before keeps its time; 0: nothing */
} gt_outcome;

/* The GPU's facts, scenario, trials, winner (may be NULL) and code in one transaction. The winner
 * is left out where a final one of the same space is stored that answers for it (gt_answers_for()),
 * unless `force`; otherwise it replaces the one of its space. */
gputune_status gt_store_put_winner(gt_store *store, const gt_outcome *outcome,
                                   const gt_patience *patience);

/* ---- Leases ---------------------------------------------------------------------------------- */

/* The right to tune one scenario in one environment. */
typedef struct gt_lease {
    gt_hash key, owner;
    bool held, in_memory;
    int64_t renewed_ns; /* on the clock of gt_now_ns() */
    int64_t silent;     /* process that it was taken from, which had not renewed it; 0: none */
} gt_lease;

enum { GT_LEASE_SECONDS = 5 }; /* renew each second */

/* Waits until no process holds the lease; only reads. EBUSY: one does, and the patience is over.
 */
gputune_status gt_store_lease_await(gt_store *store, const char *environment,
                                    const gt_scenario *scenario, const gt_patience *patience);
/* Waits as long as `patience` says (one that is over: one try) for the lease. It is free when it
 * was not renewed for GT_LEASE_SECONDS, whatever became of its holder: of a process of this
 * machine, as the calling thread has seen it in one wait or several; of another machine's, by the
 * wall clock. At once when its holder was a process of this machine that has ended. EBUSY names the
 * holder's process, ECANCELED tells that the wait was canceled. Without a file that can be written,
 * or where it stays locked for a quarter of the patience (5 s at most), it is granted among the
 * threads of this process. Look the winners up again once it is held. */
gputune_status gt_store_lease_acquire(gt_lease *out, gt_store *store, const char *environment,
                                      const gt_scenario *scenario, const gt_patience *patience);
/* Keeps the lease for another GT_LEASE_SECONDS. EBUSY if it was lost. OK also if the file stayed
 * locked; the next renewal finds out. It waits for the file 0.1 s, and until the lease's end once
 * half of its time is over, within `patience`. */
gputune_status gt_store_lease_renew(gt_lease *lease, gt_store *store, const gt_patience *patience);
/* Gives the lease back. Does nothing if it is not held. */
void gt_store_lease_release(gt_lease *lease, gt_store *store, const gt_patience *patience);

/* ---- Records --------------------------------------------------------------------------------- */

/* Of each kernel and environment, the version that counts is that of the template at hand where
 * something of it is found, else the newest. */
typedef enum gt_versions {
    GT_VERSIONS_ALL,
    GT_VERSIONS_ONE /* the one that counts */
} gt_versions;

/* What is asked for: kernels, on GPUs, at sizes. */
typedef struct gt_wanted {
    const char *const *kernels; /* only these; NULL: all */
    size_t kernel_count;
    const char *const *environments; /* only these; NULL: any */
    size_t environment_count;
    const char *gpu;   /* by gt_gpu_matches(); NULL: any */
    const char *sizes; /* by gt_sizes_match(); NULL: any */
} gt_wanted;

typedef struct gt_records_filter {
    gt_wanted wanted;
    bool all_trials; /* else winners only */
    bool failures; /* without all_trials, also trials that failed, but not a lower layer's where an
                      upper one has something of the scenario */
    gt_versions versions;
    /* Sets the identity of the template at hand; false: there is none. NULL: there is none of any.
     * What differs from it, or else from the newest, is outdated. */
    bool (*at_hand)(void *user, const char *kernel, gt_hash *identity);
    void *user; /* of at_hand */
} gt_records_filter;

/* Calls `each` in the order kernel, fixed values, sizes, objective, time (failures last); a
 * non-zero answer stops and is returned. Every field of the record is served. A trial that won in
 * several spaces comes once for each. */
int gt_store_records(gt_store *store, const gt_records_filter *filter,
                     int (*each)(void *user, const gputune_record *record), void *user,
                     const gt_patience *patience);
/* What goes of that which a filter finds, scenario by scenario and GPU by GPU; none of these:
 * everything. */
typedef struct gt_forget {
    bool only_say;       /* nothing goes */
    bool outdated;       /* versions of a template that do not count */
    bool older_drivers;  /* tried with an older driver only than the last one of that GPU */
    double older_than_s; /* nothing was tried for so long; 0 */
    uint64_t most_bytes; /* then the oldest, until the file's data takes so much; 0: any size */
} gt_forget;

/* Drops what goes from the user's file, with the code that nothing else has, and then calls `each`
 * as gt_store_records() does for every trial. The filter's versions and all_trials do not matter.
 * With `most_bytes` the file shrinks, unless it is in use. EBUSY when the file stays locked,
 * EDATABASE when it cannot be written. */
int gt_store_forget(gt_store *store, const gt_records_filter *filter, const gt_forget *what,
                    int (*each)(void *user, const gputune_record *record), void *user,
                    const gt_patience *patience);

typedef struct gt_merged {
    int64_t trials, winners;             /* sound ones that the files have, together */
    int64_t taken_trials, taken_winners; /* rows that the user's file lacked, or had with no more
                                            evidence (GT_TEXT_TRIAL_EVIDENCE, _WINNER_EVIDENCE) */
} gt_merged;

/* Takes over what the files have: trials, winners and code, all or nothing. The files are only
 * read. EDATABASE, with the path, for a file that is missing, damaged, locked, or that others may
 * write; EBUSY and EDATABASE where the user's file cannot be written. */
gputune_status gt_store_merge(gt_merged *merged, gt_store *store, const char *const *paths,
                              size_t count, const gt_patience *patience);
