/* gputune for operators and tools: devices, diagnosis, kernels and their spaces, results, code. The
 * command line uses only this header and gputune.h, whose conventions apply.
 *
 * Databases. Keep the database in a folder that only its user may write. If others may write there,
 * as in /tmp, results are verified again before use, and stored code is not launched. To share
 * results, let one user write the database and let the others import it (section Wisdom). Results
 * installed with gputune are searched after the user's database.
 *
 * Environment variables are read when a tuner is opened. Set-uid and set-gid programs ignore them,
 * and also HOME, XDG_CACHE_HOME, CUDA_HOME and PATH: their results are kept in memory, unless the
 * options name a database. A variable is ignored if the corresponding member of
 * gputune_open_options is set:
 *
 *   GPUTUNE_DB         the database; default: gputune/gputune.db in XDG_CACHE_HOME or ~/.cache
 *   GPUTUNE_DRIVER     "cuda", "emu", "emu:PROFILE" or the path of a library
 *   GPUTUNE_TEMPLATES  the folder of kernels by name
 *   GPUTUNE_INCLUDE    more folders of headers, after include_paths, separated by colons
 *   GPUTUNE_WORKER     the worker program
 *   GPUTUNE_NVRTC      the NVRTC library, or its folder
 *   GPUTUNE_LIBCLANG   the libclang library, for drafts of templates
 *   GPUTUNE_EMULATOR   the emulator's library, or its folder
 *   GPUTUNE_COMPILE_MEMORY  the memory of a compile worker, in megabytes
 *
 * These variables override what the application requests:
 *
 * - GPUTUNE_DISABLE: if not 0, results are neither looked up nor measured, and every plan is the
 *   template's default
 * - GPUTUNE_FORCE: "axpy:VEC=4 BLOCK=256; gemm:TILE=64": the configuration to use for all plans of
 *   a kernel. Axes that are not listed have their default. A worker verifies the configuration
 *   first; if it fails, a warning is logged and it is not used
 * - GPUTUNE_EFFORT: "cached", "estimate", "measure" or "exhaustive": the effort of every call
 * - GPUTUNE_DEBUG: if not 0, gputune_launch() checks the current context and each buffer with the
 *   driver, and returns EINVAL if a buffer was freed, is host memory, is too short or belongs to
 *   another context. This takes some microseconds per launch
 * - GPUTUNE_PINNED: a wisdom file to use as the only source of results; see gputune_open_options
 * - GPUTUNE_RECORD: a file with counts of requests without a stored result; see gputune_misses()
 * - GPUTUNE_LOG: "LEVEL" or "LEVEL:FILE", where LEVEL is error, warning, info or debug: log lines
 *   are written to standard error, or appended to the file */
#ifndef GPUTUNE_TOOLS_H
#define GPUTUNE_TOOLS_H

#include "gputune.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices --------------------------------------------------------------------------------- */

/* Devices are numbered as in CUDA, after CUDA_VISIBLE_DEVICES has been applied. A MIG instance is a
 * separate device; its results are used only on instances of the same profile. */

typedef struct gputune_device {
    uint32_t size;
    char name[128], uuid[48], arch[16]; /* arch: "sm_90a" */
    char environment[64];               /* the key under which the device's results are stored */
    int ordinal, compute_capability, sm_count; /* 90 for 9.0 */
    int64_t memory_bytes, l2_bytes;
    int64_t shared_per_sm_bytes, shared_optin_bytes; /* shared_optin_bytes: maximum per block */
    int memory_clock_khz, sm_clock_khz, bus_width_bits;
    int max_cluster, max_parameter_bytes; /* max_cluster: maximum number of blocks per cluster */
    int driver_version, nvrtc_version;    /* 13000 for 13.0; 0: unknown */
    double peak_bytes_per_s;              /* memory bandwidth, from clock and bus width */
    bool emulated;
} gputune_device;
#define GPUTUNE_DEVICE_INIT GPUTUNE_INIT(gputune_device)
/* Calls `each` for every GPU of `driver` (as in gputune_open_options). ENODRIVER if there is no
 * driver or GPU. */
