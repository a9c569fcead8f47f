/* Scripted failures: any driver call fails, or is delayed, on its nth use.
 *
 * GPUTUNE_EMU_FAULTS is a comma-separated list of rules; blanks around them are allowed:
 *   cuMemAlloc:3=2            the third call fails once, with code 2
 *   cuLaunchKernelEx:*5=719   every fifth call fails with 719
 *   cuStreamSynchronize:1=~250ms   the first call begins 250 ms late (ns, us, ms, s)
 *   cuMemAlloc@1:*1=46        on device 1 only: in processes that have created a context there
 * The file named by GPUTUNE_EMU_REACHED is created when a rule takes effect. Names have no version
 * suffix. Sticky codes (700, 719 ...) are as sticky as on hardware. Calls are counted from the
 * start of the process, over all threads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct emu_faults emu_faults;

/* Parses a script; `knows` returns true if a call of that name exists. For NULL or a blank script
 * *out is NULL, and nothing fails. Returns false with one line in `why` with the rule and what was
 * expected. The caller frees *out. */
bool emu_faults_parse(emu_faults **out, const char *script, bool (*knows)(const char *name),
                      char *why, size_t why_bytes);
void emu_faults_free(emu_faults *faults);

/* Counts one use of `name` on `device`. Returns the code it fails with (0: none), and sets
 * *delay_ns to its delay. Thread-safe; `faults` may be NULL. */
int emu_faults_next(emu_faults *faults, const char *name, int device, double *delay_ns);
