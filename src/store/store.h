/* The store keeps winners, trials, rules, compiled code and leases between runs, in SQLite. It does
 * not use CUDA.
 *
 * A store is a stack of databases. From the top, these are: one in memory, if needed; the user's
 * file; winners imported for this store only; the read-only system file. The uppermost database
 * that has a result wins. A failing database does not fail a call:
 * - A file that cannot be written (damaged, read-only, full disk, a newer version) is not written
 * again. The store warns once and keeps new rows in memory. A damaged file is not read either.
 * - If a file stays locked for as long as a write may wait, the store warns once and keeps the rows
 * in memory. The next successful write, gt_store_check() or closing moves the rows to the file;
 * gt_store_check() and closing wait at most 0.3 s after the last failed wait.
 * - While a database in memory exists, writes to the file also go to that database, so it is never
 * older than the file.
 * - A row with a wrong checksum counts as missing (sql.h lists what the checksums cover).
 * - If another user owns a file or may write it (gt_distrust()), its code and rules count as
 * missing and its results as not verified; one warning reports this.
 *
 * All functions are thread-safe, and no callback runs under a mutex. While a write waits for
 * another process, lookups of other threads proceed. In a forked child, a store finds and keeps
 * nothing, because SQLite connections do not survive a fork.
 *
 * `patience` limits how long a call waits for locks and other threads, and how long its statements
 * run (NULL: the longest times below). A cancel ends a wait within 0.1 s. Writes wait for another
 * process for at most 5 s. Lookups wait for another process for a quarter of the patience, at most
 * 5 s, or for 0.5 s without a patience. After such a wait without success, lookups do not wait for
 * one second. Lookups wait for commits of this process, which may be slow, for the whole patience.
 *
 * The caller frees *out with the function of its type, such as gt_winner_free(). Lookups that find
 * nothing return ENOTFOUND without a message. */
#pragma once

#include "base/array.h"
#include "base/device.h"
#include "base/hash.h"
#include "base/launch.h"
#include "base/patience.h"
#include "base/status.h"
#include "base/text.h"
#include "store/columns.h"

#include <gputune_tools.h>
#include <limits.h>

typedef struct gt_store gt_store;

/* ---- Opening --------------------------------------------------------------------------------- */

/* Opens `path` (NULL: GPUTUNE_DB, otherwise gputune.db in the cache folder; ":memory:" keeps
 * nothing). Creates a missing file (mode 0600) and folders of the cache (0700); the folder of a
 * named file must exist. Opens `system_path` (NULL or missing: none) read-only, as the lowest
 * layer. Copies `log` (may be NULL). Fails only with ENOMEM.
 *
 * With `only_read`, creates and writes no file, except to undo a killed writer's transaction. Then
 * also fails with EDATABASE if the file is locked, not a gputune database, or missing; it may be
 * missing if `path` is NULL. */
gputune_status gt_store_open(gt_store **out, const char *path, const char *system_path,
                             const gt_log *log, bool only_read);
/* Closes a store. Warns if rows could not be moved to the file. Does nothing in a forked child. */
void gt_store_close(gt_store *store);
/* Fails with EDATABASE if the last lookup could not read the user's file. With `writing`, also if
 * new rows are only in memory. Returns OK for ":memory:". */
gputune_status gt_store_check(gt_store *store, bool writing);
/* Returns true if rows are only in memory, and only because the file was locked. */
bool gt_store_lags(gt_store *store);

/* The state of a database file, for commands that diagnose problems. */
typedef struct gt_store_facts {
    char path[PATH_MAX];  /* "" if the user has no cache folder */
    bool exists;          /* false: only path, `unwritable` and `network` are set */
    bool is_read;         /* false if the file is locked, so its contents are unknown */
    char damage[256];     /* why the file cannot be read, or the first damage found; "": none */
    char unwritable[256]; /* why the file cannot be written now; "" if it can */
    int64_t bytes, schema, trials, winners;
    const char *distrust; /* gt_distrust() of the file, or NULL */
    const char *network;  /* gt_network_of() of the file, or NULL */
} gt_store_facts;