GPUTUNE_API int gputune_devices(const char *driver,
                                int (*each)(void *user, const gputune_device *device), void *user);
/* Counts the GPUs of a driver. If CUDA_VISIBLE_DEVICES is not set and NVML is available, NVML
 * counts them. This takes only 0.01 s, but GPUs that do not work are counted too. */
GPUTUNE_API int gputune_device_count(int *out, const char *driver);
/* Describes the tuner's device in *out. EUNSUPPORTED if the tuner was opened without a device. */
GPUTUNE_API int gputune_tuner_device(gputune_device *out, gputune *tuner);

/* ---- Diagnosis ------------------------------------------------------------------------------- */

typedef enum gputune_verdict {
    GPUTUNE_VERDICT_OK,
    GPUTUNE_VERDICT_WARNING, /* tuning works, but may take longer or find slower variants */
    GPUTUNE_VERDICT_FAILURE  /* the checked part of the installation does not work */
} gputune_verdict;
typedef struct gputune_diagnosis {
    uint32_t size;
    const char *subject; /* "driver", "clocks", "database", ... */
    gputune_verdict verdict;
    const char *found;  /* one line */
    const char *remedy; /* what to do; "" if there is nothing to do */
} gputune_diagnosis;
/* Checks everything that a tuner opened with these options would depend on: driver, GPU, compiler,
 * headers, workers, templates, database and environment variables. Calls `each` for each subject. A
 * problem does not fail the call. The database is not changed. To check the GPU, the call measures
 * the speed of a copy in its memory. */
GPUTUNE_API int gputune_diagnose(const gputune_open_options *options,
                                 int (*each)(void *user, const gputune_diagnosis *diagnosis),
                                 void *user);

/* Returns 0 if results are kept in the requested database. Returns EDATABASE if results are kept in
 * memory because the database cannot be read or written, is damaged, or belongs to another program
 * or release. */
GPUTUNE_API int gputune_check_database(gputune *tuner);

/* ---- Kernels --------------------------------------------------------------------------------- */

typedef struct gputune_kernel {
    uint32_t size;
    const char *name, *path;
    const char *summary;         /* the template's first comment line */
    const char *sizes;           /* problem values with their defaults: "n=67108864" */
    const char *axes;            /* "VEC=1,2,4,8 BLOCK=64,128" */
    gputune_objective objective; /* its default */
    bool self_reference; /* true for reference(self): the default's results are the reference */
    bool unreferenced;   /* true if the template has neither reference() nor check() nor expect() */
} gputune_kernel;
/* Calls `each` for the kernels that `kernel` selects, ordered by name. `kernel` is a name or path
 * as in tune_kernel(), or NULL for all kernels in the template folder and all added kernels.
 * ENOTFOUND for an unknown name, EINVAL if two files in the folder have that name. Other functions
 * need the name of one kernel; for a file with several kernels they return EINVAL. */
GPUTUNE_API int gputune_kernels(gputune *tuner, const char *kernel,
                                int (*each)(void *user, const gputune_kernel *kernel), void *user);

/* A value of an axis. */
typedef struct gputune_axis_value {
    const char *axis, *kind; /* kind: the word that declares the axis, such as "tune" */
    const char *value;
    const char *excluded; /* why the value cannot be used on this GPU; "" if it can */
    bool is_default;
} gputune_axis_value;
typedef enum gputune_certainty {
    GPUTUNE_EXACT,
    GPUTUNE_ABOUT,  /* an estimate */
    GPUTUNE_AT_MOST /* a bound */
} gputune_certainty;
typedef struct gputune_exclusion {
    const char *reason; /* the text of a require(), or the name of a device limit */
    uint64_t count;     /* number of configurations that the reason excludes */
    gputune_certainty certainty;
} gputune_exclusion;
typedef struct gputune_space {
    uint32_t size;
    uint64_t combinations, valid, sources; /* sources: number of distinct sources */
    gputune_certainty valid_certainty, sources_certainty;
    const gputune_axis_value *values;
    size_t value_count;
    const gputune_exclusion *exclusions;
    size_t exclusion_count;
} gputune_space;
/* Describes a kernel's space for `arch` ("sm_90"; NULL: the tuner's GPU). The caller frees *out
 * with gputune_space_free(). */
