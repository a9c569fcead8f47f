/* The store keeps winners, trials, rules, compiled code and leases between runs. It uses SQLite,
 * but not CUDA.
 *
 * A store consists of several databases. They are, from the top: a database in memory, if it is
 * needed; the user's file; winners that were imported for this store only; the system's file, which
 * is only read. If several databases have a result, the uppermost one is used. The failure of a
 * database does not fail a call:
 * - If a file cannot be written (it is damaged, read-only or of a newer version, or the disk is
 *   full), the store warns once, keeps new rows in memory, and does not write the file again. A
 *   damaged file is not read either.
 * - If a file stays locked for as long as a write may wait, the store warns once and keeps the rows
 *   in memory. They are moved to the file before the next write, by gt_store_check(), or when the
 *   store is closed. gt_store_check() and closing wait for the lock until 0.3 s after the last
 *   failed write. Until then, new rows are also kept in memory, so the file never has newer rows.
 * - Rows with a wrong checksum are ignored (sql.h states what the checksums cover).
 * - If another user owns the file or could have written it (gt_distrust()), its code and rules are
 *   ignored, and its results must be verified again. The store warns once.
 *
 * All functions are thread-safe. Callbacks are called without holding a mutex. While a write waits
 * for another process, other threads can look up results. In a forked child a store finds and keeps
 * nothing, because SQLite connections cannot be used there.
 *
 * `patience` limits how long a call waits for locks and for other threads, and how long its
 * statements run. If it is NULL, only the limits below apply. A cancel ends a wait within 0.1 s. A
 * write waits for other processes for at most 5 s. A lookup waits for other processes for a quarter
 * of the patience, but at most 5 s; without a patience, it waits for 0.5 s. If the file is still
 * locked after that, lookups do not wait during the next second. While another thread of this
 * process uses the file, which may be slow, a lookup waits until the patience ends.
 *
 * The caller frees *out with the function of its type, such as gt_winner_free(). A lookup that
 * finds nothing returns ENOTFOUND without a message. */
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

/* Opens the database `path`. If it is NULL, opens the file that GPUTUNE_DB names, or gputune.db in
 * the cache folder; ":memory:" stores nothing permanently. The first write creates a missing file
 * (mode 0600). Folders of the cache (0700) are created, but not the folder of a file that was
 * named. `system_path` is the lowest layer and is only read; it may be NULL or missing. `log` is
 * copied and may be NULL. May return ENOMEM.
 *
 * With `only_read`, no file is created, and a file is written only to roll back the transaction of
 * a killed writer. In this mode, EDATABASE is returned if the file is locked or is not a gputune
 * database, or if it is missing although `path` is not NULL. */
gputune_status gt_store_open(gt_store **out, const char *path, const char *system_path,
                             const gt_log *log, bool only_read);
/* Closes a store. Warns if rows are lost because of a lock. Does nothing in a forked child. */
void gt_store_close(gt_store *store);
/* Returns false in a forked child or in a read-only store, which write nothing. */
bool gt_store_is_writable(const gt_store *store);
/* Returns EDATABASE if the last lookup could not read the user's file. With `writing`, also returns
 * EDATABASE if new rows are in memory only. Returns OK for ":memory:". */
gputune_status gt_store_check(gt_store *store, bool writing);
/* Returns true if another process had locked the file in the last lookup. */
bool gt_store_is_locked(gt_store *store);
/* Returns true if rows are in memory only because the file was locked. */
bool gt_store_lags(gt_store *store);

/* The state of a database file, for commands that look for problems. */
typedef struct gt_store_facts {
    char path[PATH_MAX]; /* "" if the user has no cache folder */
    bool exists;         /* if false, only path, `unwritable` and `network` are set */
    bool is_read;        /* false if the file is locked, so its contents are unknown */
    char damage[256];    /* why the file cannot be read, or the first damage; "" if there is none */
    char unwritable[256]; /* why the file cannot be written; "" if it can */
    int64_t bytes, schema, trials, winners;
    const char *distrust; /* gt_distrust() of the file, or NULL */
    const char *network;  /* gt_network_of() of the file, or NULL */
} gt_store_facts;

