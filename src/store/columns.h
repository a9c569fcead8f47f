/* The rows of trials, winners, rules and compiled code. For each kind of row there are a struct and
 * a list of its columns. The lists are used to generate SQL, to bind, read and free rows, and to
 * copy values to a gputune_record. To add a column, add a member to the struct, a line to the list,
 * and a column to the table. To show it to users, also add a member to gputune_record.
 *
 * A line consists of the kind of value, the name of the column, the member of the struct, and
 * SHOWN(member of gputune_record) or HIDDEN. */
#pragma once

#include "base/hash.h"
#include "base/launch.h"
#include "stats/paired.h"
#include "stats/summary.h"
#include "store/answer.h"

/* version of the tables in db/ and of the columns below */
enum { GT_SCHEMA_VERSION = 1 };

/* Compiled code. `source` is the hash of its source (gt_source.hash). */
typedef struct gt_code {
    gt_hash source;
    char arch[16];     /* "sm_90a" */
    bool ptx;          /* true for PTX, which the emulator runs; false for a cubin */
    int nvrtc_version; /* 13000 for 13.0 */
    gt_image image;
    gt_resources resources;
    double compile_ns;
} gt_code;

#define GT_CODE_COLUMNS(X)                                                                         \
    X(HASH, source, source, HIDDEN)                                                                \
    X(INPLACE, arch, arch, HIDDEN)                                                                 \
    X(BOOL, ptx, ptx, HIDDEN)                                                                      \
    X(INTEGER, nvrtc_version, nvrtc_version, HIDDEN)                                               \
    X(COUNT, registers, resources.registers, HIDDEN)                                               \
    X(COUNT, spill_bytes, resources.spill_bytes, HIDDEN)                                           \
    X(COUNT, static_shared_bytes, resources.static_shared_bytes, HIDDEN)                           \
    X(COUNT, local_bytes, resources.local_bytes, HIDDEN)                                           \
    X(REAL, compile_ns, compile_ns, HIDDEN)

typedef enum gt_trial_status {
    GT_TRIAL_OK,         /* correct, and in the race until its end */
    GT_TRIAL_ELIMINATED, /* correct, but eliminated from the race because it was slower */
    GT_TRIAL_WRONG,      /* wrong results */
    GT_TRIAL_CRASHED,
    GT_TRIAL_HUNG,
    GT_TRIAL_COMPILE,  /* does not compile */
    GT_TRIAL_LAUNCH,   /* refused by the driver */
    GT_TRIAL_SLOW,     /* not compiled before the call's time limit */
    GT_TRIAL_UNPROVED, /* so slow in its first launch that its results were not checked */
    GT_TRIAL_PROVED    /* verified, but not measured */
} gt_trial_status;

/* A configuration that was tried in a scenario. */
typedef struct gt_trial {
    gt_hash hash;       /* gt_trial_hash() */
    gt_hash source;     /* gt_source.hash, by which the code of the variant is found */
    const char *config; /* gt_config_text() */
    gt_trial_status status;
    const char *message; /* why the trial failed, was eliminated or is not proved; NULL means "" */
    bool is_default, noisy;
    gt_summary time; /* values in nanoseconds, or nanojoules if the objective is energy */
    uint32_t eliminated_round;
    gt_resources resources;
    uint32_t shared_bytes; /* dynamic shared memory */
    uint32_t vector_bytes; /* gt_vector_bytes() */
    double occupancy, max_error, compile_ns;
    int driver_version, nvrtc_version; /* versions of driver and NVRTC in the trial */
    double limit_ns;       /* time limit that a slow or hung variant exceeded; otherwise 0 */
    const char *proved_at; /* sizes and data of the proof (gt_request.proved_at); NULL means "" */
} gt_trial;

#define GT_TRIAL_COLUMNS(X)                                                                        \
    X(HASH, hash, hash, HIDDEN)                                                                    \
    X(HASH, source, source, HIDDEN)                                                                \
    X(TEXT, config, config, SHOWN(configuration))                                                  \
    X(STATUS, status, status, SHOWN(status))                                                       \
    X(TEXT, message, message, SHOWN(message))                                                      \
    X(BOOL, is_default, is_default, SHOWN(is_default))                                             \
    X(BOOL, noisy, noisy, SHOWN(noisy))                                                            \
    X(COUNT, samples, time.count, SHOWN(samples))                                                  \
    X(REAL, median, time.median, SHOWN(median_ns))                                                 \
    X(REAL, mean, time.mean, SHOWN(mean_ns))                                                       \
    X(REAL, stddev, time.stddev, SHOWN(stddev_ns))                                                 \
    X(REAL, low, time.low, SHOWN(low_ns))                                                          \
    X(REAL, high, time.high, SHOWN(high_ns))                                                       \
    X(REAL, min, time.min, SHOWN(min_ns))                                                          \
    X(COUNT, eliminated_round, eliminated_round, SHOWN(eliminated_round))                          \
    X(COUNT, registers, resources.registers, SHOWN(registers))                                     \
    X(COUNT, spill_bytes, resources.spill_bytes, SHOWN(spill_bytes))                               \
    X(COUNT, static_shared_bytes, resources.static_shared_bytes, HIDDEN)                           \
    X(COUNT, local_bytes, resources.local_bytes, SHOWN(local_bytes))                               \
    X(COUNT, vector_bytes, vector_bytes, SHOWN(vector_bytes))                                      \
    X(COUNT, shared_bytes, shared_bytes, SHOWN(shared_bytes))                                      \
    X(REAL, occupancy, occupancy, SHOWN(occupancy))                                                \
    X(REAL, max_error, max_error, SHOWN(max_error))                                                \
    X(REAL, compile_ns, compile_ns, SHOWN(compile_ns))                                             \
    X(INTEGER, driver_version, driver_version, SHOWN(driver_version))                              \
    X(INTEGER, nvrtc_version, nvrtc_version, SHOWN(nvrtc_version))                                 \
    X(REAL, limit_ns, limit_ns, HIDDEN)                                                            \
    X(TEXT, proved_at, proved_at, HIDDEN)

/* The result of tuning one space of a scenario. After a lookup, free it with gt_winner_free(). */
typedef struct gt_winner {
    gt_terms terms;
    char *only; /* restriction of the space, such as "UNROLL=1,2,4 VEC=1"; "" if none */
    char *config, *default_config;
    char *problem; /* sizes of its measurement; requests of other sizes may use the winner */
    gt_hash trial, default_trial; /* gt_trial.hash */
    gt_code code;          /* code of `config`; has no image if the code is missing or damaged */
    gt_code fallback;      /* code of fallback_config; if source is 0, `code` is used */
    char *fallback_config; /* configuration for unaligned buffers; NULL: same as `config` */
    double median_ns, default_ns; /* medians of winner and default, set by lookups; 0: unknown */
    gt_verdict verdict;
    bool modelled;
    char *stop_reason;
    int nvrtc_version;         /* NVRTC version with which the code was compiled */
    uint32_t variants, failed; /* number of variants that were tried, and of those that failed */
    double tuning_s;
    char created[24]; /* UTC in ISO 8601, set when the winner is stored */
    char *proved_at;  /* gt_trial.proved_at of the trial, set by lookups */
} gt_winner;

#define GT_WINNER_COLUMNS(X)                                                                       \
    X(HASH, space, terms.space, HIDDEN)                                                            \
    X(COUNT, variant_limit, terms.limit, HIDDEN)                                                   \
    X(INTEGER, effort, terms.effort, HIDDEN)                                                       \
    X(INTEGER, driver_version, terms.driver_version, HIDDEN)                                       \
    X(BOOL, final, terms.final, HIDDEN)                                                            \
    X(BOOL, complete, terms.complete, HIDDEN)                                                      \
    X(BOOL, proved, terms.proved, HIDDEN)                                                          \
    X(HASH, trial, trial, HIDDEN)                                                                  \
    X(HASH, default_trial, default_trial, HIDDEN)                                                  \
    X(TEXT, config, config, HIDDEN)                                                                \
    X(TEXT, default_config, default_config, SHOWN(default_configuration))                          \
    X(OPTIONAL, fallback_config, fallback_config, HIDDEN)                                          \
    X(TEXT, only_text, only, SHOWN(only))                                                          \
    X(TEXT, problem, problem, HIDDEN)                                                              \
    X(HASH, code_source, code.source, HIDDEN)                                                      \
    X(INPLACE, code_arch, code.arch, HIDDEN)                                                       \
    X(BOOL, code_ptx, code.ptx, HIDDEN)                                                            \
    X(INTEGER, code_nvrtc, code.nvrtc_version, HIDDEN)                                             \
    X(HASH, fallback_source, fallback.source, HIDDEN)                                              \
    X(INPLACE, fallback_arch, fallback.arch, HIDDEN)                                               \
    X(BOOL, fallback_ptx, fallback.ptx, HIDDEN)                                                    \
    X(INTEGER, fallback_nvrtc, fallback.nvrtc_version, HIDDEN)                                     \
    X(REAL, speedup, verdict.speedup, SHOWN(speedup))                                              \
    X(REAL, speedup_low, verdict.speedup_low, SHOWN(speedup_low))                                  \
    X(REAL, speedup_high, verdict.speedup_high, SHOWN(speedup_high))                               \
    X(BOOL, tie, verdict.tie, SHOWN(tie))                                                          \
    X(BOOL, noisy, verdict.noisy, HIDDEN)                                                          \
    X(BOOL, modelled, modelled, HIDDEN)                                                            \
    X(TEXT, stop_reason, stop_reason, SHOWN(stop_reason))                                          \
    X(INTEGER, nvrtc_version, nvrtc_version, HIDDEN)                                               \
    X(COUNT, variants, variants, SHOWN(variants))                                                  \
    X(COUNT, failed, failed, SHOWN(failed))                                                        \
    X(REAL, tuning_s, tuning_s, SHOWN(tuning_s))                                                   \
    X(INPLACE, created, created, HIDDEN)

/* A rule for all sizes of a region. After a lookup, free it with gt_stored_rule_free(). */
typedef struct gt_stored_rule {
    char *text;         /* gt_rule_text() */
    char *sources;      /* gt_source.hash of each variant in hexadecimal */
    int driver_version; /* driver with which the rule was made */
    int nvrtc_version;
    bool proved;      /* true if workers have verified the variants on this kind of GPU */
    char created[24]; /* UTC in ISO 8601; set when the rule is stored, if it is "" */
} gt_stored_rule;

#define GT_RULE_COLUMNS(X)                                                                         \
    X(TEXT, text, text, HIDDEN)                                                                    \
    X(TEXT, sources, sources, HIDDEN)                                                              \
    X(INTEGER, driver_version, driver_version, HIDDEN)                                             \
    X(INTEGER, nvrtc_version, nvrtc_version, HIDDEN)                                               \
    X(BOOL, proved, proved, HIDDEN)                                                                \
    X(INPLACE, created, created, HIDDEN)

/* The columns of a gt_site (store.h): first those of the GPU, then two of the kernel, then those of
 * the scenario. In this list and in GT_RECORD_COLUMNS, a column's name may be an SQL expression. */
enum { GT_GPU_COLUMNS = 15, GT_FIRST_SCENARIO_COLUMN = GT_GPU_COLUMNS + 2 };
#define GT_SITE_COLUMNS(X)                                                                         \
    X(TEXT, g.environment, scenario.environment, SHOWN(environment))                               \
    X(TEXT, g.name, gpu, SHOWN(gpu))                                                               \
    X(TEXT, g.arch, arch, SHOWN(arch))                                                             \
    X(TEXT, g.origin, origin, SHOWN(origin))                                                       \
    X(TEXT, g.mig_profile, mig_profile, HIDDEN)                                                    \
    X(TEXT, g.host, host, HIDDEN)                                                                  \
    X(INTEGER, g.sm_count, sm_count, SHOWN(sm_count))                                              \
    X(REAL, g.l2_bytes, l2_bytes, HIDDEN)                                                          \
    X(REAL, g.memory_bytes, memory_bytes, HIDDEN)                                                  \
    X(INTEGER, g.bus_width_bits, bus_width_bits, HIDDEN)                                           \
    X(INTEGER, g.memory_clock_khz, memory_clock_khz, SHOWN(memory_clock_khz))                      \
    X(INTEGER, g.sm_clock_khz, sm_clock_khz, SHOWN(sm_clock_khz))                                  \
    X(INTEGER, g.driver_version, driver_version, HIDDEN)                                           \
    X(INTEGER, g.nvrtc_version, nvrtc_version, HIDDEN)                                             \
    X(REAL, g.copy_bytes_per_s, copy_bytes_per_s, SHOWN(copy_bytes_per_s))                         \
    X(TEXT, k.name, scenario.kernel, SHOWN(kernel))                                                \
    X(HASH, k.identity, scenario.identity, HIDDEN)                                                 \
    X(HASH, s.hash, hash, HIDDEN)                                                                  \
    X(TEXT, s.problem, scenario.problem, SHOWN(sizes))                                             \
    X(TEXT, s.bucket, scenario.bucket, HIDDEN)                                                     \
    X(TEXT, s.fixed, scenario.fixed, HIDDEN)                                                       \
    X(TEXT, s.sizes, sizes, HIDDEN)                                                                \
    X(INTEGER, s.objective, scenario.objective, SHOWN(objective))                                  \
    X(INTEGER, s.cache, scenario.cache, SHOWN(cache))                                              \
    X(TEXT, s.alignment, scenario.alignment, SHOWN(alignment))                                     \
    X(TEXT, s.inputs, scenario.inputs, SHOWN(inputs))                                              \
    X(REAL, s.work_bytes, scenario.work_bytes, SHOWN(bytes))                                       \
    X(REAL, s.work_flops, scenario.work_flops, SHOWN(flops))                                       \
    X(BOOL, s.unreferenced, scenario.unreferenced, SHOWN(unreferenced))

/* The columns of a record that do not belong to its site, its trial or its winner. */
#define GT_RECORD_COLUMNS(X)                                                                       \
    X(TEXT, t.created, record.created, HIDDEN)                                                     \
    X(INTEGER, t.id, record.order, HIDDEN)                                                         \
    X(BOOL, w.id IS NOT NULL, record.is_winner, HIDDEN)                                            \
    X(INTEGER, coalesce(w.id, 0), winner_order, HIDDEN)                                            \
    X(REAL, d.median, record.default_ns, HIDDEN)                                                   \
    X(STATUS, coalesce(d.status, -1), default_status, HIDDEN)                                      \
    X(REAL, s.volume, volume, HIDDEN)