GPUTUNE_API int gputune_describe_space(gputune_space **out, gputune *tuner, const char *kernel,
                                       GPUTUNE_SIZES_IN sizes, const char *arch,
                                       const gputune_options *options);
GPUTUNE_API void gputune_space_free(gputune_space *space);

/* Writes a first template for a CUDA program to *out, which the caller frees with gputune_free().
 * The template has pragmas that describe how the program launches its kernels, and the code that
 * the kernels need. `text` is the contents of the file `path`. A comment "guess:" marks each value
 * that was guessed, and a comment "?" asks for information that the program does not contain. A
 * NULL kernel means every kernel that the file launches, or every kernel if it launches none.
 * `arguments` may contain the compiler options -IFOLDER and -DNAME[=VALUE], and --host=FILE to name
 * another file that launches the kernels. NULL ends the list, which may be NULL. A separate process
 * reads the program with libclang. Returns ENOTFOUND for an unknown kernel, EINVAL if the
 * file is a template of the kernel already, EUNSUPPORTED for unsupported features such as surfaces,
 * and ENOCOMPILER if libclang 17 or newer is not found. */
GPUTUNE_API int gputune_draft_template(char **out, const char *path, const char *text,
                                       const char *kernel, const char *const *arguments);

/* ---- Results --------------------------------------------------------------------------------- */

/*     gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
 *     filter.kernel = "axpy";
 *     gputune_records(tuner, &filter, print_record, NULL);
 */

/* A configuration with its times, or with the reason why it failed. It was measured by this call,
 * or stored earlier. */
typedef struct gputune_record {
    uint32_t size;
    const char *kernel, *sizes, *configuration;
    gputune_objective objective;
    gputune_cache cache;
    const char *gpu, *environment, *arch; /* gpu: its name; environment: its key; arch: "sm_90a" */
    const char *origin;                   /* "cuda", or the emulator's profile and model */
    /* "ok", "wrong", "crashed", "hung", "compile", "launch", "eliminated"; "slow" (not compiled
     * within a call's limit), "unproved" (not verified, because its first launch was clearly
     * slower), or "proved" (verified at these sizes, but not measured). */
    const char *status;
    const char *message; /* why the variant failed, was eliminated or was not verified; for a
                            winner: which scalars were verified with only one value */
    bool is_default, is_winner;
    bool tie, noisy, modelled; /* as in gputune_info */
    /* Times; for ENERGY, nanojoules. low_ns and high_ns are the 95% confidence interval of the
     * median, or the smallest and largest sample if there are fewer than 6. */
    double median_ns, mean_ns, stddev_ns, low_ns, high_ns, min_ns;
    uint32_t samples, eliminated_round; /* eliminated_round: counted from 1; 0: not eliminated */
    double default_ns, speedup, speedup_low, speedup_high; /* set only for a winner */
    /* Bytes and operations of a launch, as declared by work(); 0: not declared. If work() uses
     * axes, only the quantity whose rate is maximised is set, to its value for the default. */
    double bytes, flops;
    double copy_bytes_per_s; /* bandwidth of a copy on that GPU (reads plus writes); 0: unknown */
    double compile_ns;
    double max_error; /* the largest difference from the reference, divided by the tolerance */
    double occupancy; /* resident warps divided by the SM's maximum; 0: unknown */
    uint32_t registers, spill_bytes, local_bytes; /* per thread */
    uint32_t shared_bytes;                        /* per block */
    uint32_t grid[3], block[3];                   /* x, y, z for the first kernel; 0: unknown */
    const char *grids, *blocks; /* grids and blocks of all kernels: "64 (3 times)"; "": unknown */
    uint32_t vector_bytes;      /* bytes of the widest access of a vector axis; 0: no such axis */
    const char *created;        /* UTC, ISO 8601 */
    int order;                  /* order of storing: larger for later trials; 0: not stored */
    int driver_version, nvrtc_version;            /* 13000 for 13.0 */
    int sm_count, sm_clock_khz, memory_clock_khz; /* the GPU's SM count and clocks; 0: unknown */
    /* Hashes in hexadecimal, or "". `scenario`: hash of everything that the trials of a scenario
     * have in common, except the GPU. `identity`: hash of this version of the template. */
    const char *scenario, *identity;
    const char *alignment, *inputs; /* alignment: "16"; inputs: "seed=1"; or "" */
    /* true if nothing verified the default, which is then assumed to be correct */
    bool unreferenced;
    bool outdated; /* true if the template was edited after the result was measured */
    /* The following members are set only for a winner. */
    const char *only;        /* restrictions of the space: "UNROLL=1,2,4 VEC=1"; "": none */
    const char *stop_reason; /* why the tuning ended */
    bool unfinished;         /* true if the tuning ended before the race was decided */
    /* true if the winner was imported or never verified, so the next request verifies it */
    bool unproved;
    uint32_t variants, failed;  /* variants that were tried; how many of them failed */
    double tuning_s;            /* 0: unknown */
    const char *default_status; /* status of the default, or "" */
    /* The default that the winner was compared with. If the template has another default now,
     * default_ns and the speed-ups are 0. */
    const char *default_configuration;
    bool is_start; /* true if a start() clause of the template has this configuration */
} gputune_record;

/* Selects stored results. If no member is set, selects the winners for the tuner's kind of GPU. */
typedef struct gputune_record_filter {
    uint32_t size;
    const char *kernel; /* a kernel as in tune_kernel(); NULL: all */
    const char *sizes;  /* "n=1M,16M T=half" selects n=1M and n=16M; NULL: all sizes */
    const char *gpu;    /* part of a GPU's name, or an environment; NULL: the tuner's kind of GPU */
    bool any_gpu;       /* select all GPUs if `gpu` is NULL; needed if the tuner has no device */
    bool all_trials;    /* gputune_records() returns all trials, not only winners */
    bool failures;      /* gputune_records() returns failed trials too */
    bool history;       /* gputune_records() returns results of all template versions */
    bool rules;         /* only rules are exported to wisdom, no winners */
} gputune_record_filter;
#define GPUTUNE_RECORD_FILTER_INIT GPUTUNE_INIT(gputune_record_filter)

/* Calls `each` for the stored results that `filter` selects (NULL: winners for the tuner's kind of
 * GPU), ordered by kernel, sizes, scenario and time. EDATABASE if the database cannot be read.
 * ENOTFOUND if the filter's kernel has neither a template nor a result. */
GPUTUNE_API int gputune_records(gputune *tuner, const gputune_record_filter *filter,
                                int (*each)(void *user, const gputune_record *record), void *user);

/* Options of gputune_forget(). */
typedef struct gputune_forget_options {
    uint32_t size;
    bool dry_run;    /* delete nothing */
    bool outdated;   /* delete only results of outdated versions of the template */
    bool everything; /* allow deleting all results if neither filter nor options restrict them */
} gputune_forget_options;
#define GPUTUNE_FORGET_OPTIONS_INIT GPUTUNE_INIT(gputune_forget_options)
/* Deletes the trials, winners and rules of the user's database that filter and options select, and
 * the code that no other result uses. First calls `each` for every result to delete; a rule has the
 * status "rule" and the region as its sizes. If `each` stops, nothing is deleted. The filter's
 * all_trials and history have no effect. EINVAL if neither filter nor options restrict the results
 * and `everything` is not set. The file does not shrink; later results reuse the space. EBUSY if
 * another process has locked the database, EDATABASE if it cannot be written. */
GPUTUNE_API int gputune_forget(gputune *tuner, const gputune_record_filter *filter,
                               const gputune_forget_options *options,
                               int (*each)(void *user, const gputune_record *record), void *user);

/* ---- Rules for all sizes of a region --------------------------------------------------------- */

/* A range of a problem size, including both ends. For a const value, `least` and `most` are equal.
 * A type has no range; its value is part of the name: {"T=half"}. */
typedef struct gputune_range {
    const char *name;
    int64_t least, most;
} gputune_range;

