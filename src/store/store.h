/* The store keeps winners, trials, cubins and leases between runs, in SQLite. It knows no CUDA.
 * Declares functions of layers.c (opening), keys.c, results.c, records.c, lease.c and wisdom.c.
 *
 * A store is a stack of databases: one in memory, if there is one, then the user's file, then what
 * was imported for this store only, then the read-only system file. The upper database wins.
 * Trouble with a database does not make a caller fail:
 * - A file that cannot be written (damaged, read-only, full disk, a newer version) is not written
 *   again: the store keeps new rows in memory, after one warning through the log. A damaged file
 *   is not read either.
 * - If a file stays locked for all of a write's patience, the rows of this write are kept in
 *   memory, after one warning. The next write that reaches the file moves these rows to the file,
 *   and so do gt_store_check() and closing, until a second after the last call gave up waiting.
 * - While there is a database in memory, what is written to the file is written to memory too, so
 *   memory is never older than the file.
 * - A row whose checksum is wrong counts as missing (sql.h lists what the checksums bind).
 * - In a file that another user owns or may write (gt_distrust()), code counts as missing and no
 *   result as proved; one warning says so.
 *
 * All functions are thread-safe, and no callback runs under a mutex. A lookup does not wait for
 * another thread's write while that write waits for another process. After a fork the child's store
 * knows nothing and keeps nothing (SQLite connections do not survive a fork).
 *
 * `patience` (NULL: the longest) limits how long a call waits for locks and for other threads, and
 * how long its statements run; a cancel ends a wait within 0.1 s. Writes wait for another process 5
 * s at most. Lookups wait for a quarter of the patience, 5 s at most, and 0.1 s without one; for a
 * second after such a wait failed, lookups do not wait. For commits of this process, which a disk
 * may slow down, lookups wait as long as the patience allows. */
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

/* Opens `path` (NULL: GPUTUNE_DB, else gputune.db in the cache folder; ":memory:" keeps nothing),
 * and makes the file (mode 0600) where it is missing, with its folders (0700) if it is in the cache
 * folder; the folder of a file that was named must exist. Opens `system_path` read-only beneath it
 * (NULL or missing: none). Fails with ENOMEM only. `log` (may be NULL) is copied. gt_store_close()
 * releases *out.
 *
 * With `only_read` no file is made or written; only what a killed writer left
 * half done is undone. EDATABASE, with a message that names the file, when `path` is missing,
 * locked, or not gputune's. If `path` is NULL, the user's file may be missing. */
gputune_status gt_store_open(gt_store **out, const char *path, const char *system_path,
                             const gt_log *log, bool only_read);
/* Rows that a locked file lacks are lost, with a warning. In a forked child the memory leaks. */
void gt_store_close(gt_store *store);
/* Tells whether the file asked for is in use. EDATABASE, saying why: the last lookup got no answer
 * from it, or, with `writing`, new rows are kept in memory. ":memory:" always serves. */
gputune_status gt_store_check(gt_store *store, bool writing);
/* Returns true if rows are in memory only because the file was locked. */
bool gt_store_lags(gt_store *store);

/* The state of a database file, for commands that look for what is wrong with it. */
typedef struct gt_store_facts {
    char path[PATH_MAX];  /* "": there is no place for a database; ":memory:" keeps nothing */
    bool exists;          /* if false, only `unwritable` and `network` of the rest are set */
    char damage[256];     /* why it cannot be read, or what a check of the file found; or "" */
    char unwritable[256]; /* why the file cannot be written now; "": it can */
    int64_t bytes, schema, trials, winners;
    const char *distrust; /* what gt_distrust() says of the file; constant, or NULL */
    const char *network;  /* what gt_network_of() says of the file; constant, or NULL */
} gt_store_facts;

/* Looks at the database that gt_store_open() would use, and waits up to 2 s for its lock. Changes
 * nothing, but undoes a killed writer's half. ENOTFOUND: no place for one; ENOMEM. *out is always
 * set. */
gputune_status gt_store_inspect(gt_store_facts *out, const char *path);

/* ---- Keys ------------------------------------------------------------------------------------ */

enum { GT_ENVIRONMENT_MAX = 40 };

/* A problem to tune, and where: the key of a winner. Strings are the caller's; NULL counts as "",
 * except for the environment. */
typedef struct gt_scenario {
    const char *environment; /* gt_environment_join() */
    const char *kernel;
    const char *problem; /* the sizes as measured and shown, "n=67108864 T=half" */
    const char *bucket;  /* stands for the problem in the key (gt_problem_bucket), or NULL */
    const char *fixed;   /* const and type values, "T=half", which `nearest` keeps */
    gputune_objective objective; /* never DEFAULT */
    gputune_cache cache;
    const char *alignment;         /* "16", or "16 x=4" */
    const char *inputs;            /* "seed=1", or "live:TAG" */
    gt_hash identity;              /* gt_template.identity */
    double work_bytes, work_flops; /* of one launch of the default, for records; not in the key */
    bool unreferenced; /* there is no reference() and no check(), so that the default's results are
                          taken as right; not part of the key */
} gt_scenario;

/* The hash of the scenario, which is its key in its environment. */
gt_hash gt_scenario_hash(const gt_scenario *scenario);
/* The scenario and the GPU of a result: what is stored of them, and what records show. A struct
 * that was read owns its texts. Byte counts that need 64 bits are doubles. */
typedef struct gt_site {
    gt_scenario scenario;
    const char *gpu;  /* the GPU's name; NULL: what is stored of the GPU stays */
    const char *uuid; /* of the GPU whose clock rates these are; NULL after a look-up */
    const char *host; /* what gt_environment_join() joined into the environment, or NULL */
    const char *arch, *origin, *mig_profile;
    int sm_count, bus_width_bits, memory_clock_khz, sm_clock_khz;
    int driver_version, nvrtc_version; /* by which the GPU's facts were stored last */
    double l2_bytes, memory_bytes;
    double copy_bytes_per_s; /* of a stream copy, reads plus writes; 0: the stored rate stays */
    gt_hash hash;            /* gt_scenario_hash(); */
    const char *sizes;       /* and the run-time sizes: set by look-ups */
} gt_site;

/* The site of a scenario on a device, at which it points; `host` may be NULL. */
gt_site gt_site_of(const gt_scenario *scenario, const gt_device *device, const char *host);
/* Sets the members of *record that show the site, which keeps owning the texts. */
void gt_site_show(gputune_record *record, const gt_site *site);
/* Writes the key of an environment: `environment` (gt_device.environment), joined with the host's
 * processor `more` for objectives that depend on it (NULL or "": none). Returns out. */
const char *gt_environment_join(char out[GT_ENVIRONMENT_MAX], const char *environment,
                                const char *more);

/* ---- Compiled code --------------------------------------------------------------------------- */

void gt_code_free(gt_code *code);
/* Finds the code compiled earlier from this source, by the newest NVRTC: a copy, guarded by a
 * checksum over all columns. ENOTFOUND, without a message. gt_code_free() releases *out. */
gputune_status gt_store_find_cubin(gt_code *out, gt_store *store, gt_hash source, const char *arch,
                                   bool ptx, const gt_patience *patience);
/* Stores compiled sources, in one transaction. */
gputune_status gt_store_put_cubins(gt_store *store, const gt_code *codes, size_t count,
                                   const gt_patience *patience);

/* ---- Trials ---------------------------------------------------------------------------------- */

/* "ok", "eliminated", "wrong", "crashed", "hung", "compile", "launch", "slow", "unproved", ... */
const char *gt_trial_status_name(gt_trial_status status);
/* Returns true if the trial's results were compared, and are right. */
bool gt_trial_is_right(gt_trial_status status);

