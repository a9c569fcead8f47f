/* What the files of the emulated driver share: its state, its objects, and the way every entry
 * point begins. One process-wide lock guards all objects; it is never held while commands run. */
#ifndef EMU_DRIVER_H
#define EMU_DRIVER_H

#include "emulator/driver_abi.h"
#include "emulator/faults.h"
#include "emulator/machine.h"
#include "emulator/memory.h"
#include "emulator/profile.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct emu_ticket emu_ticket;
typedef struct emu_command emu_command;
typedef struct emu_capture emu_capture;

/* First member of every object behind a handle: a stale or foreign handle is mostly caught. */
typedef enum emu_kind {
    EMU_KIND_CONTEXT = 0x45630001,
    EMU_KIND_STREAM,
    EMU_KIND_EVENT,
    EMU_KIND_MODULE,
    EMU_KIND_LIBRARY,
    EMU_KIND_FUNCTION,
    EMU_KIND_KERNEL,
    EMU_KIND_GRAPH,
    EMU_KIND_NODE,
    EMU_KIND_EXEC,
    EMU_KIND_USER_OBJECT
} emu_kind;

#define EMU_IS(handle, wanted) ((handle) && (handle)->kind == (wanted))

struct CUctx_st {
    emu_kind kind;
    bool is_primary;
    bool destroyed;
    unsigned flags;
    uint64_t id;
    size_t stack_bytes;
    CUstream legacy;
    CUstream streams; /* all but the legacy one */
    CUmodule modules;
    struct CUctx_st *next;
};

typedef struct emu_driver {
    pthread_mutex_t lock;
    pthread_cond_t progress;   /* a ticket was completed */
    atomic_bool ready;         /* cuInit succeeded */
    atomic_bool forked;        /* in a child of the process where it did */
    atomic_int lost;           /* sticky error of the process, 0 while it is sound */
    atomic_int cancel;         /* non-zero once lost: ends what still runs */
    char selected_profile[32]; /* by emuSelectProfile, before cuInit */
    emu_profile profile;
    emu_faults *faults;
    uint32_t workers; /* host threads a launch may use, 0: all */
    bool verbose;
    char message[640]; /* about the fault or the last failed load */
    CUcontext contexts, primary;
    unsigned primary_count, primary_flags;
    uint64_t last_id;
    _Atomic uint64_t latest_host_ns; /* furthest modelled host clock of any thread */
} emu_driver;

extern emu_driver emu;

/* What an entry point needs before it does anything. */
enum {
    EMU_READY = 1,   /* cuInit, else 3 */
    EMU_SOUND = 2,   /* a process that has not been lost, else its sticky error */
    EMU_CONTEXT = 4, /* a current context, else 201 */
    EMU_UNSAFE = 8,  /* no capture that forbids it, else 900 and that capture is invalid */
    EMU_USE = EMU_READY | EMU_SOUND | EMU_CONTEXT
};

/* Runs the fault script for `name` and checks `needs`; 0 or the code to return. */
CUresult emu_enter(const char *name, unsigned needs);
#define EMU_ENTER(name, needs)                                                                     \
    do {                                                                                           \
        CUresult emu_enter_code_ = emu_enter(#name, needs);                                        \
        if (emu_enter_code_ != CUDA_SUCCESS) {                                                     \
            return emu_enter_code_;                                                                \
        }                                                                                          \
    } while (0)
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

/* Marks the process as lost with a fatal code and its explanation; the first one stays. Codes that
 * are not fatal on hardware do nothing. */
void emu_lose(int code, const char *message);
bool emu_is_fatal(int code);
/* Keeps one line for emuLastMessage, and prints it when GPUTUNE_EMU_VERBOSE is set. */
void emu_say(const char *message);

/* Whether a driver call of this plain name exists (driver_symbols.c). */
bool emu_knows_call(const char *name);

/* ---- the calling thread's modelled host clock, in ns ---- */
double emu_host_now(void);
void emu_host_spend(double ns);
/* Moves it forward to `ns`, never back. */
void emu_host_reach(double ns);

/* ---- contexts (driver_context.c) ---- */
CUcontext emu_current(void);
/* 201 when `context` is not a live one. Lock held or not. */
CUresult emu_context_check(CUcontext context);

/* ---- streams (driver_stream.c) ---- */

/* The stream behind a handle: NULL and 1 are the current context's legacy stream, 2 the thread's
 * own. 400 for none. Lock held. */
CUresult emu_stream_resolve(CUstream *out, CUstream handle);
CUresult emu_stream_new(CUstream *out, CUcontext context, unsigned flags, int priority);

/* ---- device properties ---- */
static inline int emu_attribute(CUdevice_attribute attribute)
{
    return emu.profile.attribute[attribute];
}
static inline int emu_compute_capability(void)
{
    return 10 * emu_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           emu_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

#endif
