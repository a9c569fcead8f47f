/* The beginning of each driver call: applies scripted failures and checks the preconditions. */
#include "emulator/enter.h"

#include "emulator/capture.h"
#include "emulator/context.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

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
    int code = emu_faults_next(emu.faults, name, emu.device, &delay_ns);
    if (delay_ns > 0) {
        sleep_ns(delay_ns);
    }
    if (code && emu_is_fatal(code)) {
        char message[128];
        snprintf(message, sizeof message, "%s failed with %d, as GPUTUNE_EMU_FAULTS requests", name,
                 code);
        emu_set_sticky_error(code, message);
    }
    return (CUresult)code;
}

CUresult emu_enter(const char *name, unsigned needs)
{
    if (emu.faults) {
        EMU_TRY(scripted_fault(name));
    }
    EMU_CHECK(!(needs & EMU_INITIALIZED) || emu.initialized, CUDA_ERROR_NOT_INITIALIZED);
    EMU_CHECK(!(needs & EMU_NO_STICKY_ERROR) || !emu.sticky_error, (CUresult)emu.sticky_error);
    if (needs & EMU_CONTEXT) {
        EMU_TRY(emu_context_check_current());
    }
    if (needs & EMU_UNSAFE) {
        emu_lock();
        CUresult code = emu_capture_forbids();
        emu_unlock();
        EMU_TRY(code);
    }
    emu_host_spend(emu.profile.host_call_ns);
    return CUDA_SUCCESS;
}