typedef GT_ARRAY(gt_trial) gt_trial_list;

/* All known trials of a scenario, failed ones too, in no particular order. A failed trial is left
 * out when it was tried with another driver than `driver_version` (0: any), since the configuration
 * may work now; one that does not compile stays. Without trials the list is empty.
 * gt_trial_list_free() releases *out; the strings live as long as the list. */
gputune_status gt_store_trials(gt_trial_list *out, gt_store *store, const gt_scenario *scenario,
                               int driver_version, const gt_patience *patience);
void gt_trial_list_free(gt_trial_list *list);
/* Removes one trial; the last one takes its place. */
void gt_trial_list_drop(gt_trial_list *list, size_t index);
/* Sets the members of *record that show the trial. The trial keeps owning the strings. */
void gt_trial_show(gputune_record *record, const gt_trial *trial);
/* The texts to which gt_launch_show() makes a record point. */
typedef struct gt_shapes {
    char grids[GT_SHAPES_TEXT], blocks[GT_SHAPES_TEXT];
} gt_shapes;
/* Sets the grids and blocks of *record. They are in *texts, which must outlive the record. */
void gt_launch_show(gputune_record *record, gt_shapes *texts, const gt_launch *launch);
/* A trial of the same kernel at another size, objective, const or type value, or GPU. */
typedef struct gt_related_trial {
    char *config;
    double time_ns;    /* nanoseconds, or the value that its objective minimises */
    double compile_ns; /* 0: not known */
    uint32_t group;    /* only times of the same group may be compared; 0 is the nearest group */
} gt_related_trial;

typedef GT_ARRAY(gt_related_trial) gt_related_list;

enum {
    GT_RELATED_MAX = 1000,   /* trials in all */
    GT_RELATED_OF_ONE = 250, /* trials of one scenario on one GPU, by chance; */
    GT_RELATED_FASTEST = 64  /* beside them its winners, and its fastest */
};

/* Finds right, measured trials of the same kernel (name and identity), except those of `scenario`
 * here, ordered by group and time. Nearer groups come first: by GPU, const and type values,
 * gt_sizes_distance(), objective. From a scenario with very many trials it takes those that won,
 * the fastest, and a random choice. A real `device` gets no modelled times. The list may be empty.
 * gt_related_list_free() releases *out. */
gputune_status gt_store_related_trials(gt_related_list *out, gt_store *store,
                                       const gt_device *device, const gt_scenario *scenario,
                                       const gt_patience *patience);
void gt_related_list_free(gt_related_list *list);
/* Adds trials, or replaces those of the same hash, in one transaction. */
gputune_status gt_store_put_trials(gt_store *store, const gt_scenario *scenario,
                                   const gt_trial *trials, size_t count,
                                   const gt_patience *patience);

/* ---- Winners --------------------------------------------------------------------------------- */

void gt_winner_free(gt_winner *winner);

typedef GT_ARRAY(gt_winner) gt_winner_list;

/* Finds all winners of the scenario in all layers: those of upper layers first, within a layer
 * final ones first, then the newest. A lower layer's winner is left out where an upper layer's
 * winner of the same space answers for it. All winners of the system's database count as final, and
 * so do winners of upper layers that are as fast. A winner counts only while its trial is right and
 * has the same configuration. Without winners the list is empty. EBUSY, without a message, when the
 * file could not be read in time and no other layer has a winner. gt_winner_list_free() releases
 * *out. */
gputune_status gt_store_winners(gt_winner_list *out, gt_store *store, const gt_scenario *scenario,
                                const gt_patience *patience);
void gt_winner_list_free(gt_winner_list *list);
/* Finds the proved winner with the nearest sizes (gt_sizes_distance()) and otherwise the same key.
 * Equally near, one of the whole space precedes a final one, then the upper layer's, then the
 * newest. Winners of the `count` trials `other` are left out. ENOTFOUND, without a message. */
gputune_status gt_store_find_nearest(gt_winner *out, gt_store *store, const gt_scenario *scenario,
                                     const gt_hash *other, size_t count,
                                     const gt_patience *patience);

/* Sets the clock rates of *device to those stored last for its GPU and driver. ENOTFOUND: none. */
gputune_status gt_store_clock_rates(gt_device *device, gt_store *store);

/* Sets *out to what is stored of the GPU of these surroundings (gpu/surroundings.h): facts and
 * environment, for gt_device_restore() to check, as the file may be wrong. ENOTFOUND. */
gputune_status gt_store_find_gpu(gt_device *out, gt_store *store, gt_hash surroundings);
/* Remembers the environment of the GPU that a process gets in these surroundings, unless it is
 * known or nothing is stored for such a GPU. Writes a file that is there, does not make one, and
 * gives up if it stays locked for a moment: a later process will write it. */
void gt_store_remember_gpu(gt_store *store, gt_hash surroundings, const char *environment);

/* A tuning's result, which gt_store_put_winner() stores at once. */
typedef struct gt_outcome {
    const gt_site *site;
    const gt_trial *trials;
    size_t trial_count;
    const gt_winner *winner; /* or NULL; its trials are stored or among `trials`; with its codes */
    const gt_code *codes;    /* more code to store: the default's, or that of all variants */
    size_t code_count;
    const gt_code *passed; /* code that was stored in case the tuning is cut short; it is dropped
                              unless a winner uses it; the images are not read */
    size_t passed_count;
    bool force;          /* replaces even a stored winner that answers for this one */
    bool offered;        /* by others: what is stored of the GPU and of a trial stays */
    const char *created; /* when the result was measured, UTC, ISO 8601; NULL or "": now */
    double
        elapsed_s; /* since the tuning began: trials stored since then keep their date; 0: none */
} gt_outcome;

/* Stores the GPU's facts, scenario, trials, winner (may be NULL) and code in one transaction. The
 * winner is left out where a stored final winner of the same space answers for it
 * (gt_answers_for()), unless `force`; otherwise it replaces the stored winner of its space. */
gputune_status gt_store_put_winner(gt_store *store, const gt_outcome *outcome,
                                   const gt_patience *patience);

/* ---- Leases ---------------------------------------------------------------------------------- */

/* The right to tune one scenario. */
typedef struct gt_lease {
    gt_hash key, owner;
    bool held, in_memory;
    int64_t renewed_ns; /* on the clock of gt_now_ns() */
} gt_lease;

enum { GT_LEASE_SECONDS = 5 }; /* a holder renews its lease each second */

/* Waits until no process holds the lease, without taking it. EBUSY: a process still holds it at the
 * end of `patience`, which is not NULL; ECANCELED: the wait was canceled. */
gputune_status gt_store_lease_await(gt_store *store, const gt_scenario *scenario,
                                    const gt_patience *patience);
/* Waits for the lease as long as `patience` says (if the patience is over: tries once), and takes
 * it. The lease is free when its holder did not renew it for GT_LEASE_SECONDS, whatever became of
 * the holder: the calling thread must have seen this, in one wait or several. The lease of a
 * process on another machine is also free when the wall clock has passed its end. It is free at
 * once when its holder was a process of this machine that has ended. EBUSY names the holder's
 * process; ECANCELED: the wait was canceled. Where no file can be written, or the file stays locked
 * for a quarter of the patience (5 s at most), the lease holds among the threads of this process
 * only. Once it is held, look the winners up again: another process may have stored one. */
gputune_status gt_store_lease_acquire(gt_lease *out, gt_store *store, const gt_scenario *scenario,
                                      const gt_patience *patience);
/* Keeps the lease for another GT_LEASE_SECONDS. EBUSY if the lease was lost. OK also if the file
 * stayed locked; then the next renewal finds out. The call waits for the file for 0.1 s, or until
 * the lease ends once half of its time is over, but never longer than `patience`. */
gputune_status gt_store_lease_renew(gt_lease *lease, gt_store *store, const gt_patience *patience);
/* Gives the lease back. Does nothing if the lease is not held. */
void gt_store_lease_release(gt_lease *lease, gt_store *store, const gt_patience *patience);

/* ---- Records --------------------------------------------------------------------------------- */

/* Which stored results a caller asks for, by kernel, GPU and sizes. */
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
    bool all_trials;  /* else winners only */
    bool failures;    /* without all_trials: also trials that failed, but not those of a lower layer
                         where an upper layer has something of the scenario */
    bool one_version; /* of each kernel and environment only the version of its template that
                         counts: that of the template at hand if something is stored for it, else
                         the newest; else all versions */
    /* Sets *identity to that of the template at hand, if there is one for the kernel; else returns
     * false. NULL: no kernel has a template at hand. A record is outdated if its identity differs
     * from this one, or, without a template at hand, from the newest. */
    bool (*at_hand)(void *user, const char *kernel, gt_hash *identity);
    void *user; /* of at_hand */
} gt_records_filter;

/* Takes a record. If it returns non-zero, no further one is given, and the caller returns that. */
typedef int (*gt_record_fn)(void *user, const gputune_record *record);

/* Calls `each` in the order kernel, fixed values, sizes, objective, scenario, time (failures last);
 * if it returns non-zero, the function stops and returns that. Every member of the record is set. A
 * trial that won in several spaces comes once for each space. */
int gt_store_records(gt_store *store, const gt_records_filter *filter, gt_record_fn each,
                     void *user);
/* Finds the trials in the user's file that filter and *what select, and calls `each` as
 * gt_store_records() does. If `each` never stops, deletes them, with code that no other trial has,
 * and what was stored for them since. The trials of a scenario on one GPU stay or go together.
 * one_version and all_trials do not matter. With `most_bytes` the file shrinks if unused. EBUSY:
 * the file stays locked; EDATABASE: it cannot be written. */
int gt_store_forget(gt_store *store, const gt_records_filter *filter,
                    const gputune_forget_options *what, gt_record_fn each, void *user,
                    const gt_patience *patience);

/* Takes over the trials, winners and code of the files `paths` into the user's file, all or
 * nothing. The files are only read. EDATABASE, with the path, for a file that is missing, damaged,
 * locked, or that others may write; EBUSY and EDATABASE where the user's file cannot be written. */
gputune_status gt_store_merge(gputune_merged *merged, gt_store *store, const char *const *paths,
                              size_t count);

/* ---- Wisdom ---------------------------------------------------------------------------------- */

/* Winners as text for another database: what was measured, how, and, if asked for, the code. */

/* Appends the wanted winners of all layers to *out, once each, except wrong ones; *count: how many.
 * `whole`: with their code and the fastest other trials. */
gputune_status gt_store_export(gt_text *out, uint32_t *count, gt_store *store,
                               const gt_wanted *wanted, bool whole);

typedef struct gt_wisdom_import {
    bool trusted;       /* results of the same or an unknown driver are proved; code is taken */
    int driver_version; /* of the device at hand; 0: there is no device */
    bool keep;          /* in the user's database; else in this store's layer below the user's */
    uint32_t taken;     /* set: how many winners were taken over */
    uint32_t left_out;  /* set: how many entries were damaged, edited or of another format */
    const gt_log *log;  /* gets a warning about the first entry that is left out */
    const char *from;   /* what the warning calls the text: a path, or "the text" */
} gt_wisdom_import;

/* Takes over the winners of a text that gt_store_export() made. A stored winner stays if it answers
 * what the new one would. ERECORDED when the text is no wisdom, or of an unknown version. */
gputune_status gt_store_import(gt_wisdom_import *import, gt_store *store, const char *text,
                               const gt_patience *patience);
