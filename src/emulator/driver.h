/* What the files of the emulated driver share: its state, its lock, its errors and the modelled
 * host clock. One process-wide lock guards all objects; it is never held while commands run. */
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
    pthread_cond_t progress;   /* a command has ended */
    atomic_bool initialized;   /* cuInit succeeded */
    atomic_bool forked;        /* in a child of the process where it did */
    atomic_int sticky_error;   /* 0: none; else every call fails with it */
    atomic_int cancel;         /* non-zero after a sticky error: ends the kernels that run */
    char selected_profile[32]; /* by emuSelectProfile, before cuInit */
    emu_profile devices[EMU_DEVICES_MAX];
    int device_count;
    int device; /* where the process's contexts are: 0 before the first one */
    bool is_device_chosen;
    emu_profile profile; /* of that device */
    emu_faults *faults;
    uint32_t workers; /* host threads a launch may use, 0: all */
    bool verbose;
    char message[640]; /* about the fault or the last failed load */
    uint64_t last_id;
    _Atomic uint64_t latest_host_ns; /* furthest modelled host clock of any thread */
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

/* Sets the process's sticky error and its explanation; the first one stays. A code that is not
 * fatal on hardware changes nothing. */
void emu_set_sticky_error(int code, const char *message);
bool emu_is_fatal(int code);
/* Keeps one line for emuLastMessage, and prints it when GPUTUNE_EMU_VERBOSE is set. */
void emu_report(const char *message);

/* ---- the calling thread's modelled host clock, in ns ---- */
double emu_host_now(void);
void emu_host_spend(double ns);
/* Moves it forward to `ns`, never back. */
void emu_host_reach(double ns);

/* ---- devices ---- */

/* 101 for a number that no device has. */
CUresult emu_check_device(CUdevice device);
/* The contexts of a process are all on one device, that of its first context: 801 for another.
 * Lock held. */
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
