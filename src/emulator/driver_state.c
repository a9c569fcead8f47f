/* Maintains the driver's state: lock, sticky error, last message, and host clocks. */
#include "emulator/driver.h"

#include <stdio.h>
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

/* Errors after which the process cannot use the device. */
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

void emu_report(const char *message)
{
    static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&saying);
    if (!emu.sticky_error) {
        snprintf(emu.message, sizeof emu.message, "%s", message);
    }
    if (emu.verbose) {
        dprintf(STDERR_FILENO, "emulator: %s\n", message);
    }
    pthread_mutex_unlock(&saying);
}

void emu_set_sticky_error(int code, const char *message)
{
    int none = 0;
    if (!emu_is_fatal(code)) {
        return;
    }
    if (!emu.sticky_error) {
        emu_report(message);
    }
    atomic_compare_exchange_strong(&emu.sticky_error, &none, code);
    emu.cancel = 1;
}

CUresult emu_check_device(CUdevice device)
{
    return device >= 0 && device < emu.device_count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult emu_choose_device(CUdevice device)
{
    if (emu.is_device_chosen) { /* other threads may read emu.profile, so it must not change */
        if (device == emu.device) {
            return CUDA_SUCCESS;
        }
        emu_report("the emulator supports contexts on only one device per process");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    emu.is_device_chosen = true;
    emu.device = device;
    emu.profile = emu.devices[device];
    return CUDA_SUCCESS;
}

double emu_host_now(void)
{
    if (host_ns <= 0) {
        /* a new thread starts at the latest clock of any thread */
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