/* A stored rule, which chooses the variant to use at each size of a region. The texts are valid
 * until the callback returns. */
typedef struct gputune_rule {
    uint32_t size;
    const char *kernel, *gpu, *environment; /* as in gputune_record */
    gputune_objective objective;            /* the rule is for requests with this objective */
    gputune_cache cache;                    /* and this cache */
    const char *alignment, *inputs; /* alignment and inputs of the requests, as in gputune_record */
    const char *text; /* lines of text: region, expected loss, variants, and how the rule chooses */
    const char *created; /* UTC, ISO 8601 */
    int driver_version;
    bool unproved; /* true if the rule was imported without trust (gputune verifies it at each
                      size), or if others may write the database (gputune ignores the rule) */
    bool outdated; /* true if the template was edited after the rule was made */
} gputune_rule;
#define GPUTUNE_RULE_INIT GPUTUNE_INIT(gputune_rule)

/* Makes and stores a rule for the sizes of a region. Tunes some sizes, measures their winners side
 * by side at many sizes, chooses variants with at most `most_codes` (0: 16) different codes, and
 * learns at which sizes to use each variant. Replaces the kernel's earlier rule, even one of a
 * larger region. Every variant is verified at the corners of the region and at 64 sizes, or, with a
 * warning, at as many as the time allows. `options` are those of tune_kernel(); the time limit (0:
 * two minutes), the cancel flag and progress apply to the whole call. Sets *out (may be NULL) to
 * the rule's text, which the caller frees with gputune_free(). Returns EINVAL, with the reason, if
 * no rule is possible for the region, or if the options have `only` or inputs; ENOVARIANT or
 * EDEVMEM, with the corner, if no configuration can run at a corner; ETIMEOUT if the time was too
 * short, for example to compare the default with any other variant; ETEMPLATE if the template was
 * edited during the call; EDATABASE for a tuner with `read_only`; ECANCELED after a cancel.
 * Finished tunings are then kept, and another call continues from there. */
GPUTUNE_API int gputune_make_rule(char **out, gputune *tuner, const char *kernel,
                                  const gputune_range *ranges, size_t count, uint32_t most_codes,
                                  const gputune_options *options);
/* Calls `each` for the stored rules that match the filter's kernel and GPU, and whose region
 * contains the filter's sizes. A NULL filter selects all rules for the tuner's kind of GPU. If
 * `each` returns non-zero, stops and returns that value. EDATABASE if the database cannot be
 * read. */
GPUTUNE_API int gputune_rules(gputune *tuner, const gputune_record_filter *filter,
                              int (*each)(void *user, const gputune_rule *rule), void *user);

typedef struct gputune_merged {
    uint32_t size;
    /* Numbers of items in all files. A code is a compiled source. */
    uint64_t trials, winners, codes;
    /* Numbers of items that were copied because the user's database lacked them or had worse ones.
     */
    uint64_t taken_trials, taken_winners, taken_codes;
    uint64_t rules, taken_rules;
} gputune_merged;
#define GPUTUNE_MERGED_INIT GPUTUNE_INIT(gputune_merged)
/* Copies trials, winners, rules and code from database files into the user's database. Either
 * everything is copied or nothing. If two trials have the same configuration, keeps the finished
 * one, then the later. If two winners cover the same space, keeps the final one; then the verified
 * one; then the one from the newer driver; then more effort; then the later. If a kernel has two
 * rules, keeps the verified one, then the later. EDATABASE for a file that cannot be read or that
 * other users may write, or if the database cannot be written; EBUSY if another process has locked
 * it. */
GPUTUNE_API int gputune_merge(gputune_merged *out, gputune *tuner, const char *const *paths,
                              size_t count);

/* Exports the winners and rules that `filter` selects (NULL: those of the tuner's kind of GPU).
 * Sets *out to their text, which the caller frees with gputune_free(), and *count (may be NULL) to
 * their number. If `whole` is set, the text also has their code, so an import with TRUST_BOUND
 * needs no compiler, and the next-fastest trials, from which searches at other sizes begin.
 * ENOTFOUND if the filter's kernel has neither a template nor a result. */
