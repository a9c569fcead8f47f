/* Scripted failures: any driver call can fail or be delayed on its nth use.
 *
 * GPUTUNE_EMU_FAULTS is a list of rules, separated by commas:
 *
 *   cuMemAlloc:3=2            the third call fails once, with code 2
 *   cuLaunchKernelEx:*5=719   every fifth call fails with 719
 *   cuStreamSynchronize:1=~250ms   the first call begins 250 ms late (ns, us, ms, s)
 *   cuMemAlloc@1:*1=46        on device 1 only: in processes that have created a context there
 *
 * Names of calls have no version suffix. Calls are counted from the start of the process, over all
 * threads. Codes that are sticky on hardware (700, 719) are sticky here. When a rule takes effect,
 * the file that GPUTUNE_EMU_REACHED names is created. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct emu_faults emu_faults;

/* Parses a script. `knows` returns true if its argument is the name of a driver call. If `script`
 * is NULL or blank, sets *out to NULL. On failure, returns false and writes one line to `why`. */
bool emu_faults_parse(emu_faults **out, const char *script, bool (*knows)(const char *name),
                      char *why, size_t why_bytes);
void emu_faults_free(emu_faults *faults);

/* Counts a call. Returns its error or 0, and sets *delay_ns. `faults` may be NULL. Thread-safe. */
int emu_faults_next(emu_faults *faults, const char *name, int device, double *delay_ns);
