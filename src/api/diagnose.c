/* gputune_diagnose(): checks everything that tuning depends on. */
#include "api/tuner.h"

#include "base/environment.h"
#include "base/number.h"
#include "base/text.h"
#include "farm/includes.h"
#include "gpu/device.h"
#include "gpu/nvml.h"
#include "gpu/nvrtc.h"
#include "gpu/toolkit.h"
#include "store/store.h"
#include "tuner/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Minimum fraction of the peak bandwidth that a copy must reach; an H200 reaches 0.88. */
static const double LEAST_OF_PEAK = 0.7;
static const double MEGABYTE = 1 << 20, GIGABYTE = 1 << 30;

typedef struct patient {
    const gputune_open_options *options;
    int (*each)(void *user, const gputune_diagnosis *diagnosis);
    void *user;
    int answer; /* the first nonzero result of `each` */
    const char *subject;
    const gt_driver *driver;
    gt_device device;
    bool has_device;
    gt_nvml *nvml;
    gt_nvml_setup setup;
    gt_store_facts facts;
} patient;

static const char none[] = "";

GT_PRINTF(4, 5)
static void add_finding(patient *p, gputune_verdict verdict, const char *remedy, const char *format,
                        ...)
{
    char found[1024];
    va_list values;
    va_start(values, format);
    (void)gt_vsnprintf(found, sizeof found, format, values);
    va_end(values);
    const gputune_diagnosis diagnosis = {.size = sizeof(gputune_diagnosis),
                                         .subject = p->subject,
                                         .verdict = verdict,
                                         .found = found,
                                         .remedy = remedy};
    p->answer = p->answer ? p->answer : p->each(p->user, &diagnosis);
}

#define GOOD(p, ...)         add_finding(p, GPUTUNE_VERDICT_OK, none, __VA_ARGS__)
#define WARN(p, remedy, ...) add_finding(p, GPUTUNE_VERDICT_WARNING, remedy, __VA_ARGS__)
#define FAIL(p, remedy, ...) add_finding(p, GPUTUNE_VERDICT_FAILURE, remedy, __VA_ARGS__)

/* Reports the last error message as a failure. The text after the last ';' is the remedy. */
static void fail_by_message(patient *p)
{
    const char *message = gt_message(), *last = strrchr(message, ';');
    size_t length = last ? (size_t)(last - message) : strlen(message);
    FAIL(p, last ? last + 2 : none, "%.*s", (int)length, message);
}

/* ---- driver and GPU -------------------------------------------------------------------------- */

static void check_driver(patient *p)
{
    if (gt_driver_open(&p->driver, p->options->driver) != GPUTUNE_OK) {
        p->driver = NULL;
        fail_by_message(p);
        return;
    }
    GOOD(p, "%s, CUDA %d.%d%s", p->driver->name, p->driver->version / 1000,
         p->driver->version % 1000 / 10,
         p->driver->emulated ? ": emulated, times are modelled" : "");
}

static void check_gpu(patient *p)
{
    int ordinal;
    if (gt_device_find(&ordinal, p->driver, p->options->device) != GPUTUNE_OK ||
        gt_device_query(&p->device, p->driver, ordinal) != GPUTUNE_OK) {
        FAIL(p, "'gputune devices' lists the GPUs; CUDA_VISIBLE_DEVICES hides some", "%s",
             gt_message());
        return;
    }
    p->has_device = true;
    p->nvml = p->driver->emulated ? NULL : gt_nvml_open(p->device.uuid);
    gt_nvml_read_setup(&p->setup, p->nvml);
    GOOD(p, "%s, %s, %d SMs, %.0f GB", p->device.name, p->device.arch, p->device.sm_count,
         (double)p->device.memory_bytes / GIGABYTE);
}