GPUTUNE_API int gputune_wisdom_export(char **out, uint32_t *count, gputune *tuner,
                                      const gputune_record_filter *filter, bool whole);
/* Like gputune_wisdom_export(), but writes the text to a file. EIO if it cannot be written; an
 * older file then stays as it was. */
GPUTUNE_API int gputune_wisdom_save(uint32_t *count, gputune *tuner, const char *path,
                                    const gputune_record_filter *filter, bool whole);

/* A scenario that programs requested although no result was stored for it, as counted by
 * GPUTUNE_RECORD. */
typedef struct gputune_miss {
    uint32_t size;
    uint64_t count;             /* number of requests */
    const char *kernel, *sizes; /* kernel: a name, or PATH:KERNEL; sizes: "n=1048576 T=half" */
    gputune_objective objective;
    gputune_cache cache;
    const char *alignment, *inputs; /* "16 x=4"; "seed=1", or "live:TAG" for the caller's data */
    const char *only;               /* restrictions: "UNROLL=1,2,4 VEC=1"; "": whole space */
    const char *gpu, *environment;  /* the GPU's name; environment as in gputune_device */
} gputune_miss;
/* Calls `each` for the misses in a file, the most frequent first. ENOTFOUND or EIO if it cannot be
 * read. */
GPUTUNE_API int gputune_misses(const char *path, int (*each)(void *user, const gputune_miss *miss),
                               void *user);

/* ---- Code ------------------------------------------------------------------------------------ */

typedef enum gputune_form {
    GPUTUNE_FORM_SOURCE, /* CUDA for NVRTC or nvcc, with the required parts of gputune's prelude */
    GPUTUNE_FORM_PTX,
    GPUTUNE_FORM_CUBIN,
    GPUTUNE_FORM_WHOLE /* the source exactly as gputune compiles it, with its whole prelude */
} gputune_form;
/* Sets *out to the code of a configuration ("VEC=4 BLOCK=256"; other axes have their default; NULL:
 * the default), which the caller frees with gputune_free(), and *bytes to its length. A NUL follows
 * the code. Waits for the compiler without a time limit. On ECOMPILE, the tuner's log callback gets
 * the compiler's log. */
GPUTUNE_API int gputune_emit(char **out, size_t *bytes, gputune *tuner, const char *kernel,
                             GPUTUNE_SIZES_IN sizes, const char *configuration, const char *arch,
                             gputune_form form);

/* Sets *out to a C header with the stored rule for a kernel on the tuner's GPU. The caller frees
 * *out with gputune_free(). The header chooses a variant by the sizes and launches it. It contains
 * the variants' code for `archs` (by default, for the GPU's architecture). It is valid C11, C++11
 * and CUDA C++, and needs only CUDA. With `runtime_api`, it gets the driver's functions from the
 * runtime library. `sizes` has the values of constants and types. EINVAL for a size outside the
 * region; ENOTFOUND if there is no rule, or the template was edited after the rule was made;
 * EUNSUPPORTED, with the reason, if a header cannot launch the kernel; ECOMPILE if the code does
 * not compile. Warns if the rule was not verified on this kind of GPU and driver, because the
 * header cannot verify it. */
GPUTUNE_API int gputune_emit_rule(char **out, gputune *tuner, const char *kernel,
                                  GPUTUNE_SIZES_IN sizes, const char *const *archs,
                                  size_t arch_count, int runtime_api);

/* Verifies and measures configurations against each other in a worker, until the error of each time
 * is at most 0.4 epsilon, and calls `each` for the results, in the order of the configurations. A
 * NULL configuration is the default. A record's speed-up is the first configuration's time divided
 * by the record's time, from paired samples. Stores code but no results. */
GPUTUNE_API int gputune_run(gputune *tuner, const char *kernel, GPUTUNE_SIZES_IN sizes,
                            const char *const *configurations, size_t count,
                            const gputune_options *options,
                            int (*each)(void *user, const gputune_record *record), void *user);