/* Examines the database that gt_store_open() would use, waiting up to 2 s for its lock. Changes it
 * only to undo a killed writer's transaction. Always sets *out. ENOTFOUND if the user has no cache
 * folder; ENOMEM. */
gputune_status gt_store_inspect(gt_store_facts *out, const char *path);

/* ---- Keys ------------------------------------------------------------------------------------ */

enum { GT_ENVIRONMENT_MAX = 40 };

/* A problem to tune on one kind of GPU: the key of a winner. The caller owns the strings; NULL
 * counts as "", except for the environment. */
typedef struct gt_scenario {
    const char *environment; /* gt_environment_join() */
    const char *kernel;
    const char *problem; /* sizes that are measured and shown, such as "n=67108864 T=half" */
    const char *bucket;  /* in a rule's key, replaces the problem; otherwise NULL */
    const char *fixed;   /* values of const and type, "T=half"; a nearest size must share them */
    gputune_objective objective; /* never DEFAULT */
    gputune_cache cache;
    const char *alignment; /* "16", or "16 x=4" */
    const char *inputs;    /* how inputs are filled: "seed=1", or "live:TAG" */
    gt_hash identity;      /* gt_template.identity */
    /* bytes and operations in a launch of the default; not in the key */
    double work_bytes, work_flops;
    /* true if the default counts as correct, as there is no reference or check; not in the key */
    bool unreferenced;
} gt_scenario;

/* Returns the hash that identifies a scenario within its environment. */
gt_hash gt_scenario_hash(const gt_scenario *scenario);
/* The scenario and the GPU of a result. A lookup returns one that owns its texts. */
typedef struct gt_site {
    gt_scenario scenario;
    const char *gpu;  /* name of the GPU; NULL: keep the GPU's stored properties */
    const char *uuid; /* GPU whose clock rates are stored; NULL after a lookup */
    const char *host; /* host processor, if it is part of the environment; else NULL */
    const char *arch, *origin, *mig_profile;
    int sm_count, bus_width_bits, memory_clock_khz, sm_clock_khz;
    int driver_version, nvrtc_version; /* versions when the GPU's properties were stored */
    double l2_bytes, memory_bytes;
    double copy_bytes_per_s; /* stream copy rate, reads plus writes; 0: keep the stored rate */
    gt_hash hash;            /* gt_scenario_hash() */
    const char *sizes;       /* run-time sizes; only lookups set them */
} gt_site;

/* Returns the site of a scenario on a device. It points to its arguments. `host` may be NULL. */
gt_site gt_site_of(const gt_scenario *scenario, const gt_device *device, const char *host);
/* Sets the members of *record that show the site. The site still owns its texts. */
void gt_site_show(gputune_record *record, const gt_site *site);
/* Writes the key of an environment: gt_device.environment, joined with the host's processor `more`
 * if the objective depends on the host (NULL or "": it does not). Returns out. */
const char *gt_environment_join(char out[GT_ENVIRONMENT_MAX], const char *environment,
                                const char *more);

/* ---- Compiled code --------------------------------------------------------------------------- */

void gt_code_free(gt_code *code);
/* Finds code compiled from this source, from the newest NVRTC that compiled it. ENOTFOUND. */
gputune_status gt_store_find_cubin(gt_code *out, gt_store *store, gt_hash source, const char *arch,
                                   bool ptx, const gt_patience *patience);
gputune_status gt_store_put_cubins(gt_store *store, const gt_code *codes, size_t count,
                                   const gt_patience *patience);

/* ---- Trials ---------------------------------------------------------------------------------- */

/* Returns "ok", "eliminated", "wrong", "crashed", "hung", and so on. */
const char *gt_trial_status_name(gt_trial_status status);
/* Returns true if the trial's results were compared and are correct. */
bool gt_trial_is_correct(gt_trial_status status);

typedef GT_ARRAY(gt_trial) gt_trial_list;

/* Gets all trials of a scenario in no particular order, including failed ones. A failure with a
 * driver other than `driver_version` (0: any) is omitted, because the trial may succeed now.
 * Failures to compile are never omitted. The list may be empty. */
gputune_status gt_store_trials(gt_trial_list *out, gt_store *store, const gt_scenario *scenario,
                               int driver_version, const gt_patience *patience);
void gt_trial_list_free(gt_trial_list *list);
/* Removes a trial. The last trial takes its place. */
void gt_trial_list_drop(gt_trial_list *list, size_t index);
/* Sets the members of *record that show the trial. The trial still owns its texts. */
void gt_trial_show(gputune_record *record, const gt_trial *trial);
typedef struct gt_shapes {
    char grids[GT_SHAPES_TEXT], blocks[GT_SHAPES_TEXT];
} gt_shapes;
/* Sets the grids and blocks of *record. They point to *texts, which must outlive the record. */
void gt_launch_show(gputune_record *record, gt_shapes *texts, const gt_launch *launch);
/* A trial of the same kernel at another size, objective, const or type value, or on another GPU. */
typedef struct gt_related_trial {
    char *config;
    double time_ns;    /* in nanoseconds, or the value that the objective minimises */
    double compile_ns; /* 0 if unknown */
    uint32_t group;    /* only times in the same group are comparable; group 0 is nearest */
} gt_related_trial;

typedef GT_ARRAY(gt_related_trial) gt_related_list;

enum {
    GT_RELATED_MAX = 1000,   /* maximum number of trials */
    GT_RELATED_OF_ONE = 250, /* number of random trials per scenario and GPU */
    GT_RELATED_FASTEST = 64  /* additional fastest trials per scenario and GPU */
};

/* Finds correct, measured trials of the same kernel (name and identity) in other scenarios, ordered
 * by group and time. Groups on the same GPU come first, then those with the same const and type
 * values, then those with the nearest sizes (gt_sizes_distance()), then those with the same
 * objective. If a scenario has very many trials, takes the winners, the fastest trials, and a
 * random choice of the others. A real `device` gets no modelled times. The list may be empty. */
gputune_status gt_store_related_trials(gt_related_list *out, gt_store *store,
                                       const gt_device *device, const gt_scenario *scenario,
                                       const gt_patience *patience);
void gt_related_list_free(gt_related_list *list);
/* Adds trials in one transaction. Replaces stored trials with the same hash. */
gputune_status gt_store_put_trials(gt_store *store, const gt_scenario *scenario,
                                   const gt_trial *trials, size_t count,
                                   const gt_patience *patience);

/* ---- Winners --------------------------------------------------------------------------------- */

void gt_winner_free(gt_winner *winner);

typedef GT_ARRAY(gt_winner) gt_winner_list;

/* Finds all winners of the scenario: upper layers first, then final winners, then the newest. Omits
 * a winner if an upper layer's winner of the same space answers for it, or if its trial is not
 * correct or has a different configuration. Winners of the system's database count as final, and so
 * do upper layers' winners that are as fast as these. The list may be empty. EBUSY, without a
 * message, if the file could not be read in time and no other layer has a winner. */
gputune_status gt_store_winners(gt_winner_list *out, gt_store *store, const gt_scenario *scenario,
                                const gt_patience *patience);
void gt_winner_list_free(gt_winner_list *list);
/* Finds the verified winner with the nearest sizes (gt_sizes_distance()) and otherwise the same
 * key. If several are equally near, prefers winners of the whole space, then final winners, then
 * upper layers, then the newest. Skips winners whose trial is one of the `count` in `other`.
 * ENOTFOUND. */
gputune_status gt_store_find_nearest(gt_winner *out, gt_store *store, const gt_scenario *scenario,
                                     const gt_hash *other, size_t count,
                                     const gt_patience *patience);

/* Sets the clock rates of *device to those stored last for its GPU and driver. ENOTFOUND. */
gputune_status gt_store_clock_rates(gt_device *device, gt_store *store);

