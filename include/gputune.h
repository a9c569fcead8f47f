/* gputune: a runtime autotuner for CUDA kernels.
 *
 * tune_kernel() returns a plan for the fastest correct variant of a kernel on this GPU, from a
 * database or by measuring. gputune_launch() launches it. Unverified variants run in worker
 * processes, so they cannot harm the caller. gputune_tools.h has more for operators and tools.
 *
 *     gputune *tuner;
 *     gputune_plan *axpy;
 *     gputune_open(&tuner, NULL);
 *     tune_kernel(&axpy, tuner, "axpy", GPUTUNE_SIZES({"n", n}), NULL);
 *     gputune_launch(axpy, stream, GPUTUNE_ARGS(&y, &x, &a, &n));
 *     gputune_plan_release(axpy);
 *     gputune_close(tuner);
 *
 * Calls. A function returns 0 or a negative gputune_status, which gputune_error() explains in one
 * line. Parameters come in this order: results (unchanged on failure), the object, the call's
 * inputs, options, a callback and its `user`. A NULL pointer that is not allowed, or an unknown
 * enumerator, returns EINVAL. The library prints only if GPUTUNE_LOG requests it. It does not exit,
 * install signal handlers, synchronise the caller's streams or change the current context.
 *
 * Structs. Initialise a struct that begins with `size` with its _INIT macro. A member that is 0
 * takes its default value, unless stated otherwise. Later releases append members; programs
 * compiled with an older or newer header keep working. A function that fills in a struct sets
 * `size` to the number of bytes written.
 *
 * Text. Values are passed as text of the form NAME=VALUE[,VALUE...], separated by blanks:
 * "n=1M,16M T=half", "VEC=4 BLOCK=256". A number may be written as 1048576, 1M or 2^20.
 *
 * The name of a quantity ends in its unit: _ns, _s, _bytes, _khz, _kb. A speed-up is the default's
 * time divided by the winner's. `low` and `high` in a name mark the ends of a 95% confidence
 * interval.
 *
 * Threads. Any thread may call any function at any time, even with the same tuner or plan. A
 * callback runs on the thread that made the call, before the call returns; for a tuning in the
 * background, it runs on the tuner's thread. A callback may call any function except
 * gputune_close() on its own tuner. It must return normally, without an exception, longjmp() or
 * pthread_exit(). Its arguments are valid until it returns. If a callback `each` returns a value
 * other than 0, the function stops and returns that value. If a thread is cancelled by
 * pthread_cancel() during a call, it ends only after the call.
 *
 * fork(). CUDA does not work in a forked child, so the parent's plans cannot be launched there. If
 * the child uses the parent's tuner, tune_kernel() returns only plans that are already in the
 * tuner's table, gputune_close() does nothing, and every other call returns EUNSUPPORTED. */
#ifndef GPUTUNE_H
#define GPUTUNE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <type_traits>
extern "C" {
#endif

#define GPUTUNE_VERSION_MAJOR  1
#define GPUTUNE_VERSION_MINOR  0
#define GPUTUNE_VERSION_PATCH  0
#define GPUTUNE_VERSION_STRING "1.0.0"

#if defined(__GNUC__)
#define GPUTUNE_API __attribute__((visibility("default")))
#else
#define GPUTUNE_API
#endif

/* Every status, with its name, value and meaning. */
#define GPUTUNE_STATUS_LIST(X)                                                                     \
    X(OK, 0, "success")                                                                            \
    X(EINVAL, -1, "an argument is wrong")                                                          \
    X(ENOMEM, -2, "out of host memory")                                                            \
    X(ENOTFOUND, -3, "no such kernel, size, axis, device or file")                                 \
    X(ETEMPLATE, -4, "the template has a mistake")                                                 \
    X(ECOMPILE, -5, "a variant does not compile")                                                  \
    X(ENOCOMPILER, -6, "NVRTC is not available")                                                   \
    X(ENODRIVER, -7, "no CUDA driver, no such GPU, or one that has failed")                        \
    X(ECUDA, -8, "a CUDA call failed")                                                             \
    X(EWRONG, -9, "wrong results")                                                                 \
    X(ECRASHED, -10, "a variant crashed its worker")                                               \
    X(ETIMEOUT, -11, "a deadline passed")                                                          \
    X(EDATABASE, -12, "the database cannot be used")                                               \
    X(EBUSY, -13, "what is needed is in use by another process or call")                           \
    X(ECAPTURE, -14, "not possible while the stream is being captured")                            \
    X(EIO, -15, "a file or a pipe failed")                                                         \
    X(EWORKER, -16, "a worker process cannot be started or does not answer")                       \
    X(ENOVARIANT, -17, "no variant is possible")                                                   \
    X(ECANCELED, -18, "stopped on request")                                                        \
    X(EUNSUPPORTED, -19, "not supported here")                                                     \
    X(EDEVMEM, -20, "out of device memory")                                                        \
    X(ENOTCACHED, -21, "nothing stored, and measuring was not allowed")                            \
    X(ERECORDED, -22, "a text of wisdom has a mistake")

typedef enum gputune_status {
#define GPUTUNE_STATUS_ENUM(name, value, text) GPUTUNE_##name = (value),
    GPUTUNE_STATUS_LIST(GPUTUNE_STATUS_ENUM)
#undef GPUTUNE_STATUS_ENUM
} gputune_status;

/* Describes the calling thread's last failure in one line, or "". Valid until its next failure. */
GPUTUNE_API const char *gputune_error(void);
/* Describes a status in a few words. Never returns NULL. */
GPUTUNE_API const char *gputune_status_text(int status);
/* Returns the library's version, "major.minor.patch". */
GPUTUNE_API const char *gputune_version(void);
/* Frees memory that a function returned to the caller. NULL is allowed. */
GPUTUNE_API void gputune_free(void *memory);

/* An initializer for a struct: sets `size`, and sets all other members to 0. */
#ifdef __cplusplus
} /* extern "C" */
template <typename type> type gputune_cxx_init(type made = type())
{
    made.size = sizeof(type);
    return made;
}
extern "C" {
#define GPUTUNE_INIT(type) (gputune_cxx_init<type>())
#else
#define GPUTUNE_INIT(type)                                                                         \
    {                                                                                              \
        .size = sizeof(type)                                                                       \
    }
#endif

/* ---- Opening --------------------------------------------------------------------------------- */
typedef struct gputune gputune; /* a tuner */
typedef struct gputune_open_options gputune_open_options;

/* Opens a tuner, which the caller closes. NULL for `options` means GPUTUNE_OPEN_OPTIONS_INIT.
 * Returns ENODRIVER if there is no driver or GPU, EWORKER if `worker` is not a program, ENOTFOUND
 * if `templates` is not a folder. A database that cannot be used does not fail the call; a warning
 * is logged. */
GPUTUNE_API int gputune_open(gputune **out, const gputune_open_options *options);
/* Ends the workers, frees the tuner, and unloads the code of its plans. Cancels calls of other
 * threads and waits for these calls to end. Does not wait for launches: close the tuner after the
 * last launch has ended. After gputune_close(), plans may still be released until 64 more tuners
 * have been closed. Writes results that are still in memory to the database. If another process
 * keeps it locked for 0.3 s, these results are lost, with a warning. Does nothing in a callback of
 * the tuner or in a forked child. */
GPUTUNE_API void gputune_close(gputune *tuner);
/* Makes later calls search the database again, for results that other processes have stored. */
GPUTUNE_API void gputune_refresh(gputune *tuner);

/* ---- Sizes and arguments --------------------------------------------------------------------- */
/* GPUTUNE_SIZES({"n", n}, {"T=half", 0}) lists problem values by name. A value that is a word, such
 * as half, is part of the name. GPUTUNE_ARGS(&y, &x, &a, &n) lists pointers to the arguments of a
 * launch. In C, both lists live until the end of the enclosing block. In C++ they are objects: keep
 * them in variables of type auto, and pass them as GPUTUNE_SIZES_IN or GPUTUNE_ARGS_IN. */

typedef struct gputune_size {
    const char *name;
    int64_t value;
} gputune_size;

typedef struct gputune_sizes {
    size_t count;
    const gputune_size *items;
} gputune_sizes;

/* The arguments of a launch, in the template's order. The pass() and constant() blocks come first,
 * as pointers to host memory, which the launch copies before it returns. The args() follow, as
 * pointers to their values. The value of a buffer is its device address. Pointers in a struct are
 * device addresses, too; the buffers to which they point are not arguments. */
typedef struct gputune_args {
    size_t count;
    const void *const *items;
} gputune_args;

#ifdef __cplusplus
} /* extern "C" */
struct gputune_cxx_size : gputune_size {
    template <typename T> gputune_cxx_size(const char *n, T v)
    {
        static_assert(std::is_integral<T>::value || std::is_enum<T>::value,
                      "a problem size is a whole number; convert it, as by static_cast<int64_t>()");
        name = n;
        value = static_cast<int64_t>(v);
    }
};
template <typename item, size_t N> struct gputune_cxx_list {
    item items[N ? N : 1];
};
template <size_t N>
gputune_cxx_list<gputune_size, N> gputune_cxx_make_sizes(const gputune_cxx_size (&list)[N])
{
    gputune_cxx_list<gputune_size, N> made;
    for (size_t i = 0; i < N; i++) {
        made.items[i] = list[i];
    }
    return made;
}
template <typename... T>
gputune_cxx_list<const void *, sizeof...(T)> gputune_cxx_make_args(T... items)
{
    return {{static_cast<const void *>(items)...}};
}
template <typename list, typename item> struct gputune_cxx_in : list {
    gputune_cxx_in(size_t count = 0, const item *items = nullptr) : list{count, items}
    {
    }
    gputune_cxx_in(const list &given) : list(given)
    {
    }
    template <size_t N>
    gputune_cxx_in(const gputune_cxx_list<item, N> &given) : list{N, given.items}
    {
    }
};
#define GPUTUNE_SIZES(...) (gputune_cxx_make_sizes({__VA_ARGS__}))
#define GPUTUNE_ARGS(...)  (gputune_cxx_make_args(__VA_ARGS__))
#define GPUTUNE_NO_SIZES   (gputune_sizes{0, nullptr})
#define GPUTUNE_SIZES_IN   gputune_cxx_in<gputune_sizes, gputune_size>
#define GPUTUNE_ARGS_IN    gputune_cxx_in<gputune_args, const void *>
extern "C" {
#else
#define GPUTUNE_SIZES(...)                                                                         \
    ((gputune_sizes){sizeof((const gputune_size[]){__VA_ARGS__}) / sizeof(gputune_size),           \
                     (const gputune_size[]){__VA_ARGS__}})
#define GPUTUNE_ARGS(...)                                                                          \
    ((gputune_args){sizeof((const void *const[]){__VA_ARGS__}) / sizeof(const void *),             \
                    (const void *const[]){__VA_ARGS__}})
#define GPUTUNE_NO_SIZES ((gputune_sizes){0, NULL})
#define GPUTUNE_SIZES_IN gputune_sizes
#define GPUTUNE_ARGS_IN  gputune_args
#endif

/* ---- Tuning and launching -------------------------------------------------------------------- */
/*     gputune_options options = GPUTUNE_OPTIONS_INIT;
 *     options.time_limit_s = 60;
 *     tune_kernel(&plan, tuner, "./blur.cu", GPUTUNE_SIZES({"width", 1920}), &options);
 *
 * `kernel` is the path of a template, which contains a slash or ends in .cu; PATH:KERNEL, to select
 * one kernel of that file; the name of a kernel that was added to the tuner; or the name of a
 * kernel or file in the template folder. */

typedef struct gputune_plan gputune_plan; /* a launchable variant; immutable, reference-counted */
typedef struct gputune_options gputune_options;

/* Returns a plan for `kernel` at `sizes`. The plan comes from the tuner's table (which takes no
 * lock and allocates nothing), from the database, or from a measurement if `options` allow one
 * (NULL allows 10 s). If the time limit or a cancel ends the measurement too early, the plan is the
 * template's default. If several calls need the same new plan, the first one makes it, and the
 * others wait for up to half of their time limit. If the time limit ended a tuning, a later call
 * continues that tuning only if its own time limit is longer. The call fails only if there is
 * nothing to launch: the call or the template has a mistake; there is neither a compiler nor stored
 * code; or a limit (ETIMEOUT) or a cancel (ECANCELED) left no time to compile the default. Edits of
 * the template or its includes take effect within a second. The caller releases *out. */
GPUTUNE_API int tune_kernel(gputune_plan **out, gputune *tuner, const char *kernel,
                            GPUTUNE_SIZES_IN sizes, const gputune_options *options);

/* Launches asynchronously on `stream` (a CUstream or cudaStream_t; NULL: the legacy default stream)
 * in the current context. The first launch in a context of the plan's device, or after a reset of
 * the context, loads the code. Checks the arguments first. Returns EINVAL if the number of
 * arguments is wrong; if an integer that has the name of a problem size differs from it; if an
 * output overlaps another buffer and the template's in_place() does not allow it; or if the tuner
 * is closed. ECAPTURE if the launch is not possible while the stream is being captured. If a buffer
 * is less aligned than the plan assumes, launches the fallback, which is the default with its
 * narrowest vectors; EINVAL if no fallback was verified. A captured graph may outlive the plan. */
GPUTUNE_API int gputune_launch(gputune_plan *plan, void *stream, GPUTUNE_ARGS_IN args);

/* Adds a reference, unless the plan lives as long as the tuner. Returns `plan`. NULL is allowed. */
GPUTUNE_API gputune_plan *gputune_plan_retain(gputune_plan *plan);
/* Drops a reference. The last release waits for launches of the plan. NULL is allowed. */
GPUTUNE_API void gputune_plan_release(gputune_plan *plan);

/* ---- Options --------------------------------------------------------------------------------- */
typedef enum gputune_log_level {
    GPUTUNE_LOG_ERROR,
    GPUTUNE_LOG_WARNING,
    GPUTUNE_LOG_INFO,
    GPUTUNE_LOG_DEBUG
} gputune_log_level;

/* Receives one line of text without a newline. The tuning waits for log and progress callbacks. If
 * one of them calls tune_kernel(), the call does not measure, but returns the best known plan. */
typedef void (*gputune_log_fn)(void *user, gputune_log_level level, const char *line);

struct gputune_open_options {
    uint32_t size;
    const char *device;    /* index, UUID or "none"; NULL: the current context's device, or "0" */
    const char *driver;    /* "cuda", "emu", "emu:PROFILE" or a library's path; NULL: "cuda" */
    const char *database;  /* a path, or ":memory:" to store nothing; NULL: the user's database */
    const char *templates; /* folder to search for kernels by name; NULL: the installed folder */
    const char *worker;    /* the gputune-worker program; NULL: the library searches for it */
    const char *record;    /* file that counts requests without a result; see gputune_misses() */
    const char *const *include_paths; /* header folders to search first; EINVAL if one is missing */
    size_t include_path_count;
    gputune_log_fn log;
    void *user;               /* passed to log */
    uint32_t compile_workers; /* workers; 0: one per core, shared by the process's tuners */
    uint32_t max_plans;       /* maximum number of plans kept for later calls; 0: 16384 */
    bool emulate_without_gpu; /* use the emulator if there is no GPU and `driver` is NULL */
    bool keep_workers; /* keep idle workers and up to 128 MB of code; speeds up the next tuning */
    bool tune_only;    /* only a worker opens the driver, so launches return EUNSUPPORTED */
    bool read_only;    /* write nothing; EDATABASE if `database` is set but cannot be read */
    /* A wisdom file to use as the only source of results; GPUTUNE_PINNED overrides it. The tuner
     * never tunes: tune_kernel() returns the file's result for exactly these sizes and options on
     * this kind of GPU, or fails with ENOTCACHED. If a result was measured with another driver
     * version, a worker verifies it before its first launch. Calls with `force` and calls that
     * measure or import return EUNSUPPORTED. gputune_open() fails like gputune_wisdom_load(). */
    const char *pinned;
};
#define GPUTUNE_OPEN_OPTIONS_INIT GPUTUNE_INIT(gputune_open_options)

typedef enum gputune_effort {
    GPUTUNE_CACHED_ONLY = 1, /* stored result, else one verified at other sizes, else default */
    GPUTUNE_ESTIMATE,        /* ranks variants by a static model; measures nothing */
    GPUTUNE_MEASURE,         /* races variants until one is known to be the fastest; same as 0 */
    GPUTUNE_EXHAUSTIVE       /* like MEASURE, but eliminates no variant early */
} gputune_effort;

/* The quantity that a tuning minimises, or maximises for RATE. Device time decides between variants
 * that LAUNCH or LATENCY cannot tell apart. */
typedef enum gputune_objective {
    GPUTUNE_OBJECTIVE_DEFAULT, /* RATE if work() uses axes, LAUNCH with a pass axis, else KERNEL */
    GPUTUNE_OBJECTIVE_KERNEL,  /* device time, measured by replaying a graph */
    GPUTUNE_OBJECTIVE_LAUNCH,  /* host time per launch in an unbroken series of launches */
    GPUTUNE_OBJECTIVE_LATENCY, /* host time of a launch followed by a synchronisation */
    GPUTUNE_OBJECTIVE_ENERGY,  /* energy per launch in nanojoules, measured by NVML */
    GPUTUNE_OBJECTIVE_RATE     /* work per device time; values: the time for the default's work */
} gputune_objective;
enum { GPUTUNE_OBJECTIVE_COUNT = GPUTUNE_OBJECTIVE_RATE + 1 };

typedef enum gputune_cache {
    GPUTUNE_CACHE_COLD, /* the L2 cache is flushed before every sample */
    GPUTUNE_CACHE_HOT   /* data may stay in the L2 cache between launches */
} gputune_cache;

/* How a search of a large space chooses which variants to try, and in which order. */
typedef enum gputune_strategy {
    GPUTUNE_STRATEGY_AUTO,       /* all variants if time permits, otherwise like MODEL */
    GPUTUNE_STRATEGY_EXHAUSTIVE, /* all variants, in the order of the axes */
    GPUTUNE_STRATEGY_RANDOM,     /* random variants, each equally likely */
    GPUTUNE_STRATEGY_MODEL,      /* variants that a model of measured times predicts to be fast */
    GPUTUNE_STRATEGY_LOCAL       /* local search: moves to faster neighbours, with restarts */
} gputune_strategy;
enum { GPUTUNE_STRATEGY_COUNT = GPUTUNE_STRATEGY_LOCAL + 1 };

/* How to get a plan if the tuner has none for the sizes of a call. */
typedef enum gputune_unseen {
    GPUTUNE_UNSEEN_BY_EFFORT, /* decided by `effort` */
    GPUTUNE_RULE              /* use a stored rule; see section Rules */
} gputune_unseen;

typedef struct gputune_alignment {
    const char *buffer; /* the argument's name */
    uint32_t bytes;     /* guaranteed */
} gputune_alignment;

/* Data for an input buffer, which the tuning uses instead of generated data. */
typedef struct gputune_input {
    const char *buffer; /* the argument's name */
    const void *data;   /* a device address, or host memory if `on_host` */
    uint64_t bytes;
    bool on_host;
} gputune_input;

/* A file that numpy.save() wrote. The array is in C order and has the argument's type and shape. */
typedef struct gputune_file {
    const char *buffer, *path; /* `buffer`: the name of an argument or of a block of parameters */
} gputune_file;

/* An argument in host memory. An inout buffer has the contents that it had before the launch. */
typedef struct gputune_host_argument {
    const char *name, *type; /* type of an element, as templates write it: "float" */
    void *data;              /* a scalar's value, or a buffer's elements */
    uint64_t bytes;
    uint32_t element_bytes; /* size of an element of a buffer or block; 0: a scalar */
    bool is_output;
} gputune_host_argument;

/* Computes the correct results at `sizes` and writes them to the outputs in `arguments`, which have
 * the order of gputune_args. Called on the tuning thread, once for each size at which variants are
 * verified. If it returns a value other than 0, the tuning fails with EINVAL. */
typedef int (*gputune_reference_fn)(void *user, gputune_sizes sizes,
                                    const gputune_host_argument *arguments, size_t count);

/* The state of a tuning, which is reported several times a second. The members from `variants` to
 * `racing` count variants. `failed` counts variants that crashed, hung, returned wrong results or
 * did not compile. `verified` counts all other finished variants. */
typedef struct gputune_progress {
    uint32_t variants, compiled, verified, failed, racing, round;
    double best_ns, default_ns; /* median values of `objective`; 0: unknown */
    const char *best;           /* configuration of the best variant, or NULL */
    double elapsed_s, limit_s;
    const char *phase;           /* "compile", "verify", "race", "store" */
    gputune_objective objective; /* objective being measured; ENERGY tunings measure KERNEL first */
} gputune_progress;
typedef void (*gputune_progress_fn)(void *user, const gputune_progress *progress);

struct gputune_options {
    uint32_t size;
    gputune_effort effort;
    gputune_objective objective;
    gputune_cache cache;
    gputune_strategy strategy;
    double time_limit_s;   /* time limit of the call; 0: 10 s (ENERGY: 30 s, background: 60 s) */
    double epsilon;        /* the smallest gain worth finding, as a fraction; 0: 0.005 */
    uint64_t seed;         /* seed of generated inputs and of all random choices */
    uint32_t max_variants; /* 0: all */
    uint32_t alignment;    /* guaranteed alignment of all buffers, in bytes; 0 means 16 */
    const gputune_alignment *alignments; /* buffers with another guaranteed alignment */
    size_t alignment_count;
    /* Restrictions of the space, each of the form "AXIS=v,v". The default is always raced, even if
     * it is excluded, and may win. If no configuration is allowed, tuning fails with ENOVARIANT. */
    const char *const *only;
    size_t only_count;
    bool force;                  /* tune again, even if a result is stored */
    const gputune_input *inputs; /* data of input buffers; other inputs are generated */
    size_t input_count;
    const char *const *input_types; /* element type of each input ("float"), checked if not NULL */
    void *inputs_ready; /* a CUevent after which the inputs are valid; NULL: they are valid now */
    /* A name for the inputs; results are stored per name. NULL: files and host buffers are
     * distinguished by their contents, but all inputs in device memory are treated as the same. */
    const char *inputs_tag;
    const gputune_file *files;
    size_t file_count;
    gputune_reference_fn reference; /* NULL: the template's */
    /* A name for what `reference` computes. Results verified under this name are not verified
     * again. NULL: only those that this process verified with this function and `user` are not. */
    const char *reference_tag;
    gputune_log_fn log; /* receives this call's log lines; the tuner's log receives them too */
    gputune_progress_fn progress;
    void *user; /* passed to log, progress and reference */
    /* A flag that stops the call when it becomes nonzero. Finished results are kept. A signal
     * handler may set the flag, and so may another thread, with an atomic store. */
    const volatile sig_atomic_t *cancel;
    const char *samples_path; /* append every raw sample to this CSV file; it must not be a FIFO */
    bool background;          /* see section Tuning in the background */
    double share;             /* fraction of a busy GPU's time for background tuning; 0: 0.025 */
    gputune_unseen unseen;    /* GPUTUNE_RULE: use a rule; see section Rules */
    /* Configurations to try right after those of the template's start(). Omitted axes have their
     * default. Those that `only` excludes are skipped. This list does not select stored results. */
    const char *const *start;
    size_t start_count;
    /* Maximum device memory for the inputs of a tuning, their copies, the results and scratch
     * buffers; 0: no limit. The CUDA context and the code take about 0.6 GB more. If the limit is
     * too small, the call measures nothing, and its warning or error says how much is needed. */
    uint64_t memory_limit_bytes;
};
#define GPUTUNE_OPTIONS_INIT GPUTUNE_INIT(gputune_options)

/* ---- Plans ----------------------------------------------------------------------------------- */
typedef enum gputune_source {
    GPUTUNE_SOURCE_DEFAULT,   /* the template's default, not measured */
    GPUTUNE_SOURCE_NEAREST,   /* measured at the nearest size, verified at the call's sizes */
    GPUTUNE_SOURCE_CACHED,    /* measured earlier on this kind of GPU, for the same scenario */
    GPUTUNE_SOURCE_MEASURED,  /* measured by this call */
    GPUTUNE_SOURCE_ESTIMATED, /* ranked without measuring */
    GPUTUNE_SOURCE_FORCED,    /* requested by GPUTUNE_FORCE, and verified */
    GPUTUNE_SOURCE_RULE       /* chosen by a rule whose variants were verified in its region */
} gputune_source;

typedef struct gputune_info {
    uint32_t size;
    const char *kernel;                                /* strings live as long as the plan */
    const char *sizes;                                 /* "n=1048576 T=half" */
    const char *configuration, *default_configuration; /* "VEC=4 BLOCK=256 UNROLL=2" */
    gputune_source source;
    gputune_objective objective;
    double time_ns, default_ns; /* medians of `objective` (nanojoules for ENERGY); 0: unknown */
    double speedup, speedup_low, speedup_high; /* 0: unknown */
    bool tie;      /* true if another configuration is within epsilon of the winner. Ties go to the
                      default, then to the configuration that uses fewer resources */
    bool noisy;    /* true if other programs used the GPU, or its clocks were throttled */
    bool modelled; /* true if the emulator computed the times by a model */
    bool outside_only;  /* true if the default won although `only` excludes it */
    uint32_t arguments; /* number of arguments of a launch */
    uint32_t grid[3], block[3], cluster[3]; /* for the first kernel, in x, y and z */
    const char *grids, *blocks; /* grids and blocks of all kernels: "128x8", "64 (3 times) + 1" */
    uint32_t shared_bytes;      /* dynamic shared memory per block */
    int carveout_kb;            /* shared memory per SM; -1: the driver's choice */
    uint32_t registers, spill_bytes; /* per thread */
    uint32_t variants, failed;       /* variants that this call tried; how many of them failed */
    const char *stop_reason;         /* why the race ended, or why there was no race; may be "" */
} gputune_info;
#define GPUTUNE_INFO_INIT GPUTUNE_INIT(gputune_info)
/* Describes a plan in *out. */
GPUTUNE_API int gputune_plan_info(gputune_info *out, const gputune_plan *plan);

/* ---- Your own templates ---------------------------------------------------------------------- */
/* Reads a template file or, with PATH:KERNEL, one kernel of it. Afterwards, the names of its
 * kernels mean the kernels of this file. On ETEMPLATE, the message contains file:line:column. */
GPUTUNE_API int gputune_add_template(gputune *tuner, const char *path);
typedef struct gputune_include {
    const char *name, *text; /* `name` is the text between the quotes */
} gputune_include;
/* Adds a template from memory, such as the output of `gputune embed`. Afterwards tune_kernel()
 * finds it by `name` ("axpy.cu") and by the names of its kernels; messages show `name` as its path.
 * `includes` (may be NULL) lists the files that the template includes in quotes, and ends with a
 * NULL name. Files that are not in the list are searched in the template folder. The texts are
 * copied. On ETEMPLATE, the message has name:line:column. */
GPUTUNE_API int gputune_add_source(gputune *tuner, const char *name, const char *text,
                                   const gputune_include *includes);

/* ---- Tuning in the background ---------------------------------------------------------------- */
/*     options.background = true;
 *     tune_kernel(&plan, tuner, "axpy", sizes, &options);   the default now, the winner later
 *
 * If no result is stored, tune_kernel() returns immediately with a plan whose source is DEFAULT, or
 * NEAREST if the nearest result was verified at these sizes before. If the default is known to
 * fail, calls fail until a winner is found. A thread of the tuner tunes one request after another,
 * with low-priority workers. While the GPU is in use, the tuning takes only `share` of the GPU's
 * time. Later calls return the winner, so a program that keeps a plan for long should call
 * tune_kernel() again. gputune_close() stops a tuning; the next process continues it. EINVAL for
 * `inputs`, `files` and `reference`, because these may not live as long as the tuning. */

typedef struct gputune_background_state {
    uint32_t size;
    uint32_t waiting, running, tuned, failed;
} gputune_background_state;
#define GPUTUNE_BACKGROUND_STATE_INIT GPUTUNE_INIT(gputune_background_state)
GPUTUNE_API int gputune_background(gputune_background_state *out, gputune *tuner);
/* Waits until every tuning in the background has ended. ETIMEOUT after `seconds`, ECANCELED if the
 * tuner is closed, EBUSY from a callback of such a tuning. */
GPUTUNE_API int gputune_wait(gputune *tuner, double seconds);

/* ---- Rules ----------------------------------------------------------------------------------- */
/*     options.unseen = GPUTUNE_RULE;
 *     tune_kernel(&plan, tuner, "gemm", GPUTUNE_SIZES({"m", m}, {"n", n}, {"k", k}), &options);
 *
 * A rule chooses a variant for any sizes in a region; `gputune warm --sizes` makes rules. The first
 * call for a kernel looks up the rule and its code. Later calls at new sizes need no database,
 * compiler, worker or driver. If sizes change only grids, buffers and arguments, such a call takes
 * less than a microsecond. It takes as long as a database lookup if a kernel has loops, tensor
 * maps, textures, pass() blocks, structs with sizes, an L2 window or cooperative launches, or if a
 * block, a cluster or shared memory depends on a size. At most half of the `max_plans` plans that a
 * tuner keeps come from rules; beyond that limit, each call makes its plan again.
 *
 * A call uses no rule if the sizes are outside the region; if there is no rule for the kernel, its
 * template, options and GPU; if the call has `only`, inputs or `force`; or if GPUTUNE_DISABLE or
 * GPUTUNE_FORCE is set. It then logs the reason (INFO) and proceeds according to its effort. With
 * CACHED_ONLY or ESTIMATE, calls without GPUTUNE_RULE use a rule too: they use the winner for
 * exactly these sizes if there is one, otherwise the rule, and otherwise the result of the nearest
 * size. Calls with `background` do the same until the winner replaces the rule's plan. An imported
 * rule that was not verified on this kind of GPU is verified at each size. A tuner with `pinned`
 * uses the verified rules of its file, but only for calls with GPUTUNE_RULE. */

/* ---- Groups of processes --------------------------------------------------------------------- */
/* Processes that must launch the same variant, such as MPI ranks. */
typedef struct gputune_group {
    uint32_t size;
    int rank; /* rank of this process; rank 0 measures */
    /* Copies `data` of rank 0 to every process, as MPI_Bcast() does; returns 0 on success. */
    int (*broadcast)(void *user, void *data, size_t bytes);
    void *user; /* passed to broadcast */
} gputune_group;
#define GPUTUNE_GROUP_INIT GPUTUNE_INIT(gputune_group)
/* Does what tune_kernel() does, but for all processes of a group. This is a collective call: every
 * process must call it in the same order, with the same kernel, sizes and options. Rank 0 tunes
 * while the other ranks wait in the broadcast. Every rank gets a plan with rank 0's configuration
 * and times. A worker first verifies the configuration, unless it was verified on this kind of GPU.
 * If rank 0 fails, all ranks fail with its status. If another rank fails (its GPU or template
 * differs), only that rank gets an error. */
GPUTUNE_API int gputune_tune_together(gputune_plan **out, gputune *tuner, const char *kernel,
                                      GPUTUNE_SIZES_IN sizes, const gputune_options *options,
                                      const gputune_group *group);

/* ---- Wisdom ---------------------------------------------------------------------------------- */
/* Wisdom is text with the winners of one machine, which other machines with the same kind of GPU
 * can import; `gputune wisdom` and gputune_wisdom_export() write it. Each entry has a hash that
 * covers its template, source, GPU and driver, so an entry that was edited is skipped with a
 * warning. The hash does not prove who wrote the entry. */

typedef enum gputune_trust {
    GPUTUNE_TRUST_NOTHING, /* verify each result in a worker before its first launch */
    GPUTUNE_TRUST_BOUND    /* use a result as it is if source, GPU and driver version match */
} gputune_trust;

typedef struct gputune_wisdom_options {
    uint32_t size;
    gputune_trust trust;
    bool keep; /* store the results in the database; false: for this tuner only */
} gputune_wisdom_options;
#define GPUTUNE_WISDOM_OPTIONS_INIT GPUTUNE_INIT(gputune_wisdom_options)

/* Imports wisdom from text, and sets *count (may be NULL) to the number of results. Results that
 * the tuner already has are kept. A result that is not trusted is verified at its first request,
 * with any effort, and is never launched if it is wrong. ERECORDED if the text is not wisdom or was
 * written by a newer version. */
GPUTUNE_API int gputune_wisdom_import(uint32_t *count, gputune *tuner, const char *text,
                                      const gputune_wisdom_options *options);
/* Imports wisdom from a file. ENOTFOUND or EIO if it cannot be read. */
GPUTUNE_API int gputune_wisdom_load(uint32_t *count, gputune *tuner, const char *path,
                                    const gputune_wisdom_options *options);

/* ---- Names ----------------------------------------------------------------------------------- */
/* Return an enumerator's name, such as "kernel"; "?" for other values. */
GPUTUNE_API const char *gputune_log_level_name(gputune_log_level level);
GPUTUNE_API const char *gputune_effort_name(gputune_effort effort);
GPUTUNE_API const char *gputune_objective_name(gputune_objective objective);
GPUTUNE_API const char *gputune_cache_name(gputune_cache cache);
GPUTUNE_API const char *gputune_strategy_name(gputune_strategy strategy);
GPUTUNE_API const char *gputune_source_name(gputune_source source);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif
