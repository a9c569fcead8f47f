/* gputune: a runtime autotuner for CUDA kernels.
 *
 * Plan once, launch many times: tune_kernel() finds, or measures and remembers, the fastest correct
 * variant of a kernel on the GPU at hand; gputune_launch() launches it. Untried code never runs in
 * the calling process. Most applications need only the first five sections below: opening, sizes
 * and arguments, tuning, launching, what a plan is.
 *
 * Conventions. A function returns 0 or a negative gputune_status; gputune_error() then holds one
 * line of text for the calling thread. Results are the first parameters, and are untouched on
 * failure. A NULL where a value is needed, and a number that its enumeration does not have, are
 * EINVAL. The library does not print (unless GPUTUNE_LOG says so), exit, install a signal handler,
 * synchronise the caller's streams, or change the current context.
 *
 * Units. Names end with them: _ns are nanoseconds, _s seconds, _bytes bytes, _khz, _kb. Speed-ups
 * are ratios, the default's time over the winner's; low and high are the ends of a 95% interval.
 *
 * Structs that may grow begin with `size`: initialise those that you pass with their _INIT macro.
 * Later releases append members, so a program that was built with an older or a newer header works
 * with this library. Both read and write the members that both know, and a member that the caller's
 * struct lacks has its default. In a struct that the library fills in, `size` is the number of
 * bytes that are filled in.
 *
 * Threads. Every function may be called from any thread at any time, with the same tuner or plan
 * too. A callback runs on the thread of the call that it belongs to, before that call returns;
 * callbacks of tunings in the background run on the tuner's thread. A callback may call everything
 * but gputune_close() of its tuner. What a callback is given lives until it returns. Where a
 * function calls `each` several times, an `each` that does not return 0 ends the function, which
 * then returns the same value. A callback returns: no exception, longjmp() or pthread_exit() leaves
 * it. pthread_cancel() ends a thread when its call has returned.
 *
 * fork(). A tuner belongs to the process that opened it. In a forked child tune_kernel() returns
 * only plans that the tuner holds already, every other call with the tuner is EUNSUPPORTED, and
 * closing it does nothing. CUDA does not work there, so that the parent's plans cannot be launched.
 *
 * Devices. Numbers count the GPUs that CUDA_VISIBLE_DEVICES shows, as everywhere in CUDA; workers
 * see the tuner's GPU alone. A MIG instance is a GPU of its own. CUDA shows a process one instance;
 * its UUID begins with "MIG-". Results that were measured on it are used on instances of the same
 * profile only.
 *
 * Shared folders. The database belongs in a folder that only its user may write. What lies in a
 * folder that others may write, such as /tmp with its sticky bit, is data: its code is not
 * launched, its results are proved again, and a journal of another user's is not played back. To
 * share results, let one user write the database, in a folder that others may only read, and let
 * the others import them (gputune_wisdom_export(), gputune_wisdom_import()).
 *
 * Tables that come with an installation lie beneath every database and are only read. What they
 * have is decided: it answers also where its search ended by its limit; `force` searches anew.
 *
 * Environment variables are read when a tuner is opened. The application's options overrule the
 * first group. The second group overrules the application. A set-uid or set-gid program heeds none
 * of them, nor HOME, XDG_CACHE_HOME, CUDA_HOME and PATH: results are then kept in memory only,
 * unless the options name a database.
 *
 *   GPUTUNE_DB         the database; else gputune/gputune.db under XDG_CACHE_HOME or ~/.cache
 *   GPUTUNE_DRIVER     "cuda", "emu", "emu:PROFILE" or a library's path
 *   GPUTUNE_TEMPLATES  the folder of kernels by name
 *   GPUTUNE_INCLUDE    folders of headers that kernels may include, separated by colons
 *   GPUTUNE_WORKER     the worker program
 *   GPUTUNE_NVRTC      NVRTC's library, or a folder where it is
 *   GPUTUNE_LIBCLANG   libclang's library, for gputune_draft_template()
 *   GPUTUNE_COMPILE_MEMORY  how many megabytes a compile worker may take
 *   GPUTUNE_EMULATOR   the emulator's library, or its folder
 *
 *   GPUTUNE_DISABLE    any value but 0: nothing is looked up or measured, each plan is the
 *                      template's default
 *   GPUTUNE_FORCE      "axpy:VEC=4 BLOCK=256; gemm:TILE=64": the configuration of a kernel's plans;
 *                      axes that are left out have their default. A configuration that was not
 *                      proved before is proved in a worker. If it fails, a warning says so, and the
 *                      variable is ignored
 *   GPUTUNE_EFFORT     "cached", "estimate", "measure" or "exhaustive": the effort of every call
 *   GPUTUNE_DEBUG      any value but 0: gputune_launch() also asks the driver about the current
 *                      context and each buffer, and is EINVAL, with the argument's name, where a
 *                      buffer was freed, lies in host memory, is too short for the plan or belongs
 *                      to another context, or where the context is of another device. The driver
 *                      alone says "illegal address" at a later call. Costs some microseconds
 *   GPUTUNE_RECORD     a file for misses: each scenario that was asked for and not stored, with a
 *                      count. Many processes may write to it; gputune_misses() reads it
 *   GPUTUNE_LOG        "LEVEL" or "LEVEL:FILE", with a level of error, warning, info or debug: what
 *                      the log callback gets is written to standard error, or to the file's end
 */
#ifndef GPUTUNE_H
#define GPUTUNE_H

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

/* Every failure a caller can expect: name, value, what it means. */
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

/* The calling thread's last failure in one line; "" if there was none. Valid until the thread's
 * next failure. */
GPUTUNE_API const char *gputune_error(void);
/* What a status means, as in GPUTUNE_STATUS_LIST; never NULL. */
GPUTUNE_API const char *gputune_status_text(int status);
/* The library's version, "major.minor.patch". */
GPUTUNE_API const char *gputune_version(void);
/* Frees memory that a function here gave to the caller. NULL is allowed. */
GPUTUNE_API void gputune_free(void *memory);

/* ---- Opening and closing --------------------------------------------------------------------- */

typedef struct gputune gputune; /* a tuner */

typedef enum gputune_log_level {
    GPUTUNE_LOG_ERROR,
    GPUTUNE_LOG_WARNING,
    GPUTUNE_LOG_INFO,
    GPUTUNE_LOG_DEBUG
} gputune_log_level;

/* Called with one line of text, no newline. The tuning waits for this callback and the progress
 * callback: they must not take long. tune_kernel() does not measure when it is called from them,
 * because one tuning at a time uses the GPU: it returns the best plan that is known. */
typedef void (*gputune_log_fn)(void *user, gputune_log_level level, const char *line);

typedef struct gputune_open_options {
    uint32_t size;
    const char *device;    /* "0", "1", a UUID ("GPU-...", "MIG-..."), or "none"; NULL: the current
                              context's, else 0 */
    const char *driver;    /* "cuda", "emu" (the emulator), "emu:PROFILE" or a library's path; NULL:
                              GPUTUNE_DRIVER, else "cuda" */
    const char *database;  /* NULL: GPUTUNE_DB; ":memory:" keeps nothing */
    const char *templates; /* folder of kernels by name; NULL: GPUTUNE_TEMPLATES, else beside the
                              library, else the installed one */
    const char *worker;    /* the gputune-worker executable; NULL: searched for */
    uint32_t compile_workers; /* 0: as many as cores, which the tuners of a process share */
    bool emulate_without_gpu; /* take the emulator where there is no GPU and `driver` is NULL */
    bool keep_workers; /* between tunings, and up to 128 MB of the code that they compiled: many
                          tunings in a row are quicker, but the workers hold memory meanwhile, of
                          the device too */
    bool tune_only;    /* for tools that launch nothing: the driver starts in a worker, which says
                          what the device is (NULL: 0), and not in this process. That saves 0.1 s;
                          launches and inputs on the device are EUNSUPPORTED */
    bool read_only;    /* for tools: nothing is written. With a `database`, that file alone is read,
                          and gputune_open() fails with EDATABASE where it cannot be read. NULL: the
                          user's database and the system's, which may be missing */
    gputune_log_fn log;
    void *user;
    /* Folders of headers that templates may include, searched in this order,
     * before those of GPUTUNE_INCLUDE and the toolkit's. EINVAL when one does not exist. */
    const char *const *include_paths;
    size_t include_path_count;
    const char *record; /* a file for misses, like GPUTUNE_RECORD, which overrules
                           it; NULL: none */
    uint32_t max_plans; /* how many plans the tuner keeps, so that later calls for them cost no
                           lookup; 0: 16384. A kept plan takes some kilobytes until the tuner is
                           closed. Later plans belong to their callers, and are taken from the
                           database again, without a tuning, when they are asked for again */
    bool
        records_only; /* for tools that only list, export and edit what is stored.
                         The device (NULL: 0) is the one that the database remembers from an earlier
                         tuning by a tool under the same circumstances, without starting the driver;
                         its `uuid` is "" then, its `ordinal` -1. Where it remembers none, the
                         driver is started. Calls that tune or make plans are EUNSUPPORTED */
} gputune_open_options;
#define GPUTUNE_OPEN_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(gputune_open_options), NULL, NULL, NULL, NULL, NULL, 0, false, false, false, false, \
            NULL, NULL, NULL, 0, NULL, 0, false                                                    \
    }

/* Opens a tuner; a NULL `options` stands for the _INIT ones. Fails with ENODRIVER where there is no
 * driver or GPU, with EWORKER where `worker` is no program, and with ENOTFOUND where `templates` is
 * no folder. A database that cannot be used is no failure, but a warning through the log callback.
 * Where no folder of templates is named and none is found, kernels are ENOTFOUND, and what is
 * stored can be listed. *out is the caller's, for gputune_close(). */
GPUTUNE_API int gputune_open(gputune **out, const gputune_open_options *options);
/* Ends the workers, the tuner and its plans, whose code is unloaded; call it after the last launch.
 * Calls in progress in other threads are canceled, and waited for; launches are not. A call that
 * begins later, and a launch of one of the plans, is EINVAL, as long as the library remembers the
 * closed tuner; do not rely on that. Plans may be released later too, but before 64 more tuners are
 * closed. Results that another process's lock kept out of the
 * database are written now; if it stays locked for a second more, they are lost, after a warning.
 * From a callback of the tuner, and in a forked child, gputune_close() does nothing. NULL is
 * allowed. */
GPUTUNE_API void gputune_close(gputune *tuner);

/* Makes the tuner see what other processes have stored since: every kernel is looked up in the
 * database once more when it is next asked for. Plans in use stay as they are. */
GPUTUNE_API void gputune_refresh(gputune *tuner);

/* Tells whether results are kept in the database that was asked for. EDATABASE if it cannot be
 * read or written, is damaged, or is another program's: it stays as it is, and results are kept in
 * memory only. ":memory:" is OK. No tuning fails for these reasons. */
GPUTUNE_API int gputune_check_database(gputune *tuner);

/* ---- Problem sizes and arguments ----------------------------------------------------------- */

/* One problem value by its name in the template. A value that is a word, such as a type, is a part
 * of `name`: {"T=half", 0}. */
typedef struct gputune_size {
    const char *name;
    int64_t value;
} gputune_size;

typedef struct gputune_sizes {
    size_t count;
    const gputune_size *items;
} gputune_sizes;

/* Pointers to the kernel's arguments. First come the blocks of parameters, pass() and constant(),
 * in the order of the pragmas: each is a pointer to the block's bytes in host memory, which are
 * copied before the launch returns. Then come the template's args() in their order: each is a
 * pointer to the argument's value, for a buffer to its device address. A struct that points to
 * buffers holds their device addresses, as for cuLaunchKernel(); its buffers are no arguments. */
typedef struct gputune_args {
    size_t count;
    const void *const *items;
} gputune_args;

/* GPUTUNE_SIZES({"n", n}, {"T=half", 0}) and GPUTUNE_ARGS(&y, &x, &a, &n): arrays that carry
 * their count. In C they live until the end of the enclosing block. In C++ they are objects that
 * hold the array: a variable of type auto keeps one, and functions take one as GPUTUNE_SIZES_IN or
 * GPUTUNE_ARGS_IN. gputune_sizes and gputune_args only point to an array, so they cannot be
 * initialised with one. Sizes are whole numbers: a floating-point value does not compile in C++. */
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
template <size_t N> struct gputune_cxx_sizes {
    gputune_size items[N];
};
template <size_t N> gputune_cxx_sizes<N> gputune_cxx_make_sizes(const gputune_cxx_size (&list)[N])
{
    gputune_cxx_sizes<N> made;
    for (size_t i = 0; i < N; i++) {
        made.items[i] = list[i];
    }
    return made;
}
template <size_t N> struct gputune_cxx_args {
    const void *items[N ? N : 1];
};
template <typename... T> gputune_cxx_args<sizeof...(T)> gputune_cxx_make_args(T... items)
{
    return {{static_cast<const void *>(items)...}};
}
/* What functions take. Passed like gputune_sizes and gputune_args in C. */
struct gputune_cxx_sizes_in : gputune_sizes {
    gputune_cxx_sizes_in(size_t number = 0, const gputune_size *list = nullptr)
        : gputune_sizes{number, list}
    {
    }
    gputune_cxx_sizes_in(const gputune_sizes &given) : gputune_sizes(given)
    {
    }
    template <size_t N>
    gputune_cxx_sizes_in(const gputune_cxx_sizes<N> &given) : gputune_sizes{N, given.items}
    {
    }
};
struct gputune_cxx_args_in : gputune_args {
    gputune_cxx_args_in(size_t number = 0, const void *const *list = nullptr)
        : gputune_args{number, list}
    {
    }
    gputune_cxx_args_in(const gputune_args &given) : gputune_args(given)
    {
    }
    template <size_t N>
    gputune_cxx_args_in(const gputune_cxx_args<N> &given) : gputune_args{N, given.items}
    {
    }
};
#define GPUTUNE_SIZES(...) (gputune_cxx_make_sizes({__VA_ARGS__}))
#define GPUTUNE_ARGS(...)  (gputune_cxx_make_args(__VA_ARGS__))
#define GPUTUNE_NO_SIZES   (gputune_sizes{0, nullptr})
#define GPUTUNE_SIZES_IN   gputune_cxx_sizes_in
#define GPUTUNE_ARGS_IN    gputune_cxx_args_in
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

/* ---- Tuning ---------------------------------------------------------------------------------- */

typedef struct gputune_plan gputune_plan; /* what is launched; never changes; counts references */

typedef enum gputune_effort {
    GPUTUNE_CACHED_ONLY = 1, /* what is stored, the nearest size, or the default; never measures.
                                What was not proved at these sizes is proved first, in a worker */
    GPUTUNE_ESTIMATE,        /* ranks by a static model, measures nothing */
    GPUTUNE_MEASURE,         /* races the variants until the rest cannot win */
    GPUTUNE_EXHAUSTIVE       /* no early elimination by time; tighter intervals */
} gputune_effort;

