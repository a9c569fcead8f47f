/* What the emulator exports beside the CUDA driver's interface. Found by dlsym;
 * a driver without these names is a real one.
 *
 * Times of the emulator are modelled: a kernel's length comes from what it did, not from how long
 * that took here. The device's side shows in cuEventElapsedTime. The host's side is a clock of each
 * thread that every driver call moves forward by the modelled cost of the call, and every wait to
 * the modelled end of what it waited for; two readings on one thread are a deterministic interval.
 * Concurrent streams do not slow each other down, and their order here decides nothing.
 *
 * Environment, read by cuInit; a mistake makes it fail with 1, and emuLastMessage says what it is:
 *   GPUTUNE_EMU_PROFILE  h200 or a100; else what follows the colon in GPUTUNE_DRIVER=emu:...
 *   GPUTUNE_EMU_DEVICES  h200,h200*1.3,a100: as many devices, where no profile is chosen; the
 *                        second takes 1.3 times as long as the others of its kind
 *   GPUTUNE_EMU_SET      key=value,... over the profile, e.g. driver_version=12000
 *   GPUTUNE_EMU_FAULTS   failures by script (faults.h)
 *   GPUTUNE_EMU_REACHED  a file that is made when one comes to pass
 *   GPUTUNE_EMU_THREADS  host threads a kernel may use; all by default
 *   GPUTUNE_EMU_DEADLINE seconds of processor time after which a kernel that still runs may be
 *                        called hung by gputune, whose farm reads it; 4 by default
 *   GPUTUNE_EMU_VERBOSE  set: print what emuLastMessage would tell on stderr */
#pragma once

#include "emulator/driver_abi.h"

/* The calling thread's modelled host clock in nanoseconds since the first call. To time launches:
 * read it, launch, cuStreamSynchronize, read it again. Never fails after cuInit. */
CUresult emuModelledTimeNs(double *host_ns);

/* One line about the sticky error (error, kernel, PTX line, block, thread, address), or why
 * the last module was refused or the configuration not understood; "" if nothing was. Valid until
 * the next such event. */
const char *emuLastMessage(void);

/* Names the allocation that holds `address` in messages about accesses beside it ("buffer x"),
 * which tell its bytes from there on. 1 where there is none. */
CUresult emuNameMemory(CUdeviceptr address, const char *name);

/* The bytes of the allocation that begins at `address` at another address too, where kernels may
 * only read them. cuMemFree releases the view, before the allocation, and as cuMemUnmap
 * without waiting for launches. 1 where none begins there,
 * 801 where memory cannot be mapped twice. */
CUresult emuViewMemory(CUdeviceptr *view, CUdeviceptr address);

/* The sanitizer. What is launched from emuCheckBegin() to emuCheckEnd() is checked, on one host
 * thread, many times slower than otherwise; a fault ends its launch, and no error stays. Both are
 * called while nothing runs.
 *
 * emuCheckEnd() returns a line for each distinct finding (kind, PTX line, PTX line of the other
 * access), with its parts between tabs: kind, source file, line, line of the other access (0:
 * none), how often, place, thread, the other thread, what happened. Kinds: race, barrier, shuffle,
 * unset, bounds, alignment, state, hang, fault. File and lines are known where the PTX has line
 * information. Valid until the next emuCheckEnd(). */
CUresult emuCheckBegin(void);
const char *emuCheckEnd(void);
/* Within such a stretch: what an allocation, or a part of it, is called in findings, and the size
 * of its elements. Flags: it has been set; copies and fills set it too. Threads may store the same
 * value to an element, and read it meanwhile. Memory that this was not said of counts as set, but
 * for constants without a value in the PTX that nothing has been copied to in the stretch. 1 for
 * what is in no allocation. */
CUresult emuCheckMemory(CUdeviceptr address, size_t bytes, const char *name, unsigned element_bytes,
                        unsigned flags);

/* The version of the model. It goes up when modelled times change, so that records of different
 * versions are not compared. */
int emuModelVersion(void);

/* Chooses the profile before cuInit, over the environment. 500 for an unknown name (emuLastMessage
 * lists those there are), 401 when another one already runs in this process. */
CUresult emuSelectProfile(const char *name);

/* Takes the place of GPUTUNE_EMU_FAULTS, in this process and from now on; counts begin anew. NULL:
 * nothing fails. No other thread may be in a driver call. 1 for a script with a mistake
 * (emuLastMessage), with which the one before stays. */
CUresult emuSetFaults(const char *script);

/* The name of a device's profile ("h200"). "" before cuInit, and for a device that is not there. */
const char *emuProfileName(CUdevice device);