typedef struct gputune_compiled {
    uint32_t size;
    const char *kernel, *configuration, *arch;
    const char *status, *message; /* "ok", or "compile" with the first line of the error */
    const char *log;
    uint32_t registers, spill_bytes, shared_bytes;
    double compile_ns;
} gputune_compiled;
/* Compiles a kernel's whole space for `arch`, stores the cubins, and calls `each` for every variant
 * when it is compiled. Needs no GPU. ECOMPILE if no variant compiles. */
GPUTUNE_API int gputune_compile(gputune *tuner, const char *kernel, GPUTUNE_SIZES_IN sizes,
                                const char *arch, const gputune_options *options,
                                int (*each)(void *user, const gputune_compiled *compiled),
                                void *user);

/* A bug that gputune_check() found in a variant. The kinds are:
 *
 * - race: two threads access the same memory in an undefined order, and one of them writes. The
 *   other thread may also be an asynchronous copy or the previous launch.
 * - barrier: a barrier in a divergent branch that other threads do not take, or a barrier at which
 *   threads wait forever.
 * - shuffle: a shuffle reads from a thread that has returned, or that bypassed the shuffle.
 * - unset: a read of memory that has not been written.
 * - bounds, alignment: an access outside its buffer, or a misaligned one.
 * - state: a device variable is written.
 * - hang: a loop does not end.
 * - fault: a trap or a failed assertion.
 * - checked: not a bug; reported last for each variant.
 *
 * Any other kind is a status of gputune_record, for a variant that could not be checked. */
typedef struct gputune_finding {
    uint32_t size;
    const char *kernel, *configuration, *sizes, *kind;
    const char *file;          /* path of the CUDA source */
    uint32_t line, other_line; /* other_line: line of the other access of a race; otherwise 0 */
    uint64_t count;            /* number of occurrences at these sizes */
    const char *where;         /* the accessed element, shared memory or variable; or "" */
    const char *thread, *other_thread; /* "block (0,0,0) thread (1,0,0)"; "": no other thread */
    const char *message;
} gputune_finding;
/* Runs variants under the emulator's sanitizer, at the sizes and at odd-tail sizes, and calls
 * `each` for every finding. Runs the default and max_variants - 1 others, which the seed selects at
 * random; all variants if max_variants is 0. If no sizes are given, the template's default sizes
 * are used, reduced to about a megabyte of data. Needs a tuner on the emulator (EUNSUPPORTED
 * otherwise) and stores nothing. ETIMEOUT after the time limit (0: 600 s), or as soon as the
 * default takes too long at these sizes. `each` is not called for variants that are skipped for
 * this reason or after a cancel. Every finding is a real bug; finding none proves nothing. */
GPUTUNE_API int gputune_check(gputune *tuner, const char *kernel, GPUTUNE_SIZES_IN sizes,
                              const gputune_options *options,
                              int (*each)(void *user, const gputune_finding *finding), void *user);

/* ---- Launching a plan's kernels yourself ----------------------------------------------------- */

/* A program that launches a plan's kernels itself must also do the rest of gputune_launch(): check
 * the arguments and that no output overlaps another buffer, launch a fallback if buffers are less
 * aligned, provide scratch memory (zero at first), clear buffers, and copy blocks of parameters. */

typedef enum gputune_parameter_kind {
    GPUTUNE_PARAMETER_BUFFER,    /* the address of an argument's buffer */
    GPUTUNE_PARAMETER_SCALAR,    /* an argument by value */
    GPUTUNE_PARAMETER_BLOCK,     /* a pass() block */
    GPUTUNE_PARAMETER_SCRATCH,   /* the address of a device buffer that is not an argument */
    GPUTUNE_PARAMETER_TENSORMAP, /* a CUtensorMap of an argument's buffer, by value, which
                                    gputune_launch() encodes */
    GPUTUNE_PARAMETER_TEXTURE    /* a texture object of an argument's buffer, which gputune_launch()
                                    makes once per address and keeps until the plan ends */
} gputune_parameter_kind;

/* A parameter of a kernel, or an argument of a launch. */
typedef struct gputune_parameter {
    uint32_t size;
    gputune_parameter_kind kind;
    const char *name, *type; /* as in the template. `type` is the type of the value or of a buffer's
                                elements; "float *" means a scalar that is a null pointer */
    int argument;            /* index in gputune_args; -1 for scratch and values of a launch() */
    uint32_t bytes;          /* size in the parameter list; 0: in constant memory only */
    uint64_t buffer_bytes;   /* bytes of a buffer, scratch or a whole block; 0: a value */
    uint32_t element_bytes;  /* size of an element of a buffer or block; else 0 */
    uint32_t alignment;      /* alignment that the plan requires of a buffer, in bytes; else 0 */
    bool is_input, is_output;
    bool by_address;    /* true if the parameter is the device address of a copy of the block */
    bool cleared;       /* true if the buffer is set to zero before each launch */
    bool is_size;       /* true for a scalar that is one of the plan's sizes */
    int64_t size_value; /* value of that size, or of a scalar that is not an argument */
} gputune_parameter;
#define GPUTUNE_PARAMETER_INIT GPUTUNE_INIT(gputune_parameter)
/* Describes argument number `argument`, from 0, in *out. If a kernel accesses a buffer through a
 * tensor map, the argument is the buffer. ENOTFOUND after the last argument. Needs no context. */
GPUTUNE_API int gputune_plan_argument(gputune_parameter *out, const gputune_plan *plan,
                                      uint32_t argument);
/* Checks that `bytes` is the size of a scalar argument, of an element of a buffer or block, or of
 * the whole block. EINVAL if not; gputune_error() then shows the layout of the kernel's struct.
 * Call it once after tune_kernel(), with sizeof. Needs no context. */
GPUTUNE_API int gputune_plan_check_argument(const gputune_plan *plan, uint32_t argument,
                                            size_t bytes);

/* A __constant__ symbol that receives `bytes` bytes of a block, starting at `offset`. The symbol
 * may be missing in a module that does not use the block. */
typedef struct gputune_constant {
    const char *symbol;
    int argument; /* index of the block in gputune_args */
    uint32_t offset, bytes;
} gputune_constant;

typedef struct gputune_function {
    uint32_t size;
    void *function;    /* a CUfunction whose attributes are set (shared memory, cluster sizes) */
    const char *name;  /* the kernel's name in the image */
    const char *sizes; /* sizes of the plan: "n=1024" */
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes; /* dynamic shared memory per block */
    int carveout_percent;  /* shared memory in percent of the SM's maximum; -1: driver's choice */
    uint32_t times;        /* number of successive launches */
    uint32_t parameter_count, constant_count;
    const gputune_constant *constants;
    const void *image; /* a cubin, or PTX on the emulator; followed by a NUL */
    size_t image_bytes;
    bool cooperative; /* true if all blocks must be resident at once (a launch attribute) */
    /* true if the kernel may begin while the previous one runs (a launch attribute) */
    bool programmatic;
} gputune_function;
#define GPUTUNE_FUNCTION_INIT GPUTUNE_INIT(gputune_function)
/* Describes kernel number `index`, from 0, of the plan in *out, and loads its code into the current
 * context. Pointers in *out live as long as the plan. ENOTFOUND after the last kernel, EUNSUPPORTED
 * for kernels that are launched in loops, under conditions or with computed addresses; EINVAL if no
 * context is current. */
GPUTUNE_API int gputune_plan_function(gputune_function *out, gputune_plan *plan, uint32_t index);
/* Describes parameter number `parameter`, from 0, of kernel number `index` in *out. ENOTFOUND after
 * the last one. Needs no context. */
GPUTUNE_API int gputune_plan_parameter(gputune_parameter *out, const gputune_plan *plan,
                                       uint32_t index, uint32_t parameter);

/* ---- Names ----------------------------------------------------------------------------------- */

/* Return an enumerator's name, such as "warning"; "?" for other values. */
GPUTUNE_API const char *gputune_verdict_name(gputune_verdict verdict);
GPUTUNE_API const char *gputune_certainty_name(gputune_certainty certainty);
GPUTUNE_API const char *gputune_form_name(gputune_form form);
GPUTUNE_API const char *gputune_parameter_kind_name(gputune_parameter_kind kind);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif
