/* Functions that the emulator exports in addition to the CUDA driver API. Look them up with
 * dlsym(); a real driver lacks them.
 *
 * Times are modelled: a kernel's time follows from its operations, not from the time they take
 * here. cuEventElapsedTime returns device times. Each thread has a host clock, which every driver
 * call advances by its modelled cost, and every wait to the modelled end of the work; differences
 * of two readings on one thread are deterministic. Concurrent streams do not slow each other down.
 *
 * Environment, read by cuInit, which fails with 1 on a mistake; emuLastMessage() then describes it:
 *   GPUTUNE_EMU_PROFILE  h200 or a100; default: the text after the colon in GPUTUNE_DRIVER=emu:...
 *   GPUTUNE_EMU_DEVICES  h200,h200*1.3,a100: several devices, if no profile is chosen; the second
 * one is 1.3 times as slow as its kind GPUTUNE_EMU_SET      key=value,... to override the profile,
 * for example driver_version=12000 GPUTUNE_EMU_FAULTS   scripted failures (faults.h)
 *   GPUTUNE_EMU_REACHED  a file to create when a scripted failure occurs
 *   GPUTUNE_EMU_THREADS  host threads per kernel; default: all
 *   GPUTUNE_EMU_DEADLINE seconds of CPU time after which gputune may treat a running kernel as hung
 *                        (read by its farm); default: 4
 *   GPUTUNE_EMU_VERBOSE  if set, prints the text of emuLastMessage() on stderr */
#pragma once

#include "emulator/driver_abi.h"

/* Gets the calling thread's modelled host clock, in nanoseconds since its first call. To time
 * launches: read it, launch, cuStreamSynchronize, read it again. Never fails after cuInit. */
CUresult emuModelledTimeNs(double *host_ns);

/* Returns one line about the sticky error (error, kernel, PTX line, block, thread, address), or the
 * reason why the last module or the configuration was refused; "" if there is none. Valid until the
 * next such event. */
const char *emuLastMessage(void);

/* Names the allocation that contains `address`, for messages about accesses near it ("buffer x");
 * offsets in them count from `address`. 1 if there is none. */
CUresult emuNameMemory(CUdeviceptr address, const char *name);

/* Maps the allocation that begins at `address` a second time, read-only for kernels. cuMemFree
 * unmaps the view before the allocation, like cuMemUnmap without waiting for launches. 1 if no
 * allocation begins there, 801 if memory cannot be mapped twice. */
CUresult emuViewMemory(CUdeviceptr *view, CUdeviceptr address);

/* The sanitizer checks launches between emuCheckBegin() and emuCheckEnd(), on one host thread and
 * many times slower. A fault ends its launch and does not leave a sticky error. No launch may be
 * running when they are called.
 *
 * emuCheckEnd() returns a line for each distinct finding (kind, PTX line, PTX line of the other
 * access), with tab-separated fields: kind, source file, line, line of the other access (0: none),
 * count, place, thread, the other thread, description. Kinds: race, barrier, shuffle, unset,
 * bounds, alignment, state, hang, fault. Files and lines require line information in the PTX. Valid
 * until the next emuCheckEnd(). */
CUresult emuCheckBegin(void);
const char *emuCheckEnd(void);
/* Names an allocation, or a part of it, in findings while the sanitizer is active, and sets the
 * size of its elements. Flags: EMU_CHECK_SET: it is initialised; copies and fills also initialise
 * it. EMU_CHECK_RACES: threads may store the same value to an element, and read it concurrently.
 * Other memory counts as initialised, except constants without a value in the PTX until something
 * is copied to them. 1 if no allocation contains the range. */
CUresult emuCheckMemory(CUdeviceptr address, size_t bytes, const char *name, unsigned element_bytes,
                        unsigned flags);

/* Returns the version of the model, which increases when modelled times change, so that records of
 * different versions are not compared. */
int emuModelVersion(void);

/* Chooses the profile before cuInit; overrides the environment. 500 for an unknown name
 * (emuLastMessage lists the known ones), 401 if another one is already active in this process. */
CUresult emuSelectProfile(const char *name);

/* Replaces the fault script of this process and resets its counters; NULL: nothing fails. No other
 * thread may be in a driver call. 1 for an invalid script (emuLastMessage); the previous one then
 * stays. */
CUresult emuSetFaults(const char *script);

/* Returns the name of a device's profile ("h200"); "" before cuInit and for an unknown device. */
const char *emuProfileName(CUdevice device);
