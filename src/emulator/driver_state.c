#include "emulator/driver.h"

#include "emulator/capture.h"
#include "emulator/extensions.h"
#include "emulator/model.h"

#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

emu_driver emu = {.lock = PTHREAD_MUTEX_INITIALIZER, .progress = PTHREAD_COND_INITIALIZER};

static _Thread_local double host_ns;

void emu_lock(void)
{
    pthread_mutex_lock(&emu.lock);
}

void emu_unlock(void)
{
    pthread_mutex_unlock(&emu.lock);
}

/* Ends the process's use of the device (FACTS of CUDA: 226, 700, 702, 710, 714-719, 721, 911). */
static const int fatal_codes[] = {CUDA_ERROR_CONTAINED,
                                  CUDA_ERROR_ECC_UNCORRECTABLE,
                                  CUDA_ERROR_ILLEGAL_ADDRESS,
                                  CUDA_ERROR_LAUNCH_TIMEOUT,
                                  CUDA_ERROR_ASSERT,
                                  CUDA_ERROR_HARDWARE_STACK_ERROR,
                                  CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                  CUDA_ERROR_MISALIGNED_ADDRESS,
                                  CUDA_ERROR_INVALID_ADDRESS_SPACE,
                                  CUDA_ERROR_INVALID_PC,
                                  CUDA_ERROR_LAUNCH_FAILED,
                                  CUDA_ERROR_TENSOR_MEMORY_LEAK,
                                  CUDA_ERROR_EXTERNAL_DEVICE};

bool emu_is_fatal(int code)
{
    for (size_t i = 0; i < sizeof fatal_codes / sizeof fatal_codes[0]; i++) {
        if (fatal_codes[i] == code) {
            return true;
        }
    }
    return false;
}

void emu_say(const char *message)
{
    static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&saying);
    if (!emu.lost) {
        snprintf(emu.message, sizeof emu.message, "%s", message);
    }
    if (emu.verbose) {
        dprintf(STDERR_FILENO, "emulator: %s\n", message);
    }
    pthread_mutex_unlock(&saying);
}

void emu_lose(int code, const char *message)
{
    int none = 0;
    if (!emu_is_fatal(code)) {
        return;
    }
    if (!emu.lost) {
        emu_say(message);
    }
    atomic_compare_exchange_strong(&emu.lost, &none, code);
    emu.cancel = 1;
}

static void sleep_ns(double ns)
{
    struct timespec left = {.tv_sec = (time_t)(ns / 1e9)};
    left.tv_nsec = (long)(ns - (double)left.tv_sec * 1e9);
    while (nanosleep(&left, &left) && errno == EINTR) {
    }
}

static CUresult scripted_fault(const char *name)
{
    double delay_ns;
    int code = emu_faults_next(emu.faults, name, &delay_ns);
    if (delay_ns > 0) {
        sleep_ns(delay_ns);
    }
    if (code && emu_is_fatal(code)) {
        char message[128];
        snprintf(message, sizeof message, "%s failed with %d as GPUTUNE_EMU_FAULTS asks", name,
                 code);
        emu_lose(code, message);
    }
    return (CUresult)code;
}

CUresult emu_enter(const char *name, unsigned needs)
{
    if (emu.faults) {
        EMU_TRY(scripted_fault(name));
    }
    EMU_CHECK(!(needs & EMU_READY) || emu.ready, CUDA_ERROR_NOT_INITIALIZED);
    EMU_CHECK(!(needs & EMU_SOUND) || !emu.lost, (CUresult)emu.lost);
    EMU_CHECK(!(needs & EMU_CONTEXT) || emu_current(), CUDA_ERROR_INVALID_CONTEXT);
    if (needs & EMU_UNSAFE) {
        emu_lock();
        CUresult code = emu_capture_forbids();
        emu_unlock();
        EMU_TRY(code);
    }
    emu_host_spend(emu.profile.host_call_ns);
    return CUDA_SUCCESS;
}

/* ---- the modelled host clock ---- */

double emu_host_now(void)
{
    if (host_ns <= 0) {
        /* A thread's first call: others' work has happened before it. */
        host_ns = (double)emu.latest_host_ns;
    }
    return host_ns;
}

void emu_host_reach(double ns)
{
    if (ns <= emu_host_now()) {
        return;
    }
    host_ns = ns;
    uint64_t latest = emu.latest_host_ns;
    while ((double)latest < ns &&
           !atomic_compare_exchange_weak(&emu.latest_host_ns, &latest, (uint64_t)ns)) {
    }
}

void emu_host_spend(double ns)
{
    emu_host_reach(emu_host_now() + ns);
}

/* ---- start ---- */

/* The memory that this container may take; without a limit ("max"), infinity. */
static double container_bytes(void)
{
    char text[64] = "", *end;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
    if (!file) {
        return HUGE_VAL;
    }
    bool ok = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    double limit = gt_strtod(text, &end);
    return ok && end != text ? limit : HUGE_VAL;
}

/* Host memory that device allocations may take: three quarters of what this machine or container
 * has. */
static size_t host_share_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double bytes = pages > 0 && page > 0 ? (double)pages * (double)page : 4e9;
    double limit = container_bytes();
    return (size_t)((limit < bytes ? limit : bytes) * 0.75);
}

static CUresult read_workers(void)
{
    const char *text = getenv("GPUTUNE_EMU_THREADS");
    if (!text || !*text) {
        return CUDA_SUCCESS;
    }
    char *end;
    long count = strtol(text, &end, 10);
    if (end == text || *end || count < 1 || count > 1024) {
        emu_say("GPUTUNE_EMU_THREADS: expected a number of threads from 1 to 1024");
        return CUDA_ERROR_INVALID_VALUE;
    }
    emu.workers = (uint32_t)count;
    return CUDA_SUCCESS;
}

/* A forked child has neither the workers nor the memory: as with the real driver, it has no CUDA.
 */
static void in_forked_child(void)
{
    emu.ready = false;
    emu.forked = true;
}

static CUresult start(void)
{
    char why[sizeof emu.message];
    const char *verbose = getenv("GPUTUNE_EMU_VERBOSE");
    emu.verbose = verbose && *verbose;
    if (!emu_profile_from_environment(&emu.profile, emu.selected_profile, why, sizeof why) ||
        !emu_faults_parse(&emu.faults, getenv("GPUTUNE_EMU_FAULTS"), emu_knows_call, why,
                          sizeof why)) {
        emu_say(why);
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(read_workers());
    size_t share = host_share_bytes();
    double total = emu.profile.total_memory_bytes;
    EMU_TRY((CUresult)emu_memory_open(total < (double)share ? (size_t)total : share));
    EMU_CHECK(!pthread_atfork(NULL, NULL, in_forked_child), CUDA_ERROR_OUT_OF_MEMORY);
    emu.ready = true;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuInit(unsigned flags)
{
    EMU_CHECK(!flags, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(!emu.forked, CUDA_ERROR_NOT_INITIALIZED);
    emu_lock();
    CUresult code = emu.ready ? CUDA_SUCCESS : start();
    emu_unlock();
    EMU_TRY(code);
    EMU_ENTER(cuInit, EMU_READY);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuDriverGetVersion(int *version)
{
    EMU_CHECK(version, CUDA_ERROR_INVALID_VALUE);
    emu_profile profile;
    char why[256];
    if (emu.ready) {
        *version = (int)emu.profile.driver_version;
    } else if (emu_profile_from_environment(&profile, emu.selected_profile, why, sizeof why)) {
        *version = (int)profile.driver_version;
    } else {
        emu_say(why);
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_ENTER(cuDriverGetVersion, 0);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult emuModelledTimeNs(double *out)
{
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    *out = emu_host_now();
    return CUDA_SUCCESS;
}

EMU_EXPORT const char *emuLastMessage(void)
{
    return emu.message;
}

EMU_EXPORT int emuModelVersion(void)
{
    return EMU_MODEL_VERSION;
}
