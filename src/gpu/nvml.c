/* Reads from NVML. All values are 0 if there is no NVML. */
#include "gpu/nvml.h"

#include "base/file.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Constants from nvml.h. All functions return 0 on success. */
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, ERROR_INSUFFICIENT_SIZE = 7, UNCORRECTED = 1 };
/* Reasons for throttling: hardware slowdown, software or hardware thermal limit, power brake. */
enum { REASONS_THAT_SPOIL = 0x8 | 0x20 | 0x40 | 0x80 };

typedef struct process_info {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
} process_info;

typedef struct utilization {
    unsigned gpu, memory; /* percentages */
} utilization;

#define NVML_LIST(X)                                                                               \
    X(init, nvmlInit_v2, (void))                                                                   \
    X(count, nvmlDeviceGetCount_v2, (unsigned *count))                                             \
    X(by_index, nvmlDeviceGetHandleByIndex_v2, (unsigned index, gt_nvml **out))                    \
    X(by_uuid, nvmlDeviceGetHandleByUUID, (const char *uuid, gt_nvml **out))                       \
    X(clock, nvmlDeviceGetClockInfo, (gt_nvml * nvml, int type, unsigned *mhz))                    \
    X(throttle, nvmlDeviceGetCurrentClocksThrottleReasons,                                         \
      (gt_nvml * nvml, unsigned long long *reasons))                                               \
    X(energy, nvmlDeviceGetTotalEnergyConsumption, (gt_nvml * nvml, unsigned long long *mj))       \
    X(utilization, nvmlDeviceGetUtilizationRates, (gt_nvml * nvml, utilization * out))             \
    X(most_clock, nvmlDeviceGetMaxClockInfo, (gt_nvml * nvml, int type, unsigned *mhz))            \
    X(temperature, nvmlDeviceGetTemperature, (gt_nvml * nvml, int sensor, unsigned *celsius))      \
    X(persistence, nvmlDeviceGetPersistenceMode, (gt_nvml * nvml, int *on))                        \
    X(ecc, nvmlDeviceGetEccMode, (gt_nvml * nvml, int *on, int *pending))                          \
    X(ecc_errors, nvmlDeviceGetTotalEccErrors,                                                     \
      (gt_nvml * nvml, int type, int counter, unsigned long long *count))                          \
    X(mig, nvmlDeviceGetMigMode, (gt_nvml * nvml, unsigned *on, unsigned *pending))                \
    X(compute_mode, nvmlDeviceGetComputeMode, (gt_nvml * nvml, int *mode))                         \
    X(processes, nvmlDeviceGetComputeRunningProcesses_v3,                                          \
      (gt_nvml * nvml, unsigned *count, process_info *infos))

static struct {
    pthread_once_t once;
    bool ready;
#define MEMBER(member, symbol, parameters)                                                         \
    int(*member) parameters; /* NOLINT(bugprone-macro-parentheses) */
    NVML_LIST(MEMBER)
#undef MEMBER
} nvml_library = {.once = PTHREAD_ONCE_INIT};

/* True if NVML has this function and the call is successful. */
#define GOT(member, ...) (nvml_library.member && nvml_library.member(__VA_ARGS__) == 0)

static void load_library(void)
{
    static const struct {
        const char *name;
        void *member;
    } symbols[] = {
#define SYMBOL(member, symbol, parameters) {#symbol, &nvml_library.member},
        NVML_LIST(SYMBOL)
#undef SYMBOL
    };
    void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        return;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(handle, symbols[i].name);
        memcpy(symbols[i].member, &address, sizeof address);
    }
    nvml_library.ready = nvml_library.init && nvml_library.by_uuid && nvml_library.init() == 0;
}

gt_nvml *gt_nvml_open(const char *uuid)
{
    gt_nvml *nvml;
    pthread_once(&nvml_library.once, load_library);
    bool has = nvml_library.ready && uuid && *uuid && nvml_library.by_uuid(uuid, &nvml) == 0;
    return has ? nvml : NULL;
}

static gt_switch read_mig(gt_nvml *nvml)
{
    unsigned on, next;
    return !GOT(mig, nvml, &on, &next) ? GT_UNKNOWN : on ? GT_ON : GT_OFF;
}

uint32_t gt_nvml_count(void)
{
    unsigned count = 0;
    pthread_once(&nvml_library.once, load_library);
    if (!nvml_library.ready || !GOT(count, &count)) {
        return 0;
    }
    for (unsigned i = 0; i < count; i++) {
        gt_nvml *nvml;
        if (!GOT(by_index, i, &nvml) || read_mig(nvml) == GT_ON) {
            return 0;
        }
    }
    return count;
}

/* Returns true for a worker of this process or of `friend`, and for any worker that is not using
 * the GPU. In /proc/PID/stat, a state letter and the parent's pid follow the process name. */
static bool is_own_or_waiting_worker(unsigned pid, pid_t friend)
{
    static const char name[] = " (gputune-worker) ";
    char path[32], text[256];
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    const char *at = strstr(gt_file_peek(text, sizeof text, path), name);
    long parent = at ? strtol(at + sizeof name, NULL, 10) : 0;
    return strstr(text, " (" GT_NVML_WAITING ") ") ||
           (parent && (parent == getpid() || parent == friend));
}

/* Lists the processes that have a context on the GPU. Returns their number, or 0 on failure. The
 * caller frees the list. */
static unsigned list_processes(process_info **out, gt_nvml *nvml)
{
    unsigned count = 64;
    int result = ERROR_INSUFFICIENT_SIZE;
    for (unsigned room = 0; result == ERROR_INSUFFICIENT_SIZE && count > room;) {
        process_info *longer = realloc(*out, count * sizeof *longer);
        if (!longer) {
            return 0;
        }
        *out = longer;
        room = count;
        /* this call sets `count` to the needed length */
        result = nvml_library.processes(nvml, &count, longer);
    }
    return result == 0 ? count : 0;
}

/* Counts other processes. In a container, NVML may list the pids of another namespace. If the pid
 * of this process is not in the list, this process and `friend` are subtracted from the count. */
static void count_others(gt_nvml_users *out, gt_nvml *nvml, pid_t friend)
{
    GT_FREED process_info *infos = NULL;
    const unsigned count = list_processes(&infos, nvml);
    bool listed = false;
    for (unsigned i = 0; i < count; i++) {
        listed = listed || infos[i].pid == (unsigned)getpid();
        if (infos[i].pid != (unsigned)getpid() && infos[i].pid != (unsigned)friend &&
            !is_own_or_waiting_worker(infos[i].pid, friend)) {
            out->others++;
            out->one = infos[i].pid;
        }
    }
    if (!listed) {
        uint32_t ours = friend ? 2 : 1;
        /* this process has a context but is not listed, so the pids are from another namespace */
        out->one = friend ? 0 : out->one;
        out->others -= out->others < ours ? out->others : ours;
    }
}

void gt_nvml_read(gt_nvml_state *out, gt_nvml *nvml)
{
    *out = (gt_nvml_state){0};
    if (!nvml) {
        return;
    }
    unsigned long long reasons = 0;
    (void)GOT(clock, nvml, CLOCK_SM, &out->sm_clock_mhz);
    (void)GOT(clock, nvml, CLOCK_MEMORY, &out->memory_clock_mhz);
    if (GOT(throttle, nvml, &reasons)) {
        out->throttle = reasons;
        out->spoils = (reasons & REASONS_THAT_SPOIL) != 0;
    }
}

void gt_nvml_read_users(gt_nvml_users *out, gt_nvml *nvml, pid_t friend)
{
    *out = (gt_nvml_users){0};
    if (nvml && nvml_library.processes) {
        count_others(out, nvml, friend);
    }
}

bool gt_nvml_busy_percent(uint32_t *out, gt_nvml *nvml)
{
    utilization now;
    const bool got = nvml && GOT(utilization, nvml, &now);
    if (got) {
        *out = now.gpu;
    }
    return got;
}

bool gt_nvml_energy_mj(uint64_t *out, gt_nvml *nvml)
{
    unsigned long long mj;
    const bool got = nvml && GOT(energy, nvml, &mj);
    if (got) {
        *out = mj;
    }
    return got;
}

void gt_nvml_read_setup(gt_nvml_setup *out, gt_nvml *nvml)
{
    int on, mode, pending;
    unsigned long long errors;
    *out = (gt_nvml_setup){.mode = GT_COMPUTE_SHARED};
    if (!nvml) {
        return;
    }
    if (GOT(persistence, nvml, &on)) {
        out->persistence = on ? GT_ON : GT_OFF;
    }
    if (GOT(ecc, nvml, &on, &pending)) {
        out->ecc = on ? GT_ON : GT_OFF;
    }
    out->mig = read_mig(nvml);
    if (GOT(compute_mode, nvml, &mode)) {
        out->mode = (gt_compute_mode)mode;
    }
    if (GOT(ecc_errors, nvml, UNCORRECTED, 0, &errors)) {
        out->uncorrected_errors = errors;
    }
    (void)GOT(most_clock, nvml, CLOCK_SM, &out->most_sm_mhz);
    (void)GOT(most_clock, nvml, CLOCK_MEMORY, &out->most_memory_mhz);
    (void)GOT(temperature, nvml, 0, &out->celsius);
}