/* The result of a tuning, or of an import. */
typedef struct gt_outcome {
    const gt_site *site;
    const gt_trial *trials;
    size_t trial_count;
    /* the winner and its code, or NULL; its trials are stored already, or in `trials` */
    const gt_winner *winner;
    const gt_code *codes; /* other code: of the default, or of all variants */
    size_t code_count;
    bool force;          /* true: replace a stored winner even if it answers for the new one */
    bool offered;        /* true: an import, which keeps stored trials and GPU properties */
    const char *created; /* time of measurement, UTC, ISO 8601; NULL or "": now */
    double elapsed_s; /* seconds since the tuning began; trials stored during it keep their date */
} gt_outcome;

/* Stores the GPU's properties, scenario, trials, winner and code in one transaction. The winner
 * replaces the stored winner of its space. Exception: without `force`, a stored winner stays if it
 * is final and answers for the new one (gt_answers_for()). */
gputune_status gt_store_put_winner(gt_store *store, const gt_outcome *outcome,
                                   const gt_patience *patience);

/* ---- Leases ---------------------------------------------------------------------------------- */

typedef struct gt_lease {
    gt_hash key, owner;
    bool held, in_memory;
    int64_t renewed_ns; /* time of the last renewal, by gt_now_ns() */
} gt_lease;

enum { GT_LEASE_SECONDS = 5 }; /* the holder renews its lease every second */

/* Waits until no process holds the lease, without taking it. EBUSY if a process still holds it when
 * `patience` (not NULL) ends; ECANCELED. */
gputune_status gt_store_lease_wait(gt_store *store, const gt_scenario *scenario,
                                   const gt_patience *patience);
/* Takes the lease. Waits as long as `patience` allows, but tries at least once. lease.c lists when
 * a lease is free. EBUSY, with a message that names the holder's process, or ECANCELED. If no file
 * can be written, or it stays locked for a quarter of the patience (at most 5 s), the lease is
 * valid only among the threads of this process. After taking it, look up the winners again, because
 * another process may have stored one. */
gputune_status gt_store_lease_acquire(gt_lease *out, gt_store *store, const gt_scenario *scenario,
                                      const gt_patience *patience);
/* Extends the lease by GT_LEASE_SECONDS. EBUSY if it was lost. Waits for a locked file for 0.1 s,
 * or until the lease expires if half of it is over, but no longer than `patience`. Returns OK even
 * if the file stayed locked; the next renewal tries again. */
gputune_status gt_store_lease_renew(gt_lease *lease, gt_store *store, const gt_patience *patience);
/* Releases the lease. Does nothing if it is not held. */
void gt_store_lease_release(gt_lease *lease, gt_store *store, const gt_patience *patience);

/* ---- Records --------------------------------------------------------------------------------- */

/* Selects stored results by kernel, GPU and sizes. */
typedef struct gt_wanted {
    const char *const *kernels; /* NULL for all kernels */
    size_t kernel_count;
    const char *const *environments; /* NULL for all environments */
    size_t environment_count;
    const char *gpu;   /* pattern for gt_gpu_matches(); NULL: any GPU */
    const char *sizes; /* pattern for gt_sizes_match(); NULL: any sizes */
    bool rules;        /* true to export only rules */
} gt_wanted;

typedef struct gt_records_filter {
    gt_wanted wanted;
    bool all_trials; /* true: list all trials; false: list winners */
    /* true: also list failed trials; in lower layers, only of scenarios without results in upper
     * layers */
    bool failures;
    /* true: list one version per template and GPU: the current one or, if it has no results, the
     * newest */
    bool one_version;
    /* Gets the identity of the current template, or returns false if there is none. May be NULL. A
     * record is outdated if it has another identity. Without a current template, it is outdated if
     * it has another identity than the newest record. */
    bool (*at_hand)(void *user, const char *kernel, gt_hash *identity);
    void *user;
} gt_records_filter;

/* Receives a record. A result other than 0 makes the caller stop and return that result. */
typedef int (*gt_record_fn)(void *user, const gputune_record *record);

/* Calls `each` for records ordered by kernel, fixed values, sizes, objective, scenario and time
 * (failures last). If `each` does not return 0, stops and returns its result. Sets every member of
 * the record. If a trial won in several spaces, passes it once per space. */
int gt_store_records(gt_store *store, const gt_records_filter *filter, gt_record_fn each,
                     void *user);
/* Deletes the selected trials and rules of the user's file, and code that is then unused. First
 * calls `each` for them, as gt_store_records() does; a rule has the status "rule" and its region as
 * sizes. Deletes nothing if `each` stops. If a scenario on a GPU is selected, deletes all its rows,
 * even if they were added after the selection. Ignores one_version and all_trials. EBUSY if the
 * file stays locked, EDATABASE if it cannot be written. */
int gt_store_forget(gt_store *store, const gt_records_filter *filter,
                    const gputune_forget_options *what, gt_record_fn each, void *user,
                    const gt_patience *patience);

/* Copies the trials, winners, rules and code of the files `paths`, which are only read, to the
 * user's file: all or nothing. EDATABASE, with the path, if one of the files is missing, damaged,
 * locked, or may be written by others. EBUSY or EDATABASE if the user's file cannot be written. */
gputune_status gt_store_merge(gputune_merged *merged, gt_store *store, const char *const *paths,
                              size_t count);

/* ---- Rules ----------------------------------------------------------------------------------- */

void gt_stored_rule_free(gt_stored_rule *rule);
/* Returns the key of a rule within its environment. It does not depend on run-time sizes. */
gt_hash gt_rule_hash(const gt_scenario *scenario);
/* Finds the rule for the scenario with any run-time sizes, in the uppermost layer that has one
 * (kernel/rule/rule.h reads its text). Ignores rules in a file that other users may write. The
 * caller checks `proved` and the rule's driver. ENOTFOUND. */
gputune_status gt_store_find_rule(gt_stored_rule *out, gt_store *store, const gt_scenario *scenario,
                                  const gt_patience *patience);

/* A new or imported rule. */
typedef struct gt_rule_outcome {
    const gt_site *site;        /* scenario and GPU of the rule; run-time sizes are ignored */
    const gt_stored_rule *rule; /* `sources` has one hash for each variant */
    const gt_code *codes;
    size_t code_count;
    /* true: an import, which keeps the GPU's stored properties. If only one of the stored and the
     * imported rule is proved, that rule stays; otherwise the newer one stays. */
    bool offered;
} gt_rule_outcome;

/* Stores the rule and its code in one transaction. Replaces an earlier rule of the scenario. */
gputune_status gt_store_put_rule(gt_store *store, const gt_rule_outcome *outcome,
                                 const gt_patience *patience);

typedef struct gt_listed_rule {
    gt_site site; /* the site; its problem is the rule's region */
    gt_stored_rule rule;
} gt_listed_rule;

typedef GT_ARRAY(gt_listed_rule) gt_listed_rules;

/* Lists the selected rules of all layers by kernel and fixed values. */
gputune_status gt_store_rules(gt_listed_rules *out, gt_store *store, const gt_wanted *wanted);
void gt_listed_rules_free(gt_listed_rules *list);

/* ---- Wisdom ---------------------------------------------------------------------------------- */

/* Appends the selected winners and rules of all layers to *out as text, and counts them. Omits
 * wrong results and duplicates. With `whole`, also appends their code and the fastest other
 * trials. */
gputune_status gt_store_export(gt_text *out, uint32_t *count, gt_store *store,
                               const gt_wanted *wanted, bool whole);

typedef struct gt_wisdom_import {
    /* true: accept code of results of `driver_version` (0: any), and count them as verified */
    bool trusted;
    int driver_version; /* driver of the current device; 0: no device */
    bool keep;          /* true: store in the user's database; false: use only in this store */
    uint32_t taken;     /* out: number of imported winners and rules */
    uint32_t left_out;  /* out: number of entries that are damaged, edited or of another format */
    const gt_log *log;  /* gets a warning about the first entry that is left out */
    const char *from;   /* name of the text in the warning: a path, or "the text" */
} gt_wisdom_import;

/* Imports the winners and rules of a text made by gt_store_export(). A stored winner stays if it
 * answers the same requests. ERECORDED if the text is not wisdom or has an unknown version. */
gputune_status gt_store_import(gt_wisdom_import *import, gt_store *store, const char *text,
                               const gt_patience *patience);