static void check_nvml(patient *p)
{
    if (p->nvml) {
        GOOD(p, "supports this GPU");
    } else {
        WARN(p,
             "install libnvidia-ml.so.1 in the driver's version; without it, gputune cannot detect "
             "throttling or other users of the GPU",
             "not installed, or does not support this GPU");
    }
}

static void check_copies(patient *p)
{
    double rate, peak = gt_device_peak_bytes_per_s(&p->device);
    if (gt_device_copy_rate(&rate, p->driver, p->device.ordinal) != GPUTUNE_OK) {
        FAIL(p, "end the programs that fill the GPU's memory, or reset the GPU", "%s",
             gt_message());
    } else if (peak > 0 && rate < LEAST_OF_PEAK * peak) {
        WARN(p, "check for other users of the GPU, throttling and locked memory clocks",
             "%.0f GB/s, %.0f%% of the memory's %.0f GB/s; expected %.0f%% or more", rate / 1e9,
             100 * rate / peak, peak / 1e9, 100 * LEAST_OF_PEAK);
    } else {
        GOOD(p, "reads and writes %.0f of the memory's %.0f GB/s", rate / 1e9, peak / 1e9);
    }
}

static void check_clocks(patient *p)
{
    gt_nvml_state state;
    gt_nvml_read(&state, p->nvml);
    GOOD(p, "SM %u of %u MHz, memory %u of %u MHz", state.sm_clock_mhz, p->setup.most_sm_mhz,
         state.memory_clock_mhz, p->setup.most_memory_mhz);
}

static void check_throttling(patient *p)
{
    gt_nvml_state state;
    gt_nvml_read(&state, p->nvml);
    if (state.spoils) {
        WARN(p, "'nvidia-smi -q -d PERFORMANCE' shows why; check cooling and power supply",
             "clocks are throttled (reasons 0x%llx) at %u C", (unsigned long long)state.throttle,
             p->setup.celsius);
    } else {
        GOOD(p, "none, %u C", p->setup.celsius);
    }
}

static void check_persistence(patient *p)
{
    if (p->setup.persistence == GT_OFF) {
        WARN(p, "as root: nvidia-smi -pm 1",
             "off: each process initialises the driver again, and clocks start low");
    } else if (p->setup.persistence == GT_ON) {
        GOOD(p, "on");
    }
}

static void check_ecc(patient *p)
{
    if (p->setup.uncorrected_errors) {
        FAIL(p, "reset the GPU; if errors come back, have it replaced",
             "%llu uncorrected memory errors since the driver was loaded",
             (unsigned long long)p->setup.uncorrected_errors);
    } else if (p->setup.ecc != GT_UNKNOWN) {
        GOOD(p, "%s, no uncorrected error", p->setup.ecc == GT_ON ? "on" : "off");
    }
}

static void check_mig(patient *p)
{
    bool on = p->setup.mig == GT_ON;
    if (on && !p->device.mig_profile[0]) {
        WARN(p, "create a MIG instance and set CUDA_VISIBLE_DEVICES to it",
             "on, but this device is not a MIG instance");
    } else if (p->setup.mig != GT_UNKNOWN) {
        GOOD(p, "%s%s", on ? "on: results apply to instances with the profile " : "off",
             on ? p->device.mig_profile : "");
    }
}

static void check_mode(patient *p)
{
    if (p->setup.mode == GT_COMPUTE_PROHIBITED) {
        FAIL(p, "as root: nvidia-smi -c DEFAULT", "prohibited: no process can use the GPU");
    } else if (p->setup.mode == GT_COMPUTE_EXCLUSIVE) {
        WARN(p, "as root: nvidia-smi -c DEFAULT; or tune in advance with 'gputune warm'",
             "exclusive: while a program uses the GPU, no worker can tune on it");
    } else {
        GOOD(p, "shared");
    }
}

static void check_users(patient *p)
{
    gt_nvml_users users;
    gt_nvml_read_users(&users, p->nvml, 0);
    if (users.others) {
        WARN(p, "tune while nothing else uses the GPU; otherwise results are marked as noisy",
             "%u other process%s (%sPID %u)", users.others, users.others == 1 ? "" : "es",
             users.others == 1 ? "" : "including ", users.one);
    } else {
        GOOD(p, "none");
    }
}

/* ---- the checks ------------------------------------------------------------------------------ */

static void check_nvrtc(patient *p)
{
    const gt_nvrtc *nvrtc;
    if (gt_nvrtc_open(&nvrtc, p->driver ? p->driver->version : 0) == GPUTUNE_OK) {
        int version = gt_nvrtc_version(nvrtc);
        GOOD(p, "%d.%d", version / 1000, version % 1000 / 10);
    } else {
        fail_by_message(p);
    }
}

static void check_headers(patient *p)
{
    GT_SCOPED(gt_toolkit_free) gt_toolkit toolkit = {0};
    gt_includes *named;
    if (gt_includes_open(&named, "", p->options->include_paths, p->options->include_path_count) ==
        GPUTUNE_OK) {
        gt_includes_close(named);
    } else {
        fail_by_message(p);
    }
    if (gt_toolkit_find(&toolkit) != GPUTUNE_OK) {
        FAIL(p, none, "%s", gt_message());
    } else if (!toolkit.folders.count) {
        WARN(p,
             "kernels that include CUDA's headers need them: pip install nvidia-cuda-runtime "
             "nvidia-cuda-cccl, or install a CUDA toolkit",
             "none in %s", gt_text_string(&toolkit.searched));
    } else {
        GOOD(p, "%s in %s", toolkit.version, toolkit.folders.items[0]);
    }
}

static void check_workers(patient *p)
{
    GT_FREED char *path = NULL;
    if (gt_worker_find(&path, p->options->worker) == GPUTUNE_OK) {
        GOOD(p, "%s; up to %u of them compile at once", path, gt_cores());
    } else {
        FAIL(p, "install gputune again, or set GPUTUNE_WORKER to the program gputune-worker", "%s",
             gt_message());
    }
}

static int count_kernel(void *user, const gt_template *template)
{
    (void)template;
    ++*(size_t *)user;
    return 0;
}

static void collect_left_out(void *user, gputune_log_level level, const char *line)
{
    if (level <= GPUTUNE_LOG_WARNING) {
        WARN((patient *)user, "correct the template, or move it away", "%s", line);
    }
}

static void check_templates(patient *p)
{
    static const char remedy[] = "install gputune again, or set GPUTUNE_TEMPLATES";
    const gt_log log = {collect_left_out, p};
    gt_catalog *catalog;
    size_t count = 0;
    GT_FREED char *home = NULL, *folder = NULL;
    if (gt_template_folders(&folder, &home, p->options->templates) != GPUTUNE_OK) {
        FAIL(p, remedy, "%s", gt_message());
        return;
    }
    if (gt_catalog_open(&catalog, p->options->templates, &log) == GPUTUNE_OK) {
        (void)gt_catalog_each(catalog, NULL, count_kernel, &count);
        gt_catalog_close(catalog);
        GOOD(p, "%zu kernel%s in %s", count, gt_plural(count), folder);
    } else {
        FAIL(p, remedy, "%s", gt_message());
    }
}

/* ---- the database ---------------------------------------------------------------------------- */

static void check_database(patient *p)
{
    gt_store_facts *facts = &p->facts;
    if (gt_store_inspect(facts, p->options->database) != GPUTUNE_OK) {
        WARN(p, "set GPUTUNE_DB to a file; results are kept in memory only", "%s", gt_message());
        return;
    }
    if (strcmp(facts->path, ":memory:") == 0) {
        WARN(p, "set GPUTUNE_DB to a file", ":memory: keeps nothing");
    } else if (facts->exists && !facts->is_read) {
        GOOD(p, "%s", facts->path);
    } else if (facts->exists) {
        GOOD(p, "%s: %lld winner%s and %lld trial%s in %.1f MB", facts->path,
             (long long)facts->winners, gt_plural((uint64_t)facts->winners),
             (long long)facts->trials, gt_plural((uint64_t)facts->trials),
             (double)facts->bytes / MEGABYTE);
    } else {
        GOOD(p, "%s, which is created with the first result", facts->path);
    }
}

static void check_integrity(patient *p)
{
    if (p->facts.damage[0]) {
        FAIL(p, "move the file away, or restore it; until then results are kept in memory only",
             "cannot be used: %s", p->facts.damage);
    } else {
        GOOD(p, "all pages are intact");
    }
}

static void check_schema(patient *p)
{
    if (p->facts.schema > GT_SCHEMA_VERSION) {
        WARN(p, "update gputune, or set GPUTUNE_DB to another file",
             "version %lld was made by a newer gputune; this one supports up to %d, and only reads "
             "the file",
             (long long)p->facts.schema, (int)GT_SCHEMA_VERSION);
    } else {
        GOOD(p, "version %lld", (long long)p->facts.schema);
    }
}

static void check_writing(patient *p)
{
    if (p->facts.damage[0] || strcmp(p->facts.path, ":memory:") == 0) {
        return;
    }
    if (p->facts.unwritable[0]) {
        FAIL(p,
             "end the process that locks it, let this user write to it, or set GPUTUNE_DB to "
             "another file; results are kept in memory only",
             "%s", p->facts.unwritable);
    } else {
        GOOD(p, "not locked, and writable by this user");
    }
}

static void check_owner(patient *p)
{
    if (p->facts.distrust) {
        WARN(p,
             "remove other users' write permission for the file and its folder (chmod go-w); until "
             "then its code is not used, and its results are verified again",
             "%s", p->facts.distrust);
    } else {
        GOOD(p, "writable only by this user");
    }
}

static void check_file_system(patient *p)
{
    if (p->facts.network) {
        WARN(p, "set GPUTUNE_DB to a file on a local disk",
             "%s, a network file system, whose locks may not hold between machines",
             p->facts.network);
    } else if (p->facts.exists) {
        GOOD(p, "local");
    }
}

/* ---- environment variables ------------------------------------------------------------------- */

static const char *const variables[] = {
    "GPUTUNE_DB", "GPUTUNE_DRIVER", "GPUTUNE_TEMPLATES", "GPUTUNE_INCLUDE", "GPUTUNE_WORKER",
    "GPUTUNE_WORKER_STDERR", "GPUTUNE_NVRTC", "GPUTUNE_LIBCLANG", "GPUTUNE_LIBRARY",
    "GPUTUNE_COMPILE_MEMORY", "GPUTUNE_RECORD", "GPUTUNE_LOG", "GPUTUNE_EMULATOR",
    "GPUTUNE_EMU_DEVICES", "GPUTUNE_EMU_SET", "GPUTUNE_EMU_PROFILE", "GPUTUNE_EMU_THREADS",
    "GPUTUNE_EMU_VERBOSE", "GPUTUNE_EMU_REACHED", "GPUTUNE_EMU_DEADLINE",
    /* the last 6 variables (OVERRULING) override the program's options */
    "GPUTUNE_EMU_FAULTS", "GPUTUNE_DISABLE", "GPUTUNE_FORCE", "GPUTUNE_EFFORT", "GPUTUNE_DEBUG",
    "GPUTUNE_PINNED"};
enum { VARIABLES = sizeof variables / sizeof *variables, OVERRULING = 6 };

static void check_unknown(patient *p)
{
    for (char **at = environ; at && *at; at++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(*at, "="), *at);
        if (strncmp(name, "GPUTUNE_", 8) == 0 && !gt_is_listed(name, variables, VARIABLES)) {
            const char *nearest = gt_nearest(name, variables, VARIABLES);
            WARN(p, "gputune(3) lists the variables", "%s is not a gputune variable%s%s%s", name,
                 nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
        }
    }
}

static void check_environment(patient *p)
{
    GT_SCOPED(gt_text_free) gt_text set = {0};
    for (size_t i = 0; i < VARIABLES; i++) {
        const char *value = gt_environment(variables[i]);
        if (value && i >= VARIABLES - OVERRULING) {
            WARN(p, "unset it unless this is intended", "%s=%s overrides what programs request",
                 variables[i], value);
        } else if (value) {
            gt_text_printf(&set, "%s%s=%s", set.length ? ", " : "", variables[i], value);
        }
    }
    check_unknown(p);
    const char *value = gt_environment("GPUTUNE_COMPILE_MEMORY");
    if (value && !gt_compile_memory_asked()) {
        WARN(p, "set it to a number, such as 2048",
             "GPUTUNE_COMPILE_MEMORY=%s is not a limit in megabytes, and is ignored", value);
    }
    GOOD(p, "%s", set.length ? gt_text_string(&set) : "no gputune variable is set");
}

/* ---- all checks ------------------------------------------------------------------------------ */

/* A requirement of a check. A check is skipped if its requirement is not met. */
typedef enum need {
    NOTHING,
    DEVICE,
    DRIVER,
    REAL_GPU,
    NVML,
    DATABASE,
    FILE_THERE,
    KNOWN_FILE,
    SOUND_FILE
} need;

static bool is_there(const patient *p, need need)
{
    const char *device = p->options->device;
    const bool has[] = {[NOTHING] = true,
                        [DEVICE] = !device || strcmp(device, "none") != 0,
                        [DRIVER] = p->driver,
                        [REAL_GPU] = p->has_device && !p->driver->emulated,
                        [NVML] = p->nvml,
                        [DATABASE] = p->facts.path[0],
                        [FILE_THERE] = p->facts.exists,
                        [KNOWN_FILE] = p->facts.is_read || p->facts.damage[0],
                        [SOUND_FILE] = p->facts.is_read && !p->facts.damage[0]};
    return has[need];
}

static const struct {
    const char *subject;
    void (*check)(patient *p);
    need need;
} checks[] = {
    {"driver", check_driver, DEVICE},
    {"GPU", check_gpu, DRIVER},
    {"NVML", check_nvml, REAL_GPU},
    {"copies", check_copies, REAL_GPU},
    {"clocks", check_clocks, NVML},
    {"throttling", check_throttling, NVML},
    {"persistence mode", check_persistence, NVML},
    {"ECC", check_ecc, NVML},
    {"MIG", check_mig, NVML},
    {"compute mode", check_mode, NVML},
    {"other users", check_users, NVML},
    {"NVRTC", check_nvrtc, NOTHING},
    {"headers", check_headers, NOTHING},
    {"workers", check_workers, NOTHING},
    {"templates", check_templates, NOTHING},
    {"database", check_database, NOTHING},
    {"database integrity", check_integrity, KNOWN_FILE},
    {"database schema", check_schema, SOUND_FILE},
    {"database writing", check_writing, DATABASE},
    {"database owner", check_owner, FILE_THERE},
    {"database file system", check_file_system, DATABASE},
    {"environment", check_environment, NOTHING},
};

int gputune_diagnose(const gputune_open_options *options,
                     int (*each)(void *user, const gputune_diagnosis *diagnosis), void *user)
{
    gputune_open_options known;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_open_options_read(&known, options));
    GT_SCOPED(gt_signal_release) gt_held_signal held;
    gt_signal_hold(&held);
    patient p = {.options = &known, .each = each, .user = user};
    for (size_t i = 0; i < sizeof checks / sizeof *checks && !p.answer; i++) {
        p.subject = checks[i].subject;
        if (is_there(&p, checks[i].need)) {
            checks[i].check(&p);
        }
    }
    return p.answer;
}
