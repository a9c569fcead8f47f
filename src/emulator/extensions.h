/* Functions that the emulator exports in addition to the CUDA driver API. Look them up with
 * dlsym(), because a real driver does not have them.
 *
 * All times are modelled. The time of a kernel depends on the operations that it executes, not on
 * how long the emulator takes. cuEventElapsedTime returns device times. Each thread also has a
 * modelled host clock: a driver call advances it by the modelled cost of the call, and a wait
 * advances it to the modelled end of the work. The same calls always take the same time.
 * Concurrent streams do not slow each other down.
 *
 * cuInit reads these environment variables. If one is invalid, it fails with 1, and
 * emuLastMessage() describes the mistake.
 *
 *   GPUTUNE_EMU_PROFILE   the device: h200 or a100; default: NAME of GPUTUNE_DRIVER=emu:NAME
 *   GPUTUNE_EMU_DEVICES   several devices, if no profile is chosen; h200,h200*1.3,a100 makes the
 *                         times of the second device 1.3 times as long
 *   GPUTUNE_EMU_SET       changes to the profile: key=value,... (driver_version=12000)
 *   GPUTUNE_EMU_FAULTS    scripted failures (faults.h)
 *   GPUTUNE_EMU_REACHED   a file to create when a scripted failure occurs
 *   GPUTUNE_EMU_THREADS   host threads per kernel; default: all
 *   GPUTUNE_EMU_DEADLINE  seconds of CPU time after which gputune treats a running kernel as hung;
 *                         default: 4
 *   GPUTUNE_EMU_VERBOSE   if set, messages are also printed on stderr */
#pragma once

#include "emulator/driver_abi.h"

/* Returns the calling thread's modelled host clock, in nanoseconds since its first call. To time a
 * launch, read the clock before the launch and after cuStreamSynchronize. */
CUresult emuModelledTimeNs(double *host_ns);

/* Returns one line about the sticky error (error, kernel, PTX line, block, thread, address), or
 * about the reason why a module or the configuration was refused. Returns "" if there is neither.
 * The text is valid until the next call. */
const char *emuLastMessage(void);

/* Names the allocation that contains `address`. Messages then count from `address`, as in "4 bytes
 * past the end of x of 64 bytes at 0x7f0000000100". Fails with 1 if there is no allocation. */
CUresult emuNameMemory(CUdeviceptr address, const char *name);

/* Maps the allocation that begins at `address` a second time, read-only for kernels. Free the view
 * with cuMemFree before the allocation; freeing it does not wait for launches. Fails with 1
 * (invalid value) if no allocation begins at the address, and with 801 (not supported) if memory
 * cannot be mapped twice. */
CUresult emuViewMemory(CUdeviceptr *view, CUdeviceptr address);

/* The sanitizer checks all launches between emuCheckBegin() and emuCheckEnd(). Checked launches use
 * one host thread and are many times slower. A fault ends its launch and does not leave a sticky
 * error. No launch may be running when these functions are called.
 *
 * emuCheckEnd() returns one line for each distinct finding. Its fields, separated by tabs, are:
 * kind, source file, line, line of the other access (0: none), count, place, thread, the other
 * thread, description. Kinds are race, barrier, shuffle, unset, bounds, alignment, state, hang and
 * fault. Files and lines are known only if the PTX has line information. The text is valid until
 * the next emuCheckEnd(). */
CUresult emuCheckBegin(void);
const char *emuCheckEnd(void);
/* Names an allocation, or a part of it, in the sanitizer's findings, and sets the size of its
 * elements. With EMU_CHECK_SET, the memory is treated as initialised; otherwise copies, fills and
 * stores initialise it. With EMU_CHECK_RACES, threads may read an element while other threads store
 * to it, if all of them store the same value. Memory without a name is treated as initialised,
 * except constants without a value in the PTX. Fails with 1 if no allocation contains the range. */
CUresult emuCheckMemory(CUdeviceptr address, size_t bytes, const char *name, unsigned element_bytes,
                        unsigned flags);

/* Returns the version of the timing model, which increases whenever modelled times change. */
int emuModelVersion(void);

/* Chooses the profile before cuInit; the environment is then ignored. Fails with 500 for an unknown
 * name (emuLastMessage lists the known names), 401 if the process already uses another profile. */
CUresult emuSelectProfile(const char *name);

/* Replaces the fault script of this process (faults.h) and resets its counters. If `script` is
 * NULL, removes the script. Fails with 1 and changes nothing if the script is invalid. No thread
 * may be in a driver call. */
CUresult emuSetFaults(const char *script);

/* Returns the name of a device's profile, such as "h200", or "" for an unknown device. */
const char *emuProfileName(CUdevice device);