/* What a tuning minimises, or, for RATE, maximises. Where LAUNCH or LATENCY cannot tell variants
 * apart, device time counts as well. */
typedef enum gputune_objective {
    GPUTUNE_OBJECTIVE_DEFAULT = 0, /* `rate` for a template whose work() uses axes, `launch` for one
                                      with a pass axis, else `kernel` */
    GPUTUNE_OBJECTIVE_KERNEL,      /* device time by graph replay */
    GPUTUNE_OBJECTIVE_LAUNCH,      /* host clock over launches back to back, with the copies of
                                      parameters */
    GPUTUNE_OBJECTIVE_LATENCY,     /* host clock over one launch and a synchronise */
    GPUTUNE_OBJECTIVE_ENERGY,      /* NVML's energy counter, per launch (values in nanojoules) */
    GPUTUNE_OBJECTIVE_RATE         /* work done in a second of device time, for templates whose
                                      work() uses axes; they allow no other objective. Values are
                                      nanoseconds for as much work as a launch of the template's
                                      default does; the configuration says how much a launch does */
} gputune_objective;
enum { GPUTUNE_OBJECTIVE_COUNT = GPUTUNE_OBJECTIVE_RATE + 1 };

typedef enum gputune_cache {
    GPUTUNE_CACHE_COLD = 0, /* the L2 is swept before every sample */
    GPUTUNE_CACHE_HOT       /* the data may stay in L2 between launches */
} gputune_cache;

typedef enum gputune_isolation {
    GPUTUNE_ISOLATION_PROCESS = 0, /* untried variants run in worker processes only */
    GPUTUNE_ISOLATION_THREAD       /* the caller accepts that a bad variant can end this process */
} gputune_isolation;

/* Which variants of a large space are tried, and which of them first. */
typedef enum gputune_strategy {
    GPUTUNE_STRATEGY_AUTO = 0,   /* all where the time suffices, else MODEL; MODEL and LOCAL in
                                    turn where the model foresees badly. The first search of a
                                    kernel whose variants compile for seconds looks at more of them
                                    compiled with less optimisation first; MODEL does so too */
    GPUTUNE_STRATEGY_EXHAUSTIVE, /* all, in the order of the axes */
    GPUTUNE_STRATEGY_RANDOM,     /* each equally likely */
    GPUTUNE_STRATEGY_MODEL,      /* where a model of what was measured expects the most */
    GPUTUNE_STRATEGY_LOCAL       /* descents among neighbours, with restarts */
} gputune_strategy;
enum { GPUTUNE_STRATEGY_COUNT = GPUTUNE_STRATEGY_LOCAL + 1 };
GPUTUNE_API const char *gputune_strategy_name(gputune_strategy strategy);

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

/* The same from a file that numpy.save() wrote: row after row, of the argument's type and shape. */
typedef struct gputune_file {
    const char *buffer; /* the argument's name, or that of a block of parameters */
    const char *path;
} gputune_file;

/* One argument of a kernel on the host, for a gputune_reference_fn. */
typedef struct gputune_host_argument {
    const char *name;
    void *data; /* a scalar's value, or a buffer's elements. The function sets an output's elements;
                   those of an inout buffer are first what the kernel finds */
    uint64_t bytes; /* at `data` */
    bool is_output;
} gputune_host_argument;

/* Computes on the host what a launch must give, in place of the template's reference. `arguments`
 * are the kernel's, in the order of gputune_args; `sizes` are the problem's values. Called from the
 * tuning thread, once for each size that variants are proved at. Where it does not return 0, the
 * tuning fails with EINVAL. */
typedef int (*gputune_reference_fn)(void *user, gputune_sizes sizes,
                                    const gputune_host_argument *arguments, size_t count);

/* How far a tuning is, several times a second. The numbers count variants; `failed` are those that
 * did not compile, crashed, hung or were wrong, and `verified` all others that are done with: also
 * what is clearly slower, is launched as another one is, or is known. */
typedef struct gputune_progress {
    uint32_t variants, compiled, verified, failed, racing, round;
    double best_ns, default_ns; /* medians by `objective`; 0 while unknown */
    const char *best;           /* its configuration, or NULL */
    double elapsed_s, limit_s;
    const char *phase;           /* "compile", "verify", "race", "store" */
    gputune_objective objective; /* what is raced by now: for ENERGY first KERNEL, then ENERGY */
} gputune_progress;
typedef void (*gputune_progress_fn)(void *user, const gputune_progress *progress);

typedef struct gputune_options {
    uint32_t size;
    gputune_effort effort; /* 0: MEASURE */
    gputune_objective objective;
    gputune_cache cache;
    gputune_isolation isolation;
    double time_limit_s;   /* the call ends within 0.2 s of it. 0: 10 s; for ENERGY, whose samples
                              take a second each, 30 s; in the background 60 s */
    uint32_t max_variants; /* 0: all */
    uint32_t alignment;    /* bytes assumed of every buffer; 0: 16 */
    double epsilon;        /* smallest gain worth looking for, as a fraction; 0: 0.005 */
    uint64_t seed;         /* of generated inputs and of the shuffling; 0: a fixed one */
    bool force; /* measure again what is stored; other sizes still say what to try first */
    const gputune_alignment *alignments;
    size_t alignment_count;
    const gputune_input *inputs;
    size_t input_count;
    void *inputs_ready;      /* a CUevent after which the inputs are filled, or NULL: now */
    const char *inputs_tag;  /* names the inputs: results are kept for each name. NULL: files and
                                host buffers are told apart by their contents; all inputs on the
                                device count as one, "live" */
    const char *const *only; /* restrictions of the space: "AXIS=v,v" tries these values alone,
                                beside the default. gputune_info says where that is the answer
                                although they leave it out (outside_only), and the log does */
    size_t only_count;
    gputune_log_fn log; /* gets the lines of this call; the tuner's log gets them too */
    gputune_progress_fn progress;
    void *user; /* passed to log, progress and reference */
    /* Set it to non-zero, atomically from another thread, to stop. What is finished is kept. */
    volatile int *cancel;
    const char *samples_path; /* every raw sample is appended here as CSV; no FIFO; or NULL */
    gputune_strategy strategy;
    bool background; /* do not wait for a tuning: return the nearest or default plan, tune on a
                        thread of the tuner, and return the winner to later calls */
    double share;    /* of the GPU's time that a tuning in the background takes while the
                        application uses the GPU; 0: 0.025. Its time limit does not count pauses */
    const gputune_file *files; /* inputs from files */
    size_t file_count;
    gputune_reference_fn reference; /* the caller's own, or NULL: the template's */
    const char *reference_tag; /* names what `reference` computes: change it with that. Results that
                                  were proved with the same tag answer at once. NULL: results of
                                  another process, function or `user` are proved again, in a worker,
                                  before they answer */
    const char *save; /* of gputune_run(): a folder, to which the outputs of the first configuration
                         are written once it is proved, as NAME.npy of numpy.save(); the log tells
                         the expect() that reads them. NULL: none */
    const char *const *input_types; /* the types of the elements of `inputs`, in the same order, as
                                       templates write them ("float"): EINVAL if the template's type
                                       is a different one. An entry, or the list, may be NULL:
                                       unchecked */
} gputune_options;
#define GPUTUNE_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(gputune_options), GPUTUNE_MEASURE, GPUTUNE_OBJECTIVE_DEFAULT, GPUTUNE_CACHE_COLD,   \
            GPUTUNE_ISOLATION_PROCESS, 0, 0, 0, 0, 0, false, NULL, 0, NULL, 0, NULL, NULL, NULL,   \
            0, NULL, NULL, NULL, NULL, NULL, GPUTUNE_STRATEGY_AUTO, false, 0, NULL, 0, NULL, NULL, \
            NULL, NULL                                                                             \
    }

