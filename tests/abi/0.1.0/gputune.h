/* gputune: a runtime autotuner for CUDA kernels.
 *
 * Plan once, launch many times: tune_kernel() finds, or measures and remembers, the fastest correct
 * variant of a kernel on the GPU at hand; gputune_launch() launches it. Untried code never runs in
 * the calling process.
 *
 * Conventions. A function returns 0 or a negative gputune_status; gputune_error() then holds one
 * line of text for the calling thread. Results come first, and are untouched on failure. Sizes are
 * bytes where named so, times nanoseconds. Structs that cross the boundary begin with `version`;
 * initialise them with their _INIT macro. Nothing here prints, exits or installs a signal handler,
 * synchronises a stream of the caller's, or changes the current context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <initializer_list>
extern "C" {
#endif

#define GPUTUNE_VERSION_MAJOR  0
#define GPUTUNE_VERSION_MINOR  1
#define GPUTUNE_VERSION_PATCH  0
#define GPUTUNE_VERSION_STRING "0.1.0"

#if defined(__GNUC__)
#define GPUTUNE_API __attribute__((visibility("default")))
#else
#define GPUTUNE_API
#endif

/* Every failure a caller can expect: name, value, what it means. */
#define GPUTUNE_STATUS_LIST(X)                                                                     \
    X(OK, 0, "success")                                                                            \
    X(EINVAL, -1, "an argument is wrong")                                                          \
    X(ENOMEM, -2, "out of host memory")                                                            \
    X(ENOTFOUND, -3, "no such kernel, size, axis, device or file")                                 \
    X(ETEMPLATE, -4, "the template has a mistake")                                                 \
    X(ECOMPILE, -5, "a variant does not compile")                                                  \
    X(ENOCOMPILER, -6, "NVRTC is not available")                                                   \
    X(ENODRIVER, -7, "no CUDA driver, or no such GPU")                                             \
    X(ECUDA, -8, "a CUDA call failed")                                                             \
    X(EWRONG, -9, "wrong results")                                                                 \
    X(ECRASHED, -10, "a variant crashed its worker")                                               \
    X(ETIMEOUT, -11, "a deadline passed")                                                          \
    X(EDATABASE, -12, "the database cannot be used")                                               \
    X(EBUSY, -13, "somebody else holds what is needed")                                            \
    X(ECAPTURE, -14, "not possible while the stream is being captured")                            \
    X(EIO, -15, "a file or a pipe failed")                                                         \
    X(EWORKER, -16, "a worker process cannot be started or does not answer")                       \
    X(ENOVARIANT, -17, "no variant is possible")                                                   \
    X(ECANCELED, -18, "stopped on request")                                                        \
    X(EUNSUPPORTED, -19, "not supported here")                                                     \
    X(EDEVMEM, -20, "out of device memory")                                                        \
    X(ENOTCACHED, -21, "nothing stored, and measuring was not allowed")

typedef enum gputune_status {
#define GPUTUNE_STATUS_ENUM(name, value, text) GPUTUNE_##name = (value),
    GPUTUNE_STATUS_LIST(GPUTUNE_STATUS_ENUM)
#undef GPUTUNE_STATUS_ENUM
} gputune_status;

/* The calling thread's last failure in one line; "" if there was none. Valid until its next one. */
GPUTUNE_API const char *gputune_error(void);
/* The table's text for a status; never NULL. */
GPUTUNE_API const char *gputune_status_text(int status);
/* The library's version, "major.minor.patch". */
GPUTUNE_API const char *gputune_version(void);

/* ---- Problem sizes and arguments ----------------------------------------------------------- */

/* One problem value by its template name. A word (a type) stands in the name: {"T=half", 0}. */
typedef struct gputune_size {
    const char *name;
    int64_t value;
} gputune_size;

typedef struct gputune_sizes {
    size_t count;
    const gputune_size *items;
} gputune_sizes;

/* Pointers to the kernel's arguments, in the order of the template's args(); a pass() block comes
 * as a pointer to the block in host memory, where the block is declared. */
typedef struct gputune_args {
    size_t count;
    const void *const *items;
} gputune_args;

/* GPUTUNE_SIZES({"n", n}, {"T=half", 0}) and GPUTUNE_ARGS(&y, &x, &a, &n): arrays that carry
 * their count and live until the end of the full expression (C: of the enclosing block). */
#ifdef __cplusplus
} /* extern "C" */
struct gputune_cxx_size : gputune_size {
    template <typename T> gputune_cxx_size(const char *n, T v)
    {
        name = n;
        value = static_cast<int64_t>(v);
    }
};
inline gputune_sizes gputune_cxx_sizes(std::initializer_list<gputune_cxx_size> list)
{
    gputune_sizes sizes = {list.size(), list.begin()};
    return sizes;
}
inline gputune_args gputune_cxx_args(std::initializer_list<const void *> list)
{
    gputune_args args = {list.size(), list.begin()};
    return args;
}
#define GPUTUNE_SIZES(...) (gputune_cxx_sizes({__VA_ARGS__}))
#define GPUTUNE_ARGS(...)  (gputune_cxx_args({__VA_ARGS__}))
#define GPUTUNE_NO_SIZES   (gputune_cxx_sizes({}))
extern "C" {
#else
#define GPUTUNE_SIZES(...)                                                                         \
    ((gputune_sizes){sizeof((const gputune_size[]){__VA_ARGS__}) / sizeof(gputune_size),           \
                     (const gputune_size[]){__VA_ARGS__}})
#define GPUTUNE_ARGS(...)                                                                          \
    ((gputune_args){sizeof((const void *const[]){__VA_ARGS__}) / sizeof(const void *),             \
                    (const void *const[]){__VA_ARGS__}})
#define GPUTUNE_NO_SIZES ((gputune_sizes){0, NULL})
#endif

/* ---- Options -------------------------------------------------------------------------------- */

typedef enum gputune_effort {
    GPUTUNE_CACHED_ONLY = 1, /* what is stored, the nearest size, or the default; never measures */
    GPUTUNE_ESTIMATE,        /* ranks by a static model, measures nothing */
    GPUTUNE_MEASURE,         /* races the variants until the rest cannot win */
    GPUTUNE_EXHAUSTIVE       /* no early elimination by time; tighter intervals */
} gputune_effort;

/* What counts. Where LAUNCH or LATENCY cannot tell variants apart, device time counts as well. */
typedef enum gputune_objective {
    GPUTUNE_OBJECTIVE_DEFAULT = 0, /* `launch` for a template with a pass axis, else `kernel` */
    GPUTUNE_OBJECTIVE_KERNEL,      /* device time by graph replay */
    GPUTUNE_OBJECTIVE_LAUNCH,      /* host clock over back-to-back launches, parameter copies in */
    GPUTUNE_OBJECTIVE_LATENCY,     /* one launch and a synchronise, host clock */
    GPUTUNE_OBJECTIVE_ENERGY       /* NVML's energy counter, per launch (values in nanojoules) */
} gputune_objective;

typedef enum gputune_cache {
    GPUTUNE_CACHE_COLD = 0, /* the L2 is swept before every sample */
    GPUTUNE_CACHE_HOT       /* the data may stay in L2 between launches */
} gputune_cache;

typedef enum gputune_isolation {
    GPUTUNE_ISOLATION_PROCESS = 0, /* untried variants run in worker processes only */
    GPUTUNE_ISOLATION_THREAD       /* the caller accepts that a bad variant can end this process */
} gputune_isolation;

/* The alignment in bytes that the caller guarantees for one buffer argument. */
typedef struct gputune_alignment {
    const char *buffer;
    uint32_t bytes;
} gputune_alignment;

/* The caller's own data as input of the measurements, in place of generated data. */
typedef struct gputune_input {
    const char *buffer; /* the argument's name */
    const void *data;   /* a device address, or the host's where `on_host` */
    uint64_t bytes;
    bool on_host;
} gputune_input;

typedef enum gputune_log_level {
    GPUTUNE_LOG_ERROR,
    GPUTUNE_LOG_WARNING,
    GPUTUNE_LOG_INFO,
    GPUTUNE_LOG_DEBUG
} gputune_log_level;

/* Called from the tuning thread with one line of text, no newline. */
typedef void (*gputune_log_fn)(void *user, gputune_log_level level, const char *line);

/* How far a tuning is. `failed` counts variants that did not compile, crashed, hung or were wrong.
 */
typedef struct gputune_progress {
    uint32_t variants, compiled, verified, failed, racing, round;
    double best_ns, default_ns; /* by `objective`; 0 while unknown */
    const char *best;           /* its configuration, or NULL */
    double elapsed_s, limit_s;
    const char *phase;           /* "compile", "verify", "race", "store" */
    gputune_objective objective; /* what is raced by now: for ENERGY first KERNEL, then ENERGY */
} gputune_progress;
typedef void (*gputune_progress_fn)(void *user, const gputune_progress *progress);

typedef struct gputune_options {
    uint32_t version;
    gputune_effort effort;
    gputune_objective objective;
    gputune_cache cache;
    gputune_isolation isolation;
    double time_limit_s;   /* 0: 10 s; for ENERGY, a sample of which takes a second, 30 s */
    uint32_t max_variants; /* 0: all */
    uint32_t alignment;    /* bytes assumed of every buffer; 0: 16 */
    double epsilon;        /* smallest gain worth looking for, as a fraction; 0: 0.005 */
    uint64_t seed;         /* of generated inputs and of the shuffling; 0: a fixed one */
    bool force;            /* measure again what is stored */
    const gputune_alignment *alignments;
    size_t alignment_count;
    const gputune_input *inputs;
    size_t input_count;
    void *inputs_ready;      /* a CUevent after which the inputs are filled, or NULL: now */
    const char *inputs_tag;  /* names the inputs in the key; NULL: "live" */
    const char *const *only; /* "AXIS=v,v" restrictions */
    size_t only_count;
    gputune_log_fn log;
    gputune_progress_fn progress;
    void *user;               /* passed to log and progress */
    volatile int *cancel;     /* set it to non-zero to stop; what is finished is kept */
    const char *samples_path; /* every raw sample is appended here as CSV, or NULL */
} gputune_options;
#define GPUTUNE_OPTIONS_VERSION 1
#define GPUTUNE_OPTIONS_INIT                                                                       \
    {                                                                                              \
        GPUTUNE_OPTIONS_VERSION, GPUTUNE_MEASURE, GPUTUNE_OBJECTIVE_DEFAULT, GPUTUNE_CACHE_COLD,   \
            GPUTUNE_ISOLATION_PROCESS, 0, 0, 0, 0, 0, false, NULL, 0, NULL, 0, NULL, NULL, NULL,   \
            0, NULL, NULL, NULL, NULL, NULL                                                        \
    }

typedef struct gputune_open_options {
    uint32_t version;
    const char *device; /* "0", "1", a UUID, or "none"; NULL: the current context's, else 0 */
    const char *driver; /* "cuda", "emu", "emu:PROFILE" or a library's path; NULL: GPUTUNE_DRIVER,
                           else "cuda" */
    const char
        *database; /* NULL: GPUTUNE_DB, else under XDG_CACHE_HOME; ":memory:" keeps nothing */
    const char *templates;    /* folder of kernels by name; NULL: GPUTUNE_TEMPLATES, beside the
                                 library,    the installed one */
    const char *worker;       /* the gputune-worker executable; NULL: searched for */
    uint32_t compile_workers; /* 0: as many as cores */
    bool emulate_without_gpu; /* take the emulator where there is no GPU and `driver` is NULL */
    bool keep_workers;        /* between tunings: quicker for many in a row, but the measure worker
                                 then holds device memory */
    bool tune_only;           /* for tools that launch nothing: a worker tells what the device is
                                 (NULL: 0), and the driver need not start in this process, which
                                 takes 0.1 s; launches and inputs on the device are EUNSUPPORTED */
    bool read_only;           /* for tools: `database` is only read; nothing is made or put beside
                                 it, and gputune_open() fails with EDATABASE where it cannot be */
    gputune_log_fn log;
    void *user;
} gputune_open_options;
#define GPUTUNE_OPEN_OPTIONS_VERSION 1
#define GPUTUNE_OPEN_OPTIONS_INIT                                                                  \
    {                                                                                              \
        GPUTUNE_OPEN_OPTIONS_VERSION, NULL, NULL, NULL, NULL, NULL, 0, false, false, false, false, \
            NULL, NULL                                                                             \
    }

/* ---- Tuning and launching ------------------------------------------------------------------- */

typedef struct gputune gputune;           /* thread-safe */
typedef struct gputune_plan gputune_plan; /* immutable, reference-counted, thread-safe */

/* Opens a tuner. Fails with ENODRIVER without a driver or GPU; a database that cannot be used is no
 * failure (a warning through the log callback). *out is the caller's, for gputune_close(). */
GPUTUNE_API int gputune_open(gputune **out, const gputune_open_options *options);
/* Ends the workers and releases the tuner; plans stay valid. NULL is allowed. */
GPUTUNE_API void gputune_close(gputune *tuner);

/* Reads a template file; its kernel's name then stands for it. ETEMPLATE names file:line:column. */
GPUTUNE_API int gputune_add_template(gputune *tuner, const char *path);

/* Returns a plan for `kernel` (a name, or a template's path) at `sizes`: from the tuner's table (no
 * lock, no allocation), from the database, or by measuring as `options` allow (NULL: MEASURE, at
 * most 10 s). When nothing better is known the plan is the template's default configuration.
 * Fails only where there is nothing to launch: a mistake in the call or the template, or no
 * compiler and no stored cubin. *out is the caller's, for gputune_plan_release(). */
GPUTUNE_API int tune_kernel(gputune_plan **out, gputune *tuner, const char *kernel,
                            gputune_sizes sizes, const gputune_options *options);

/* Launches on `stream` (a CUstream or cudaStream_t; NULL: the legacy default stream) in the current
 * context, asynchronously. EINVAL, before anything is launched, when the count or a scalar named
 * like a problem size differs from the plan's; a buffer below the plan's alignment launches the
 * plan's fallback instead; ECAPTURE where a capture makes the launch impossible. */
GPUTUNE_API int gputune_launch(gputune_plan *plan, void *stream, gputune_args args);

GPUTUNE_API gputune_plan *gputune_plan_retain(gputune_plan *plan);
/* Drops one reference. The last one waits for launches that still use what the plan owns. */
GPUTUNE_API void gputune_plan_release(gputune_plan *plan);

typedef enum gputune_source {
    GPUTUNE_SOURCE_DEFAULT,  /* the template's own configuration, not measured */
    GPUTUNE_SOURCE_NEAREST,  /* measured on this kind of GPU at the nearest size */
    GPUTUNE_SOURCE_CACHED,   /* measured earlier on this kind of GPU, for this very scenario */
    GPUTUNE_SOURCE_MEASURED, /* measured by this call */
    GPUTUNE_SOURCE_ESTIMATED /* ranked without measuring */
} gputune_source;
GPUTUNE_API const char *gputune_source_name(gputune_source source);
GPUTUNE_API const char *gputune_objective_name(gputune_objective objective);

typedef struct gputune_info {
    uint32_t version;
    const char *kernel;        /* the strings live as long as the plan */
    const char *configuration; /* "VEC=4 BLOCK=256 UNROLL=2" */
    const char *default_configuration;
    gputune_source source;
    gputune_objective objective;
    double time_ns, default_ns;                /* medians; 0: unknown */
    double speedup, speedup_low, speedup_high; /* default over winner, 95% interval; 0: unknown */
    bool tie, noisy, modelled;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes; /* dynamic */
    int carveout_kb;       /* -1: the driver's choice */
    uint32_t registers, spill_bytes;
    uint32_t variants, failed; /* of the tuning that this call did; 0 when it measured nothing */
    const char *stop_reason;   /* why that race ended, or why there was none, or "" */
} gputune_info;
#define GPUTUNE_INFO_VERSION 1
/* Fills *out, whose version says how much of it the caller knows. */
GPUTUNE_API int gputune_plan_info(gputune_info *out, const gputune_plan *plan);

/* ---- For operators: what the command line is built on ---------------------------------------- */

/* One GPU that the driver offers. Opened tuners do not matter. */
typedef struct gputune_device {
    uint32_t version;
    char name[128], uuid[48], arch[16], environment[64]; /* "sm_90"; the key of its records */
    int ordinal, compute_capability, sm_count;           /* 90 for 9.0 */
    int64_t memory_bytes, l2_bytes, shared_per_sm_bytes, shared_optin_bytes;
    int memory_clock_khz, sm_clock_khz, bus_width_bits, max_cluster;
    int max_parameter_bytes, driver_version, nvrtc_version; /* 13000 for 13.0; 0: not known */
    double peak_bytes_per_s;                                /* from memory clock and bus width */
    bool emulated;
} gputune_device;
#define GPUTUNE_DEVICE_VERSION 1
/* Calls `each` for every GPU; a non-zero answer stops and is returned. ENODRIVER where there is
 * none. `driver` as in gputune_open_options. */
GPUTUNE_API int gputune_devices(const char *driver,
                                int (*each)(void *user, const gputune_device *device), void *user);
/* The device of an open tuner. EUNSUPPORTED when it was opened with device "none". */
GPUTUNE_API int gputune_tuner_device(gputune_device *out, gputune *tuner);

/* One kernel there is to tune. */
typedef struct gputune_kernel {
    uint32_t version;
    const char *name, *path, *summary; /* summary: the template's first comment line */
    const char *sizes;                 /* its problem values with defaults: "n=67108864" */
    const char *axes;                  /* "VEC=1,2,4,8 BLOCK=64,128" */
    gputune_objective objective;       /* its default one */
} gputune_kernel;
#define GPUTUNE_KERNEL_VERSION 1
/* Calls `each` for every template in the template folder and every added one, by name. */
GPUTUNE_API int gputune_kernels(gputune *tuner,
                                int (*each)(void *user, const gputune_kernel *kernel), void *user);

/* One axis of a kernel's space on this GPU: a value, and why it is excluded ("" if it is not). */
typedef struct gputune_axis_value {
    uint32_t version;
    const char *axis, *kind; /* "tune", "vector", "pass", "cluster", "carveout" */
    const char *value;
    const char *excluded;
    bool is_default;
} gputune_axis_value;
#define GPUTUNE_AXIS_VALUE_VERSION 1
typedef struct gputune_exclusion {
    const char *reason; /* a require() text, or a limit of the device */
    uint64_t count;
} gputune_exclusion;
typedef struct gputune_space {
    uint32_t version;
    uint64_t combinations, valid, sources; /* sources: distinct generated sources among the valid */
    const gputune_axis_value *values;
    size_t value_count;
    const gputune_exclusion *exclusions;
    size_t exclusion_count;
} gputune_space;
#define GPUTUNE_SPACE_VERSION 1
/* Describes a kernel's space for `arch` ("sm_90"), or for the tuner's GPU where NULL. *out is the
 * caller's, for gputune_space_free(). */
GPUTUNE_API int gputune_describe_space(gputune_space **out, gputune *tuner, const char *kernel,
                                       gputune_sizes sizes, const char *arch,
                                       const gputune_options *options);
GPUTUNE_API void gputune_space_free(gputune_space *space);

typedef enum gputune_form {
    GPUTUNE_FORM_SOURCE, /* generated CUDA */
    GPUTUNE_FORM_PTX,
    GPUTUNE_FORM_CUBIN
} gputune_form;
/* The code of one configuration ("VEC=4 BLOCK=256", missing axes from the default; NULL: the
 * default) in one form; *bytes long, and NUL-terminated beyond that. The caller free()s *out.
 * ECOMPILE: the compiler's log has gone to the tuner's log callback, line by line. */
GPUTUNE_API int gputune_emit(char **out, size_t *bytes, gputune *tuner, const char *kernel,
                             gputune_sizes sizes, const char *configuration, const char *arch,
                             gputune_form form);

/* One measured (or failed) configuration; also what the store gives back. */
typedef struct gputune_record {
    uint32_t version;
    const char *kernel, *sizes, *configuration; /* strings live until the callback returns */
    gputune_objective objective;
    gputune_cache cache;
    const char *gpu, *environment,
        *origin;         /* origin: "cuda", or the emulator's profile and model */
    const char *status;  /* "ok", "wrong", "crashed", "hung", "compile", "launch", "eliminated" */
    const char *message; /* of a failure, and of an elimination the reason */
    bool is_default, is_winner, tie, noisy, modelled;
    double median_ns, mean_ns, stddev_ns, low_ns, high_ns, min_ns;
    uint32_t samples, eliminated_round;
    uint32_t registers, spill_bytes, shared_bytes, local_bytes;
    double occupancy; /* resident warps over the SM's maximum; 0: unknown */
    double max_error, compile_ns;
    double bytes, flops; /* the template's work() at this size, 0: not declared */
    double default_ns, speedup, speedup_low, speedup_high; /* of a winner */
    double copy_bytes_per_s; /* a device-to-device copy on that GPU, read plus written; 0 */
    const char *stop_reason;
    const char *created; /* UTC, ISO 8601 */
} gputune_record;
#define GPUTUNE_RECORD_VERSION 1

typedef struct gputune_record_filter {
    uint32_t version;
    const char *kernel; /* NULL: all */
    bool all_trials;    /* else winners only */
    bool any_gpu;       /* else only records that answer for the tuner's GPU */
} gputune_record_filter;
#define GPUTUNE_RECORD_FILTER_VERSION 1
#define GPUTUNE_RECORD_FILTER_INIT                                                                 \
    {                                                                                              \
        GPUTUNE_RECORD_FILTER_VERSION, NULL, false, false                                          \
    }
/* Calls `each` for the stored records in the order kernel, sizes, time; a non-zero answer stops the
 * walk and is returned. EDATABASE where the database asked for cannot be read. */
GPUTUNE_API int gputune_records(gputune *tuner, const gputune_record_filter *filter,
                                int (*each)(void *user, const gputune_record *record), void *user);

/* What no call above fails for: EDATABASE when the database asked for (but ":memory:") cannot be
 * read, or what is found out is kept in memory only. */
GPUTUNE_API int gputune_check_database(gputune *tuner);

/* Verifies and measures the given configurations (NULL: the default's) side by side, in a worker,
 * and calls `each` for every result, in the order given; stores nothing. A paired comparison with
 * the first comes as speedup, speedup_low, speedup_high (first over this). */
GPUTUNE_API int gputune_run(gputune *tuner, const char *kernel, gputune_sizes sizes,
                            const char *const *configurations, size_t count,
                            const gputune_options *options,
                            int (*each)(void *user, const gputune_record *record), void *user);

/* One compiled variant. */
typedef struct gputune_compiled {
    uint32_t version;
    const char *kernel, *configuration, *arch;
    const char *status, *message; /* "ok" or "compile" with the first error line */
    const char *log;
    uint32_t registers, spill_bytes, shared_bytes;
    double compile_ns;
} gputune_compiled;
#define GPUTUNE_COMPILED_VERSION 1
/* Compiles the whole space of a kernel for `arch`, needs no GPU, stores the cubins, and calls
 * `each` per variant as they come. ECOMPILE when none compiled. */
GPUTUNE_API int gputune_compile(gputune *tuner, const char *kernel, gputune_sizes sizes,
                                const char *arch, const gputune_options *options,
                                int (*each)(void *user, const gputune_compiled *compiled),
                                void *user);

#ifdef __cplusplus
} /* extern "C" */
#endif