/* Examines the database that gt_store_open() would open. Waits up to 2 s if it is locked. Does not
 * change it, except to roll back the transaction of a killed writer. *out is always set. Returns
 * ENOTFOUND if there is no cache folder, or ENOMEM. */
gputune_status gt_store_inspect(gt_store_facts *out, const char *path);

/* ---- Keys ------------------------------------------------------------------------------------ */

enum { GT_ENVIRONMENT_MAX = 40 };

/* A problem on one kind of GPU, and the other properties that a result depends on. The caller owns
 * the strings. Strings other than the environment may be NULL, which means "". */
typedef struct gt_scenario {
    const char *environment; /* gt_environment_join() */
    const char *kernel;
    const char *problem; /* measured sizes and other problem values, as "n=67108864 T=half" */
    const char *bucket;  /* for a rule: the part of the key that replaces the problem; else NULL */
    const char *fixed; /* const and type values, as "T=half"; the same for all sizes of a family */
    gputune_objective objective; /* never DEFAULT */
    gputune_cache cache;
    const char *alignment;         /* alignment of buffers in bytes, as "16" or "16 x=4" */
    const char *inputs;            /* contents of the inputs, as "seed=1" or "live:TAG" */
    gt_hash identity;              /* gt_template.identity */
    double work_bytes, work_flops; /* bytes and operations per launch; not in the key */
    bool unreferenced;             /* true if nothing could verify the default; not in the key */
} gt_scenario;

/* Returns a hash of a scenario without its environment. */
gt_hash gt_scenario_hash(const gt_scenario *scenario);
/* The scenario and the GPU of a result. A site that was looked up owns its texts. */
typedef struct gt_site {
    gt_scenario scenario;
    const char *gpu;  /* name of the GPU; NULL: keep all stored properties */
    const char *uuid; /* UUID for which clock rates are stored; NULL after a lookup */
    const char *host; /* host processor if the environment depends on it, or NULL */
    const char *arch, *origin, *mig_profile;
    int sm_count, bus_width_bits, memory_clock_khz, sm_clock_khz;
    int driver_version, nvrtc_version; /* versions when the properties were stored */
    double l2_bytes, memory_bytes;
    double copy_bytes_per_s; /* bytes read plus bytes written by a copy; 0: keep the stored value */
    gt_hash hash;            /* gt_scenario_hash() */
    const char *sizes;       /* run-time sizes, set by lookups only */
} gt_site;

/* Returns the site of a scenario on a device. It points to the arguments. `host` may be NULL. */
gt_site gt_site_of(const gt_scenario *scenario, const gt_device *device, const char *host);
/* Sets the members of *record that describe the site. Its texts still belong to the site. */
void gt_site_show(gputune_record *record, const gt_site *site);
/* Writes the key of an environment to `out`, and returns it. The key is gt_device.environment. If
 * the objective depends on the host, `more` is the host's processor and becomes a part of the key;
 * otherwise it is NULL or "". */
const char *gt_environment_join(char out[GT_ENVIRONMENT_MAX], const char *environment,
                                const char *more);

/* ---- Compiled code --------------------------------------------------------------------------- */

void gt_code_free(gt_code *code);
/* Finds the compiled code of a source, from the newest version of NVRTC. ENOTFOUND if there is
 * none. */
gputune_status gt_store_find_cubin(gt_code *out, gt_store *store, gt_hash source, const char *arch,
                                   bool ptx, const gt_patience *patience);
gputune_status gt_store_put_cubins(gt_store *store, const gt_code *codes, size_t count,
                                   const gt_patience *patience);

/* ---- Trials ---------------------------------------------------------------------------------- */

/* Returns the name of a status, such as "ok", "eliminated", "wrong" or "crashed". */
const char *gt_trial_status_name(gt_trial_status status);
/* Returns true if the results of the trial were verified. */
bool gt_trial_is_correct(gt_trial_status status);

typedef GT_ARRAY(gt_trial) gt_trial_list;

/* Returns all trials of a scenario, including failed ones, in no particular order. Leaves out
 * trials that failed with another driver than `driver_version` (0: any), because they may succeed
 * now. Trials that could not be compiled are always returned. The list may be empty. */
gputune_status gt_store_trials(gt_trial_list *out, gt_store *store, const gt_scenario *scenario,
                               int driver_version, const gt_patience *patience);
void gt_trial_list_free(gt_trial_list *list);
/* Removes a trial from a list. The last trial takes its place. */
void gt_trial_list_drop(gt_trial_list *list, size_t index);
/* Sets the members of *record that describe the trial. Its texts still belong to the trial. */
void gt_trial_show(gputune_record *record, const gt_trial *trial);
typedef struct gt_shapes {
    char grids[GT_SHAPES_TEXT], blocks[GT_SHAPES_TEXT];
} gt_shapes;
/* Sets the grids and blocks of *record. They point into *texts, which must stay valid. */
void gt_launch_show(gputune_record *record, gt_shapes *texts, const gt_launch *launch);
/* A trial of the same kernel for another size, objective, const or type value, or another GPU. */
typedef struct gt_related_trial {
    char *config;
    double time_ns;    /* nanoseconds, or another value that the objective minimises */
    double compile_ns; /* 0 if unknown */
    uint32_t group;    /* compare times only in a group (one scenario and GPU); 0: the nearest */
} gt_related_trial;

typedef GT_ARRAY(gt_related_trial) gt_related_list;

enum {
    GT_RELATED_MAX = 1000,   /* maximum number of trials returned */
    GT_RELATED_OF_ONE = 250, /* number of trials chosen at random per scenario and GPU */
    GT_RELATED_FASTEST = 64  /* number of fastest trials added per scenario and GPU */
};

/* Finds correct and measured trials of the same kernel (name and identity) in other scenarios. They
 * are sorted by group and time. Groups on the same GPU come first, then those with the same const
 * and type values, then those with the nearest sizes (gt_sizes_distance()), then those with the
 * same objective. If a scenario has too many trials, returns its winners, its fastest trials, and a
 * random choice of the others. If `device` is real, modelled times are not returned. The list may
 * be empty. */
gputune_status gt_store_related_trials(gt_related_list *out, gt_store *store,
                                       const gt_device *device, const gt_scenario *scenario,
                                       const gt_patience *patience);
void gt_related_list_free(gt_related_list *list);
/* Stores trials in one transaction. A stored trial with the same hash is replaced. */
gputune_status gt_store_put_trials(gt_store *store, const gt_scenario *scenario,
                                   const gt_trial *trials, size_t count,
                                   const gt_patience *patience);

/* ---- Winners --------------------------------------------------------------------------------- */

void gt_winner_free(gt_winner *winner);

typedef GT_ARRAY(gt_winner) gt_winner_list;

/* Finds all winners of a scenario: those of upper layers first, then final ones, then newer ones.
 * Omits a winner that a winner of an upper layer makes unnecessary (gt_answers_for()), and a winner
 * whose trial is incorrect or has another configuration. Winners of the system's database are
 * final. A winner of an upper layer becomes final, too, if it makes one of them unnecessary and is
 * at least as fast. The list may be empty. EBUSY without a message if the file could not be read in
 * time and no other layer has a winner. */
gputune_status gt_store_winners(gt_winner_list *out, gt_store *store, const gt_scenario *scenario,
                                const gt_patience *patience);
void gt_winner_list_free(gt_winner_list *list);
/* Finds the verified winner with the nearest sizes (gt_sizes_distance()), among those whose key
 * differs from that of the scenario only in the sizes. Among equally near winners, prefers those of
 * the whole space, then final ones, then those of upper layers, then the newest. Skips winners
 * whose trial is in the array `other`, which has `count` elements. ENOTFOUND if no winner is
 * left. */
gputune_status gt_store_find_nearest(gt_winner *out, gt_store *store, const gt_scenario *scenario,
                                     const gt_hash *other, size_t count,
                                     const gt_patience *patience);

/* Sets the clock rates of *device to those that were stored for its GPU and driver. ENOTFOUND if
 * none were stored. */
gputune_status gt_store_clock_rates(gt_device *device, gt_store *store);

/* The result of a tuning or an import. */
typedef struct gt_outcome {
    const gt_site *site; /* NULL: there is only `codes` */
    const gt_trial *trials;
    size_t trial_count;
    const gt_winner *winner; /* the winner, or NULL; its trials are stored or in `trials` */
    const gt_code *codes;    /* code other than the winner's: of the default or of all variants */
    size_t code_count;
    bool force;          /* true: always replace the stored winner */
    bool offered;        /* true: an import, which keeps stored trials and GPU properties */
    const char *created; /* time of the measurement in UTC and ISO 8601; NULL or "": now */
    double elapsed_s;    /* seconds since the tuning began; trials stored in it keep their dates */
} gt_outcome;

/* Stores the properties of the GPU, the scenario, the trials, the winner and the code in one
 * transaction. The winner replaces the stored winner of the same space. However, unless `force` is
 * set, the stored winner stays if it is final and makes the new one unnecessary (gt_answers_for()).
 */
gputune_status gt_store_put_winner(gt_store *store, const gt_outcome *outcome,
                                   const gt_patience *patience);

/* ---- Leases ---------------------------------------------------------------------------------- */

typedef struct gt_lease {
    gt_hash key, owner;
    bool held;
    int64_t renewed_ns; /* time of the last renewal (gt_now_ns()) */
} gt_lease;

enum { GT_LEASE_SECONDS = 5 }; /* time after which a lease expires; it is renewed every second */

/* Takes the lease. Tries at least once, and waits as long as `patience` allows. lease.c describes
 * when a lease is free. Returns EBUSY, with a message that states which process holds the lease, or
 * ECANCELED. If no file can be written, or if the file stays locked for a quarter of the patience
 * (at most 5 s), returns OK, but the lease is not held. After this call, look up the winners again,
 * because another process may have stored one. */
gputune_status gt_store_lease_acquire(gt_lease *out, gt_store *store, const gt_scenario *scenario,
                                      const gt_patience *patience);
/* Extends the lease, if it is held, by GT_LEASE_SECONDS. EBUSY if it was lost. Waits for a locked
 * file: 0.1 s in the first half of the lease, in the second half until it expires, but at most as
 * long as `patience` allows. If the file stays locked, returns OK, because the next renewal tries
 * again. */
gputune_status gt_store_lease_renew(gt_lease *lease, gt_store *store, const gt_patience *patience);
/* Releases the lease. Does nothing if the lease is not held. */
void gt_store_lease_release(gt_lease *lease, gt_store *store, const gt_patience *patience);

/* ---- Records --------------------------------------------------------------------------------- */

/* A selection of stored results by kernel, GPU and sizes. */
typedef struct gt_wanted {
    const char *const *kernels; /* NULL: all kernels */
    size_t kernel_count;
    const char *const *environments; /* NULL: all environments */
    size_t environment_count;
    const char *gpu;   /* pattern for gt_gpu_matches(); NULL: any GPU */
    const char *sizes; /* pattern for gt_sizes_match(); NULL: any sizes */
    bool rules;        /* true: export only rules; a region matches `sizes` if it contains them */
} gt_wanted;

typedef struct gt_records_filter {
    gt_wanted wanted;
    bool all_trials; /* true: list all trials; false: list winners */
    /* true: also list failed trials. Unless all_trials is set, the failed trials of a scenario are
     * taken only from the uppermost layer with a winner or a failed trial of this scenario. */
    bool failures;
    /* true: list only results of the current version of a template; if it has none, list those of
     * the newest version */
    bool one_version;
    /* Returns the identity of the current template of a kernel, or false if there is none. May be
     * NULL. Records with another identity are outdated. If there is no current template, records
     * are outdated if their identity differs from that of the newest record. */
    bool (*at_hand)(void *user, const char *kernel, gt_hash *identity);
    void *user;
} gt_records_filter;

/* Called for each record. If the result is not 0, the caller stops and returns the result. */
typedef int (*gt_record_fn)(void *user, const gputune_record *record);

/* Calls `each` for the selected records, with all their members set. They are sorted by kernel,
 * fixed values, sizes, objective, scenario and time. Failures come last. Stops if `each` returns a
 * value other than 0, and returns this value. A trial that is the winner of several spaces is
 * passed once for each. */
int gt_store_records(gt_store *store, const gt_records_filter *filter, gt_record_fn each,
                     void *user);
/* Deletes the selected trials and rules from the user's file, and code that is not used any more.
 * First calls `each` for them, like gt_store_records(); a rule has the status "rule", and its sizes
 * are its region. If `each` does not return 0, deletes nothing. If a scenario on a GPU is selected,
 * all its rows are deleted, even those that were added in the meantime. one_version and all_trials
 * are ignored. EBUSY if the file stays locked; EDATABASE if it cannot be written. */
int gt_store_forget(gt_store *store, const gt_records_filter *filter,
                    const gputune_forget_options *what, gt_record_fn each, void *user,
                    const gt_patience *patience);

/* Copies the trials, winners, rules and code of the files `paths` to the user's file, all of them
 * or none. The files are only read. EDATABASE, with the path, if one of them is missing, damaged,
 * locked, or writable by other users. EBUSY or EDATABASE if the user's file cannot be written. */
gputune_status gt_store_merge(gputune_merged *merged, gt_store *store, const char *const *paths,
                              size_t count);

/* ---- Rules ----------------------------------------------------------------------------------- */

void gt_stored_rule_free(gt_stored_rule *rule);
/* Returns the key of a rule within its environment. It is the same for all run-time sizes. */
gt_hash gt_rule_hash(const gt_scenario *scenario);
/* Finds the rule for a scenario, whatever its run-time sizes, in the uppermost layer that has one.
 * kernel/rule/rule.h reads its text. Rules in a file that other users can write are ignored. The
 * caller must check `proved` and the driver of the rule. ENOTFOUND if there is no rule. */
gputune_status gt_store_find_rule(gt_stored_rule *out, gt_store *store, const gt_scenario *scenario,
                                  const gt_patience *patience);

typedef struct gt_rule_outcome {
    const gt_site *site;        /* scenario and GPU of the rule; the run-time sizes do not matter */
    const gt_stored_rule *rule; /* `sources` must contain a hash for each variant */
    const gt_code *codes;
    size_t code_count;
    /* true: an import. GPU properties are not replaced. If either the stored or the imported rule
     * is proved and the other is not, the proved rule is kept; otherwise the newer rule. */
    bool offered;
} gt_rule_outcome;

/* Stores a rule and its code in one transaction. An earlier rule for the scenario is replaced. */
gputune_status gt_store_put_rule(gt_store *store, const gt_rule_outcome *outcome,
                                 const gt_patience *patience);

typedef struct gt_listed_rule {
    gt_site site; /* site of the rule; its problem is the region of the rule */
    gt_stored_rule rule;
} gt_listed_rule;

typedef GT_ARRAY(gt_listed_rule) gt_listed_rules;

/* Lists the selected rules of all layers, sorted by kernel and fixed values. */
gputune_status gt_store_rules(gt_listed_rules *out, gt_store *store, const gt_wanted *wanted);
void gt_listed_rules_free(gt_listed_rules *list);

/* ---- Wisdom ---------------------------------------------------------------------------------- */

/* Appends the selected winners and rules of all layers to *out as text. Sets *count to their
 * number. Wrong results and duplicates are omitted. With `whole`, their code and the fastest other
 * trials are appended too. */
gputune_status gt_store_export(gt_text *out, uint32_t *count, gt_store *store,
                               const gt_wanted *wanted, bool whole);

typedef struct gt_wisdom_import {
    bool trusted;       /* true: results with `driver_version` (0: any) count as verified */
    int driver_version; /* driver of the current device; 0: there is none */
    bool keep; /* true: store in the user's file, unless read-only; false: for this store only */
    uint32_t taken;    /* out: number of winners and rules that were imported */
    uint32_t left_out; /* out: number of entries that are damaged, edited, or unknown */
    const gt_log *log; /* receives a warning about bad entries */
    const char *from;  /* origin of the text for the warning: a path, or "the text" */
} gt_wisdom_import;

/* Imports winners and rules from a text of gt_store_export(). A stored winner that makes an
 * imported one unnecessary is kept. ERECORDED if the text has another format or an unknown version.
 */
gputune_status gt_store_import(gt_wisdom_import *import, gt_store *store, const char *text,
                               const gt_patience *patience);