/* Returns a plan for `kernel` (a name, or a template's path) at `sizes`: from the tuner's table (no
 * lock, no allocation), from the database, or by measuring as `options` allow (NULL: MEASURE, at
 * most 10 s). When nothing better is known, or the time limit or a cancel comes first, the plan is
 * the template's default configuration. Of calls for the same plan at the same time, the first
 * makes it; the others wait for half their limit. Who asks this tuner again, after a limit ended a
 * tuning, goes on with it only if the new limit is longer. Fails only where there is nothing to
 * launch: a mistake in the call or the template, no compiler and no stored code, or a limit
 * (ETIMEOUT) or cancel (ECANCELED) that leaves no time to compile even the default. An edit of the
 * template's file, or of a file that it includes, is noticed within a second; plans that the caller
 * holds stay as they are. *out is the caller's, for gputune_plan_release(), until the tuner is
 * closed. */
GPUTUNE_API int tune_kernel(gputune_plan **out, gputune *tuner, const char *kernel,
                            GPUTUNE_SIZES_IN sizes, const gputune_options *options);

/* ---- Launching ------------------------------------------------------------------------------- */

/* Launches on `stream` (a CUstream or cudaStream_t; NULL: the legacy default stream) in the current
 * context, asynchronously and with the stream's priority. The first launch in a context of the
 * plan's device loads the code there, also after the context was reset. These are found before
 * anything is launched: EINVAL where the number of arguments, or a scalar that is named like a
 * problem size, differs from the plan's; ECAPTURE where the stream's capture makes the launch
 * impossible; EINVAL where a buffer that is written overlaps with another one, unless the
 * template's in_place() allows it. A buffer that is aligned to less than the plan assumes launches
 * the plan's fallback, and is EINVAL where no fallback was verified. The fallback is the default
 * with the narrowest vectors; that its code accesses no more than an element at once elsewhere is
 * the template's word. A graph that captures the launch holds what the launch uses, and may outlive
 * plan and tuner. EINVAL for a plan whose tuner is closed (gputune_close()). */
GPUTUNE_API int gputune_launch(gputune_plan *plan, void *stream, GPUTUNE_ARGS_IN args);

/* Takes one more reference, and returns the plan. The tuner holds most plans itself until it is
 * closed (`max_plans`); retaining and releasing these does nothing. NULL is allowed. */
GPUTUNE_API gputune_plan *gputune_plan_retain(gputune_plan *plan);
/* Drops one reference. The last one waits for launches that still use what the plan owns. NULL is
 * allowed. */
GPUTUNE_API void gputune_plan_release(gputune_plan *plan);

/* ---- What a plan is -------------------------------------------------------------------------- */

typedef enum gputune_source {
    GPUTUNE_SOURCE_DEFAULT,   /* the template's own configuration, not measured */
    GPUTUNE_SOURCE_NEAREST,   /* measured on this kind of GPU at the nearest size, and proved at
                                 this one */
    GPUTUNE_SOURCE_CACHED,    /* measured earlier on this kind of GPU, for the same scenario */
    GPUTUNE_SOURCE_MEASURED,  /* measured by this call */
    GPUTUNE_SOURCE_ESTIMATED, /* ranked without measuring */
    GPUTUNE_SOURCE_FORCED     /* named by GPUTUNE_FORCE, and found right */
} gputune_source;
GPUTUNE_API const char *gputune_source_name(gputune_source source);
GPUTUNE_API const char *gputune_objective_name(gputune_objective objective);

typedef struct gputune_info {
    uint32_t size;
    const char *kernel;        /* the strings live as long as the plan */
    const char *configuration; /* "VEC=4 BLOCK=256 UNROLL=2" */
    const char *default_configuration;
    gputune_source source;
    gputune_objective objective;
    double time_ns, default_ns; /* medians by the objective, of the configuration and of the
                                   default; of ENERGY nanojoules; 0: unknown */
    double speedup, speedup_low, speedup_high; /* 0: unknown */
    bool tie;      /* another configuration is within epsilon, and may be as fast. Of such, the
                      default is preferred, then the configuration that takes less of the GPU; but
                      where cold times are equal and the data fit in the L2, one whose hot time is
                      less by 5% or more */
    bool noisy;    /* while this was measured, other programs used the GPU, or its clocks were
                      throttled: another tuning may choose another winner */
    bool modelled; /* the times are the emulator's model, not a GPU's */
    uint32_t grid[3], block[3], cluster[3]; /* blocks, threads, blocks; in x, y, z */
    uint32_t shared_bytes;                  /* dynamic, of a block */
    int carveout_kb;                        /* of a multiprocessor; -1: the driver's choice */
    uint32_t registers, spill_bytes;        /* of a thread */
    uint32_t variants, failed;  /* of the tuning that this call did; 0 when it measured nothing */
    const char *stop_reason;    /* why the race ended, or why there was none, or "" */
    const char *sizes;          /* the problem values that it was made for: "n=1048576 T=half" */
    const char *grids, *blocks; /* of every kernel in order: "128x8", or "64 (3 times) + 1" of a
                                   pipeline */
    bool outside_only;  /* `only` leaves this configuration out: it is the template's default, which
                           races beside every space. No variant within is faster, or none is known */
    uint32_t arguments; /* that a launch takes */
} gputune_info;
#define GPUTUNE_INFO_INIT                                                                          \
    {                                                                                              \
        sizeof(gputune_info), NULL, NULL, NULL, GPUTUNE_SOURCE_DEFAULT, GPUTUNE_OBJECTIVE_DEFAULT, \
            0, 0, 0, 0, 0, false, false, false, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0, 0, 0, \
            NULL, NULL, NULL, NULL, false, 0                                                       \
    }
/* Fills *out, which was initialised with GPUTUNE_INFO_INIT. */
GPUTUNE_API int gputune_plan_info(gputune_info *out, const gputune_plan *plan);

/* ---- Templates of one's own ------------------------------------------------------------------ */

/* Reads a template file. The names of its kernels then mean these kernels, also where other kernels
 * had these names. PATH:KERNEL adds one kernel of the file alone. ETEMPLATE names
 * file:line:column. */
GPUTUNE_API int gputune_add_template(gputune *tuner, const char *path);
/* A file that a source includes: `name` as it stands between the quotes. */
typedef struct gputune_include {
    const char *name, *text;
} gputune_include;
/* Adds a template whose text is in memory; `gputune embed` makes such an array of a file. The name
 * of its kernel then means this template, and so does `name` ("axpy.cu"), which messages give in
 * place of a path. `includes` are the files that the text includes in quotes; it ends with an
 * element whose name is NULL, or is NULL. A file that is not among them is looked for in the
 * template folder. All texts are copied. Adding another text under the same name replaces the first
 * for later calls. ETEMPLATE names name:line:column. */
GPUTUNE_API int gputune_add_source(gputune *tuner, const char *name, const char *text,
                                   const gputune_include *includes);

/* ---- Tuning in the background ---------------------------------------------------------------- */

/* With `background` in its options, tune_kernel() answers a miss at once, with a plan whose source
 * is DEFAULT, or NEAREST where that was proved at these sizes before, and asks for a tuning, once
 * for each request. A thread of the tuner tunes one request after another, with workers of low
 * priority. While the application uses the GPU (it launches plans, or NVML says so), measuring
 * takes only the `share` of the time in the options. A tuning that a caller waits for goes first.
 * Afterwards tune_kernel() returns the winner: a program that holds a plan for long should ask
 * again. gputune_close() ends the tuning under way within a moment; what it found out is stored,
 * and the next process goes on from there. A miss with `inputs`, `files` or a `reference` in its
 * options is EINVAL, as these belong to one call. */

/* How many requests wait, are being tuned, have a winner, have none. */
typedef struct gputune_background_state {
    uint32_t size;
    uint32_t waiting, running, tuned, failed;
} gputune_background_state;
#define GPUTUNE_BACKGROUND_STATE_INIT                                                              \
    {                                                                                              \
        sizeof(gputune_background_state), 0, 0, 0, 0                                               \
    }
/* Fills *out. */
GPUTUNE_API int gputune_background(gputune_background_state *out, gputune *tuner);
/* Waits until every tuning in the background has ended, at most so many seconds: ETIMEOUT then.
 * ECANCELED where the tuner is closed meanwhile; EBUSY from a callback of such a tuning. */
GPUTUNE_API int gputune_wait(gputune *tuner, double seconds);

/* ---- Groups of processes --------------------------------------------------------------------- */

/* Processes that must all launch the same variant, such as the ranks of an MPI job. */
typedef struct gputune_group {
    uint32_t size;
    int rank; /* of this process; rank 0 measures */
    /* Gives every process the bytes that rank 0 has at `data`, as MPI_Bcast() does. Returns 0, or
     * another number where it failed. Called once by each call of gputune_tune_together(), on that
     * call's thread. */
    int (*broadcast)(void *user, void *data, size_t bytes);
    void *user; /* passed to broadcast */
} gputune_group;
#define GPUTUNE_GROUP_INIT                                                                         \
    {                                                                                              \
        sizeof(gputune_group), 0, NULL, NULL                                                       \
    }
/* tune_kernel() for all processes of a group at once. The call is collective: every process calls
 * it, in the same order, with the same kernel, sizes and options. Rank 0 does what tune_kernel()
 * does, while the others wait in the broadcast and leave the GPU alone. Then every rank has a plan
 * of rank 0's configuration, with rank 0's times. Another rank proves the configuration in a worker
 * first, unless it was proved on this kind of GPU; the ranks' databases may be one file or many.
 * Where rank 0 fails, all ranks fail with the same status. Another rank may fail alone, because its
 * GPU or its template differs; the other ranks do not learn of that. */
GPUTUNE_API int gputune_tune_together(gputune_plan **out, gputune *tuner, const char *kernel,
                                      GPUTUNE_SIZES_IN sizes, const gputune_options *options,
                                      const gputune_group *group);

/* ---- What a plan launches, in full ----------------------------------------------------------- */

/* What a kernel's parameter is. */
typedef enum gputune_parameter_kind {
    GPUTUNE_PARAMETER_BUFFER,    /* the address of an argument's buffer */
    GPUTUNE_PARAMETER_SCALAR,    /* an argument by value */
    GPUTUNE_PARAMETER_BLOCK,     /* a pass() block */
    GPUTUNE_PARAMETER_SCRATCH,   /* the address of a device buffer that is no argument */
    GPUTUNE_PARAMETER_TENSORMAP, /* a CUtensorMap of an argument's buffer, by value: what the
                                    template says of it, which gputune_launch() encodes */
    GPUTUNE_PARAMETER_TEXTURE    /* a texture object of an argument's buffer, which
                                    gputune_launch() makes, once for each address */
} gputune_parameter_kind;

/* One parameter of the kernel that a plan launches. */
typedef struct gputune_parameter {
    uint32_t size;
    gputune_parameter_kind kind;
    const char *name, *type; /* as in the template; of a buffer, the type of its elements; "float *"
                                is a scalar that is a null pointer */
    int argument;            /* its place in gputune_args; -1 for scratch */
    uint32_t bytes;          /* in the parameter list */
    uint64_t buffer_bytes;   /* of a buffer, a scratch buffer, or the whole block; else 0 */
    uint32_t alignment;      /* bytes assumed of a buffer's address; else 0 */
    bool is_input, is_output;
    bool by_address;        /* of a block: the parameter is the device address of its copy */
    bool cleared;           /* set to zero before each launch */
    bool is_size;           /* a scalar that is one of the plan's sizes */
    int64_t size_value;     /* its value then */
    uint32_t element_bytes; /* of an element of a buffer or block; else 0 */
} gputune_parameter;
#define GPUTUNE_PARAMETER_INIT                                                                     \
    {                                                                                              \
        sizeof(gputune_parameter), GPUTUNE_PARAMETER_BUFFER, NULL, NULL, -1, 0, 0, 0, false,       \
            false, false, false, false, 0, 0                                                       \
    }

/* A __constant__ symbol of a function's module that takes part of a block: `bytes` from `offset` on
 * of the argument's. A module without the symbol does not use it. */
typedef struct gputune_constant {
    const char *symbol;
    int argument; /* its place in gputune_args */
    uint32_t offset, bytes;
} gputune_constant;

/* The kernel that a plan launches, for programs that launch it themselves: with this function,
 * grid, block, cluster and dynamic shared memory, and `parameter_count` parameters. The program
 * then does what else gputune_launch() does: it checks the arguments, also that no buffer that is
 * written overlaps with another one, chooses a fallback for
 * buffers that are aligned less, provides scratch memory, which is zero at first, clears buffers,
 * and copies blocks of parameters. */
typedef struct gputune_function {
    uint32_t size;
    void *function;    /* a CUfunction with its attributes set (shared memory, cluster sizes) */
    const char *name;  /* in the image */
    const char *sizes; /* that the plan is for: "n=1024" */
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes; /* dynamic */
    int carveout_percent; /* preferred shared memory, of the most an SM has; -1: the driver's choice
                           */
    uint32_t parameter_count;
    uint32_t constant_count;
    const gputune_constant *constants;
    const void *image; /* a cubin, or the PTX of an emulated device; NUL-terminated beyond it */
    size_t image_bytes;
    bool cooperative;  /* all blocks must be resident at once (a launch attribute) */
    bool programmatic; /* may begin while the kernel before it still runs (a launch attribute) */
    uint32_t times;    /* how often it is launched in a row */
} gputune_function;
#define GPUTUNE_FUNCTION_INIT                                                                      \
    {                                                                                              \
        sizeof(gputune_function), NULL, NULL, NULL, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0, -1, 0, 0,  \
            NULL, NULL, 0, false, false, 1                                                         \
    }

/* Fills *out, which was initialised with GPUTUNE_FUNCTION_INIT. Loads the code into the current
 * context, unless it is there. All that *out points to lives as long as the plan. `index` is 0, or
 * the place of a pipeline's launch(), from 0; ENOTFOUND beyond the last. EUNSUPPORTED for kernels
 * that are launched in loops, with conditions or computed arguments. EINVAL without a current
 * context. */
GPUTUNE_API int gputune_plan_function(gputune_function *out, gputune_plan *plan, uint32_t index);
/* Fills *out, which was initialised with GPUTUNE_PARAMETER_INIT, with one of the function's
 * parameters, in the order of the parameter list. ENOTFOUND beyond the last one. Needs no context.
 * */
GPUTUNE_API int gputune_plan_parameter(gputune_parameter *out, const gputune_plan *plan,
                                       uint32_t index, uint32_t parameter);

/* The same for the plan's arguments, in the order of gputune_args: for programs that check or
 * convert what they pass. A block that is no parameter of a kernel, because it goes through
 * constant memory, is an argument too; its `bytes` are 0. A tensor map's argument is its buffer.
 * ENOTFOUND beyond the last one. Needs no context. */
GPUTUNE_API int gputune_plan_argument(gputune_parameter *out, const gputune_plan *plan,
                                      uint32_t argument);

/* Checks a type of the program against the kernel's. `bytes` must be the sizeof of a scalar
 * argument, of an element of a buffer or block, or of the whole block; else it is EINVAL, and the
 * message says where the members of the kernel's struct lie. `argument` is the place in
 * gputune_args. Meant to be called once after tune_kernel(). Needs no context. */
GPUTUNE_API int gputune_plan_check_argument(const gputune_plan *plan, uint32_t argument,
                                            size_t bytes);

/* ---- Wisdom: results as text ----------------------------------------------------------------- */

/* What was measured on one machine answers on others with the same kind of GPU. The text has the
 * winners and what they were measured under, and code only where that is asked for; each entry is
 * bound by a hash to its template, its generated source, its GPU and its driver. Damaged or edited
 * entries are left out with a warning. The hash finds mistakes; it does not tell who wrote the
 * text. */

typedef struct gputune_wisdom_filter {
    uint32_t size;
    const char *kernel; /* a name or a path, as everywhere; NULL: all */
    const char *gpu;    /* a part of its name, or its environment; NULL: GPUs like the tuner's */
    bool any_gpu;       /* with `gpu` NULL: every GPU; needed for a tuner without a device */
    const char *sizes;  /* "n=1M,16M T=half": results at these sizes; NULL: at all sizes */
    bool whole;         /* with the winners' code, which is taken over by GPUTUNE_TRUST_BOUND, so
                           that no compiler is needed, and with the fastest other trials, from which
                           searches at other sizes begin */
} gputune_wisdom_filter;
#define GPUTUNE_WISDOM_FILTER_INIT                                                                 \
    {                                                                                              \
        sizeof(gputune_wisdom_filter), NULL, NULL, false, NULL, false                              \
    }
/* Writes the winners that the tuner knows as text; a NULL filter: those of GPUs like the tuner's.
 * *out is NUL-terminated and the caller's, for gputune_free(); *count (may be NULL): how many there
 * are. ENOTFOUND for an unknown kernel. */
GPUTUNE_API int gputune_wisdom_export(char **out, uint32_t *count, gputune *tuner,
                                      const gputune_wisdom_filter *filter);

typedef enum gputune_trust {
    GPUTUNE_TRUST_NOTHING = 0, /* a worker proves every imported result before its first launch */
    GPUTUNE_TRUST_BOUND        /* results are not proved again where the generated source, the GPU
                                  and the driver's version are those of the measurement */
} gputune_trust;

typedef struct gputune_wisdom_options {
    uint32_t size;
    gputune_trust trust;
    bool keep; /* true: in the database, for other processes too. false: for this tuner alone; the
                  user's database goes before them */
} gputune_wisdom_options;
#define GPUTUNE_WISDOM_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(gputune_wisdom_options), GPUTUNE_TRUST_NOTHING, false                               \
    }
/* Takes over what gputune_wisdom_export() wrote; a NULL `options` stands for the _INIT ones. A
 * result that is not trusted is compiled and proved when it is first asked for, whatever the call's
 * effort. It is then stored as proved, or never launched if it is wrong. A result that the tuner
 * has for the same request stays. *count (may be NULL): how many were taken. ERECORDED for a text
 * that is no wisdom, or that a newer version wrote. */
GPUTUNE_API int gputune_wisdom_import(uint32_t *count, gputune *tuner, const char *text,
                                      const gputune_wisdom_options *options);
/* The same with files. ENOTFOUND or EIO, with the path. */
GPUTUNE_API int gputune_wisdom_save(const char *path, uint32_t *count, gputune *tuner,
                                    const gputune_wisdom_filter *filter);
GPUTUNE_API int gputune_wisdom_load(uint32_t *count, gputune *tuner, const char *path,
                                    const gputune_wisdom_options *options);

/* ---- For operators: what the command line is built on ---------------------------------------- */

/* One GPU that the driver offers. */
typedef struct gputune_device {
    uint32_t size;
    char name[128], uuid[48], arch[16], environment[64]; /* "sm_90a"; the key of its records */
    int ordinal, compute_capability, sm_count;           /* 90 for 9.0 */
    int64_t memory_bytes, l2_bytes;
    int64_t shared_per_sm_bytes, shared_optin_bytes; /* optin: the most of a block */
    int memory_clock_khz, sm_clock_khz, bus_width_bits, max_cluster; /* max_cluster: in blocks */
    int max_parameter_bytes, driver_version, nvrtc_version; /* 13000 for 13.0; 0: not known */
    double peak_bytes_per_s;                                /* from memory clock and bus width */
    bool emulated;
} gputune_device;
#define GPUTUNE_DEVICE_INIT                                                                        \
    {                                                                                              \
        sizeof(gputune_device), "", "", "", "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false \
    }
/* Calls `each` for every GPU; needs no tuner. ENODRIVER where there is none. `driver` as in
 * gputune_open_options. */
GPUTUNE_API int gputune_devices(const char *driver,
                                int (*each)(void *user, const gputune_device *device), void *user);
/* Counts them. It takes some 0.01 s where NVML tells, since CUDA's driver is not started then, so
 * that one of them may still be found not to work. */
GPUTUNE_API int gputune_device_count(int *out, const char *driver);
/* Describes the device of an open tuner in *out, which was initialised with GPUTUNE_DEVICE_INIT, as
 * far as its version goes. EUNSUPPORTED when the tuner was opened with device "none". */
GPUTUNE_API int gputune_tuner_device(gputune_device *out, gputune *tuner);

typedef enum gputune_verdict {
    GPUTUNE_VERDICT_OK = 0,
    GPUTUNE_VERDICT_WARNING, /* results are worse, or come later, than they could */
    GPUTUNE_VERDICT_FAILURE  /* something does not work */
} gputune_verdict;
/* What gputune_diagnose() says of one thing. */
typedef struct gputune_diagnosis {
    uint32_t size;
    const char *subject; /* "driver", "clocks", "database", ... */
    gputune_verdict verdict;
    const char *found;  /* in one line */
    const char *remedy; /* what to do about it; "" where nothing is to be done */
} gputune_diagnosis;
/* Looks at all that tuning depends on, as gputune_open() with these options would use it: driver,
 * GPU, compiler, headers, workers, templates, database and environment variables. Calls `each` for
 * everything. Needs no tuner. What is wrong is said, and no failure of this call. Of the database
 * nothing is changed. The GPU copies some memory. */
GPUTUNE_API int gputune_diagnose(const gputune_open_options *options,
                                 int (*each)(void *user, const gputune_diagnosis *diagnosis),
                                 void *user);

/* One kernel there is to tune. */
typedef struct gputune_kernel {
    uint32_t size;
    const char *name, *path, *summary; /* summary: the template's first comment line */
    const char *sizes;                 /* its problem values with defaults: "n=67108864" */
    const char *axes;                  /* "VEC=1,2,4,8 BLOCK=64,128" */
    gputune_objective objective;       /* its default one */
    bool self_reference; /* it is verified against its own default variant only: reference(self) */
} gputune_kernel;
/* Calls `each` for every template in the template folder and every added one, by name. */
GPUTUNE_API int gputune_kernels(gputune *tuner,
                                int (*each)(void *user, const gputune_kernel *kernel), void *user);
/* The same for the kernels that `kernel` names. Everywhere in this header a kernel is named by a
 * path (with a slash, or ending in .cu), which means the kernels of that file; by PATH:KERNEL, for
 * one kernel of a file; or by the name of an added kernel, of a kernel in the template folder, or
 * of a file there without ".cu". Fails with ENOTFOUND for an unknown name, and with EINVAL for a
 * name that two files of the folder have. Where one kernel is wanted, a file of several kernels is
 * EINVAL. */
GPUTUNE_API int gputune_find_kernels(gputune *tuner, const char *kernel,
                                     int (*each)(void *user, const gputune_kernel *kernel),
                                     void *user);

/* One axis of a kernel's space on this GPU: a value, and why it is excluded ("" if it is not). */
typedef struct gputune_axis_value {
    const char *axis, *kind; /* kind: the word that declares it, as "tune" */
    const char *value;
    const char *excluded;
    bool is_default;
} gputune_axis_value;
/* How far a count of a large space is to be believed. */
typedef enum gputune_certainty {
    GPUTUNE_EXACT,
    GPUTUNE_ABOUT,  /* an estimate */
    GPUTUNE_AT_MOST /* a bound */
} gputune_certainty;
typedef struct gputune_exclusion {
    const char *reason; /* a require() text, or a limit of the device */
    uint64_t count;
    gputune_certainty certainty;
} gputune_exclusion;
typedef struct gputune_space {
    uint32_t size;
    uint64_t combinations, valid, sources; /* sources: how many different ones the valid generate */
    gputune_certainty valid_certainty, sources_certainty;
    const gputune_axis_value *values;
    size_t value_count;
    const gputune_exclusion *exclusions;
    size_t exclusion_count;
} gputune_space;
/* Describes a kernel's space for `arch` ("sm_90"), or for the tuner's GPU where NULL. *out is the
 * caller's, for gputune_space_free(). */
GPUTUNE_API int gputune_describe_space(gputune_space **out, gputune *tuner, const char *kernel,
                                       GPUTUNE_SIZES_IN sizes, const char *arch,
                                       const gputune_options *options);
GPUTUNE_API void gputune_space_free(gputune_space *space);

typedef enum gputune_form {
    GPUTUNE_FORM_SOURCE, /* generated CUDA */
    GPUTUNE_FORM_PTX,
    GPUTUNE_FORM_CUBIN
} gputune_form;
/* The code of one configuration in one form. Axes that "VEC=4 BLOCK=256" leaves out have their
 * default; NULL: the default configuration. *out has *bytes bytes and a NUL behind them, and is the
 * caller's, for gputune_free(). ECOMPILE: the compiler's log has gone to the tuner's log callback,
 * line by line. */
GPUTUNE_API int gputune_emit(char **out, size_t *bytes, gputune *tuner, const char *kernel,
                             GPUTUNE_SIZES_IN sizes, const char *configuration, const char *arch,
                             gputune_form form);

/* Makes a first template of a CUDA program, whose file `path` has the contents `text`: what its
 * kernels need of the program, behind the pragmas that describe how the program launches them. A
 * comment that begins with "guess:" marks each value that was chosen; one that begins with "?" asks
 * for what the program does not show, with its place. A NULL kernel stands for every kernel that
 * the file launches, or for all. `arguments`, which NULL ends, are -IFOLDER and -DNAME[=VALUE] as a
 * compiler takes them, and --host=FILE for another file that launches the kernels; they may be
 * NULL. A process of its own reads the program by libclang. *out is the caller's, for
 * gputune_free(). Fails with ENOTFOUND for an unknown kernel; with EUNSUPPORTED for what no
 * template can have, such as surfaces; with ENOCOMPILER where there is no libclang 17 or newer. */
GPUTUNE_API int gputune_draft_template(char **out, const char *path, const char *text,
                                       const char *kernel, const char *const *arguments);

/* One configuration with its times, or why it failed: measured just now, or stored. */
typedef struct gputune_record {
    uint32_t size;
    const char *kernel, *sizes, *configuration; /* strings live until the callback returns */
    gputune_objective objective;
    gputune_cache cache;
    const char *gpu, *environment,
        *origin;         /* origin: "cuda", or the emulator's profile and model */
    const char *status;  /* "ok", "wrong", "crashed", "hung", "compile", "launch", "eliminated",
                            "slow": its compile did not end within a call's limit; "unproved":
                            clearly slower in its first launch, so that its results were not
                            compared; or "proved": right at these sizes, and not measured */
    const char *message; /* why it failed, was eliminated or not proved; of a winner: which scalars
                            it was proved with a single value of */
    bool is_default, is_winner, tie, noisy, modelled;              /* as in gputune_info */
    double median_ns, mean_ns, stddev_ns, low_ns, high_ns, min_ns; /* low and high: of the median,
                                                                      95%; of ENERGY nanojoules */
    uint32_t samples, eliminated_round; /* eliminated_round: from 1; 0: it was not eliminated */
    uint32_t registers, spill_bytes, shared_bytes,
        local_bytes;  /* of a thread; shared_bytes: of a block */
    double occupancy; /* resident warps over the SM's maximum; 0: unknown */
    double
        max_error; /* the largest difference from the reference, over what the tolerance allows */
    double compile_ns;
    double bytes, flops; /* the template's work() at this size; 0: not declared. Where work() uses
                            axes: the work of the default's launch, of the kind that RATE counts */
    double default_ns, speedup, speedup_low, speedup_high; /* of a winner */
    double copy_bytes_per_s; /* of a device-to-device copy on that GPU, reads and writes; 0: unknown
                              */
    const char *stop_reason;
    const char *created; /* UTC, ISO 8601 */
    bool unreferenced;   /* no reference() and no check(): the default is taken as right */
    const char *only;    /* of a winner: the restrictions of its space; "": the whole space */
    bool unfinished;     /* of a winner: its tuning ended before the race was decided */
    /* Hashes in hex, or "": what its trials have in common apart from the GPU, and which version of
     * its template was measured. */
    const char *scenario, *identity;
    const char *alignment, *inputs; /* of the scenario, or "": "16", "seed=1" */
    bool outdated;                  /* its template has been edited since */
    uint32_t variants, failed;      /* of a winner: how many its tuning tried */
    const char *default_status;     /* of a winner: how the default fared, as `status`; "" */
    uint32_t grid[3], block[3];     /* of the first kernel; 0: unknown */
    /* The widths in bytes of loads and stores of global memory in the machine code, added up: 20 is
     * 4 and 16. 0: unknown, or none. vector_bytes: the widest access that the vector axes ask for;
     * 0: none. */
    uint32_t load_widths, store_widths, vector_bytes;
    const char *grids,
        *blocks; /* like grid and block, of every kernel in order: "64 (3 times) + 1"; "" */
    const char *default_configuration; /* of a winner: the default that it was compared with. Where
                                          the template has another one now, default_ns and the
                                          speed-ups are 0; "" */
    bool unproved; /* of a winner: it was imported, or its tuning ended before its last proof. It is
                      proved when it is next asked for */
    int order;     /* the trial's place in the order in which trials were stored in its database:
                      those of one tuning, in the order in which they were tried; 0: not stored */
    int driver_version, nvrtc_version;            /* it was tried with: 13000 for 13.0 */
    const char *arch;                             /* of the GPU: "sm_90a"; "" */
    int sm_count, sm_clock_khz, memory_clock_khz; /* of the GPU; 0: unknown */
    double tuning_s; /* of a winner: how long its tuning took; 0: unknown */
} gputune_record;

typedef struct gputune_record_filter {
    uint32_t size;
    const char *kernel; /* a name or a path, as everywhere; NULL: all */
    bool all_trials;    /* false: winners only */
    bool any_gpu;       /* false: only records that answer for the tuner's GPU */
    bool history;       /* true: every version of a template. false: for each kernel and
                           GPU the version that the tuner finds, or the newest where that was not measured
                         */
    bool failures;      /* true: without all_trials, also the trials that failed */
    const char *gpu; /* a part of the GPU's name, or an environment: records of such GPUs; NULL: as
                        any_gpu says */
    const char *sizes; /* "n=1M,16M T=half": only records that have for each name one of its values;
                          NULL: of all sizes */
} gputune_record_filter;
#define GPUTUNE_RECORD_FILTER_INIT                                                                 \
    {                                                                                              \
        sizeof(gputune_record_filter), NULL, false, false, false, false, NULL, NULL                \
    }
/* Calls `each` for the stored records in the order kernel, sizes, scenario, time. EDATABASE where
 * the database asked for cannot be read. ENOTFOUND where neither a template nor a record has the
 * name that the filter asks for. */
GPUTUNE_API int gputune_records(gputune *tuner, const gputune_record_filter *filter,
                                int (*each)(void *user, const gputune_record *record), void *user);

/* What goes of the records that a filter finds, scenario by scenario and GPU by GPU: what one of
 * the members says. None of them: everything. */
typedef struct gputune_forget_options {
    uint32_t size;
    bool only_say;       /* nothing goes */
    bool outdated;       /* what gputune_records() gives only with `history` */
    bool older_drivers;  /* what was measured with an older driver than that GPU's last results */
    double older_than_s; /* what nothing was measured of for so long; 0 */
    uint64_t most_bytes; /* then the oldest, until the data takes at most so much; 0: any size */
    bool everything;     /* a filter and options that select nothing stand for all results */
} gputune_forget_options;
#define GPUTUNE_FORGET_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(gputune_forget_options), false, false, false, 0, 0, false                           \
    }
/* Calls `each` for every trial and winner of the user's database that the filter and the options
 * select, then deletes them, with the code that no other record uses. If `each` stops, nothing is
 * deleted. The filter's `history` and `all_trials` do not matter, a NULL `options` stands for the
 * _INIT ones. EINVAL without a kernel, a GPU, sizes or an option that selects, unless `everything`
 * is set. The file keeps its size, and later records use the free space; with `most_bytes` it
 * shrinks, unless another process uses it. EBUSY if another process has locked the database,
 * EDATABASE if it cannot be written. */
GPUTUNE_API int gputune_forget(gputune *tuner, const gputune_record_filter *filter,
                               const gputune_forget_options *options,
                               int (*each)(void *user, const gputune_record *record), void *user);

/* What gputune_merge() read, and took over. */
typedef struct gputune_merged {
    uint32_t size;
    uint64_t trials, winners, codes;      /* that the files have, together */
    uint64_t taken_trials, taken_winners; /* that the user's database lacked, or had with no more
                                             evidence */
    uint64_t taken_codes;                 /* compiled sources that it lacked */
} gputune_merged;
#define GPUTUNE_MERGED_INIT                                                                        \
    {                                                                                              \
        sizeof(gputune_merged), 0, 0, 0, 0, 0, 0                                                   \
    }
/* Takes over the trials, winners and code of database files: all, or nothing. The files are only
 * read. Of two trials of the same configuration a finished one stays, then the later. Of two
 * winners of the same space that stays which was decided, then proved, then found with the newer
 * driver, with more effort, later. EDATABASE for a file that cannot be read, or that other users
 * may write. EBUSY where another process has locked the user's database, EDATABASE where it cannot
 * be written. *out was initialised with GPUTUNE_MERGED_INIT. */
GPUTUNE_API int gputune_merge(gputune_merged *out, gputune *tuner, const char *const *paths,
                              size_t count);

/* A miss, as GPUTUNE_RECORD notes it: programs asked for this scenario, and no stored result
 * answered. */
typedef struct gputune_miss {
    uint32_t size;
    uint64_t count;             /* how often it was asked for */
    const char *kernel, *sizes; /* a name or a path; "n=1048576 T=half" */
    gputune_objective objective;
    gputune_cache cache;
    const char *alignment, *inputs; /* "16 x=4"; "seed=1", or "live:TAG" for data of the program */
    const char *only;               /* "UNROLL=1,2,4; VEC=1"; "": the whole space */
    const char *gpu, *environment;  /* the GPU's name, and the key of its records */
} gputune_miss;
/* Calls `each` for the misses in a file, the most wanted first. ENOTFOUND or EIO where the file
 * cannot be read. */
GPUTUNE_API int gputune_misses(const char *path, int (*each)(void *user, const gputune_miss *miss),
                               void *user);

/* Proves and measures configurations side by side, in a worker, and calls `each` for every result
 * in the order given; NULL in place of a configuration: the default. Measures until the times are
 * known to 0.4 epsilon. Stores no results; the code stays, for later calls. speedup,
 * speedup_low and speedup_high are the first configuration's time over this one's, paired. */
GPUTUNE_API int gputune_run(gputune *tuner, const char *kernel, GPUTUNE_SIZES_IN sizes,
                            const char *const *configurations, size_t count,
                            const gputune_options *options,
                            int (*each)(void *user, const gputune_record *record), void *user);

/* One compiled variant. */
typedef struct gputune_compiled {
    uint32_t size;
    const char *kernel, *configuration, *arch;
    const char *status, *message; /* "ok" or "compile" with the first error line */
    const char *log;
    uint32_t registers, spill_bytes, shared_bytes;
    double compile_ns;
} gputune_compiled;
/* Compiles the whole space of a kernel for `arch`, stores the cubins, and calls `each` for every
 * variant as it is compiled. Needs no GPU. ECOMPILE where no variant compiled. */
GPUTUNE_API int gputune_compile(gputune *tuner, const char *kernel, GPUTUNE_SIZES_IN sizes,
                                const char *arch, const gputune_options *options,
                                int (*each)(void *user, const gputune_compiled *compiled),
                                void *user);

/* What gputune_check() found in one variant. `kind` is race (two threads, or a thread and an
 * asynchronous copy or the launch before, touch memory, one writes, and nothing orders them),
 * barrier (in a divergent branch that others go past, or waited at for ever; threads may return in
 * front of it, but it does not order what they did), shuffle (from a thread that has returned, or
 * among threads of which some went past it), unset (memory is read that nothing has set), bounds,
 * alignment, state (a device variable is written), hang (a loop does not end), or fault (a trap or
 * a failed assertion). It is "checked" in the last call of each variant, and a status of
 * gputune_record for one that could not be checked, whose message says why. Of variants that the
 * time limit or a cancel left out there is no call. */
typedef struct gputune_finding {
    uint32_t size;
    const char *kernel, *configuration, *sizes, *kind;
    const char *file;                  /* of the CUDA source */
    uint32_t line, other_line;         /* where; and the other access of a race, else 0 */
    uint64_t count;                    /* how often at these sizes */
    const char *where;                 /* an argument's element, shared memory, a variable; or "" */
    const char *thread, *other_thread; /* "block (0,0,0) thread (1,0,0)"; "": no other */
    const char *message;
} gputune_finding;
/* Runs the default and max_variants - 1 other variants (0: all), chosen at random by the seed,
 * under the emulator's sanitizer, at the sizes and at awkward ones, and calls `each` for every
 * finding and variant. Without sizes: the template's, cut down to about a megabyte. Needs no GPU,
 * and a tuner on the emulator (EUNSUPPORTED otherwise). Proves, measures and stores nothing. What
 * is found is a mistake; that nothing is found proves nothing. */
GPUTUNE_API int gputune_check(gputune *tuner, const char *kernel, GPUTUNE_SIZES_IN sizes,
                              const gputune_options *options,
                              int (*each)(void *user, const gputune_finding *finding), void *user);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif
