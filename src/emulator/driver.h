/* The state, lock, errors and modelled host clock of the emulated driver. A single lock protects
 * all objects of the process. Commands run without the lock. */
#pragma once

#include "emulator/driver_abi.h"
#include "emulator/faults.h"
#include "emulator/machine.h"
#include "emulator/memory.h"
#include "emulator/profile.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct emu_driver {
    pthread_mutex_t lock;
    pthread_cond_t progress; /* signalled when a command ends */
    atomic_bool initialized; /* cuInit succeeded */
    atomic_bool forked;      /* true in a forked child */
    atomic_int sticky_error; /* the sticky error, which every call returns; 0: no error */
    atomic_int cancel;       /* set to nonzero by a sticky error, to end the running kernels */
    char selected_profile[32];
    emu_profile devices[EMU_DEVICES_MAX];
    int device_count;
    int device; /* device of the process's contexts; 0 before the first context */
    bool is_device_chosen;
    emu_profile profile; /* the device's profile */
    emu_faults *faults;
    uint32_t workers; /* maximum number of host threads per launch; 0: all cores */
    bool verbose;
    char message[640];
    uint64_t last_id;
    _Atomic uint64_t latest_host_ns;
} emu_driver;

extern emu_driver emu;

#define EMU_TRY(call)                                                                              \
    do {                                                                                           \
        CUresult emu_try_code_ = (call);                                                           \
        if (emu_try_code_ != CUDA_SUCCESS) {                                                       \
            return emu_try_code_;                                                                  \
        }                                                                                          \
    } while (0)
#define EMU_CHECK(condition, code)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return code;                                                                           \
        }                                                                                          \
    } while (0)

void emu_lock(void);
void emu_unlock(void);

/* Sets the process's sticky error and its message, unless there is a sticky error already. Ignores
 * codes that are not sticky on hardware. */
void emu_set_sticky_error(int code, const char *message);
bool emu_is_fatal(int code);
/* Stores a line for emuLastMessage, and prints the line if GPUTUNE_EMU_VERBOSE is set. */
void emu_report(const char *message);

/* ---- the modelled host clock of the calling thread, in ns ---- */
double emu_host_now(void);
void emu_host_spend(double ns);
/* Advances the clock to `ns`, but never moves it back. */
void emu_host_reach(double ns);

/* ---- devices ---- */

/* Fails with 101 if there is no such device. */
CUresult emu_check_device(CUdevice device);
/* Sets the device of the process when the first context is created. Afterwards, fails with 801 for
 * another device. Call it with the lock held. */
CUresult emu_choose_device(CUdevice device);

/* ---- properties of the process's device ---- */
static inline int emu_attribute(CUdevice_attribute attribute)
{
    return emu.profile.attribute[attribute];
}
static inline int emu_compute_capability(void)
{
    return 10 * emu_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           emu_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}
