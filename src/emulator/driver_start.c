/* Implements cuInit, the environment variables, and functions that only the emulator has. */
#include "emulator/driver_symbols.h"
#include "emulator/enter.h"
#include "emulator/extensions.h"
#include "emulator/model.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the container's memory limit, or infinity. */
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

/* Returns the limit of device memory: three quarters of the machine's or container's memory. */
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
        emu_report("GPUTUNE_EMU_THREADS: expected a number of threads from 1 to 1024");
        return CUDA_ERROR_INVALID_VALUE;
    }
    emu.workers = (uint32_t)count;
    return CUDA_SUCCESS;
}

/* Makes CUDA unusable in a forked child, which has neither the streams' threads nor the memory. */
static void in_forked_child(void)
{
    emu.initialized = false;
    emu.forked = true;
}

static bool knows_call(const char *name)
{
    static const char *const names[] = {
#define X(name, version, symbol) #name,
        EMU_SYMBOL_LIST(X)
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!strcmp(names[i], name)) {
            return true;
        }
    }
    return false;
}

static double least_memory_bytes(void)
{
    double least = emu.devices[0].total_memory_bytes;
    for (int i = 1; i < emu.device_count; i++) {
        least = fmin(least, emu.devices[i].total_memory_bytes);
    }
    return least;
}

static CUresult init_driver(void)
{
    char why[sizeof emu.message];
    const char *verbose = getenv("GPUTUNE_EMU_VERBOSE");
    emu.verbose = verbose && *verbose;
    emu.device_count =
        emu_profiles_from_environment(emu.devices, emu.selected_profile, why, sizeof why);
    if (!emu.device_count ||
        !emu_faults_parse(&emu.faults, getenv("GPUTUNE_EMU_FAULTS"), knows_call, why, sizeof why)) {
        emu_report(why);
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(read_workers());
    emu.profile = emu.devices[0];
    size_t share = host_share_bytes();
    double total = least_memory_bytes();
    if (emu_memory_open(total < (double)share ? (size_t)total : share)) {
        emu_report("it needs more address space than this process may use; see ulimit -v");
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    EMU_CHECK(!pthread_atfork(NULL, NULL, in_forked_child), CUDA_ERROR_OUT_OF_MEMORY);
    emu.initialized = true;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuInit(unsigned flags)
{
    EMU_CHECK(!flags, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(!emu.forked, CUDA_ERROR_NOT_INITIALIZED);
    emu_lock();
    CUresult code = emu.initialized ? CUDA_SUCCESS : init_driver();
    emu_unlock();
    EMU_TRY(code);
    EMU_ENTER(cuInit, EMU_INITIALIZED);
    return CUDA_SUCCESS;
}

/* Before cuInit, returns the driver version of the profile that cuInit would choose. Leaves it to
 * cuInit to report a mistake in the list of devices. */
EMU_EXPORT CUresult cuDriverGetVersion(int *version)
{
    EMU_CHECK(version, CUDA_ERROR_INVALID_VALUE);
    emu_profile profiles[EMU_DEVICES_MAX];
    char why[256];
    *version = 13000;
    if (emu.initialized) {
        *version = (int)emu.profile.driver_version;
    } else if (emu_profiles_from_environment(profiles, emu.selected_profile, why, sizeof why)) {
        *version = (int)profiles[0].driver_version;
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

EMU_EXPORT CUresult emuSetFaults(const char *script)
{
    emu_faults *faults;
    char why[sizeof emu.message];
    if (!emu_faults_parse(&faults, script, knows_call, why, sizeof why)) {
        emu_report(why);
        return CUDA_ERROR_INVALID_VALUE;
    }
    emu_faults_free(emu.faults);
    emu.faults = faults;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult emuSelectProfile(const char *name)
{
    emu_profile profile;
    char why[256];
    EMU_CHECK(name, CUDA_ERROR_INVALID_VALUE);
    if (emu.initialized) {
        return strcmp(emu.profile.name, name) == 0 ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
    }
    if (!emu_profile_load(&profile, name, NULL, why, sizeof why)) {
        emu_report(why);
        return CUDA_ERROR_NOT_FOUND;
    }
    emu_lock();
    snprintf(emu.selected_profile, sizeof emu.selected_profile, "%s", name);
    emu_unlock();
    return CUDA_SUCCESS;
}

EMU_EXPORT const char *emuProfileName(CUdevice device)
{
    return emu_check_device(device) ? "" : emu.devices[device].name;
}
