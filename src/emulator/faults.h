/* Failures by script: any driver call fails, or is late, on its nth use.
 *
 * GPUTUNE_EMU_FAULTS is a comma-separated list of rules, blanks around them allowed:
 *   cuMemAlloc:3=2            the third call fails once, with code 2
 *   cuLaunchKernelEx:*5=719   every fifth call fails with 719
 *   cuStreamSynchronize:1=~250ms   the first call begins 250 ms late (ns, us, ms, s)
 *   cuMemAlloc@1:*1=46        on device 1 alone: in processes that have made a context there
 * The file that GPUTUNE_EMU_REACHED names is made when a rule comes to apply.
 * Names are plain ones, without a version suffix. A sticky code (700, 719 ...) is as sticky as
 * hardware's. Calls are counted from the start of the process, over all threads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct emu_faults emu_faults;

/* Parses a script; `knows` says whether a call of that name exists. NULL or blank: *out is NULL and
 * nothing ever fails. Returns false with one line in `why` that names the rule and what was
 * expected. *out is the caller's to free. */
bool emu_faults_parse(emu_faults **out, const char *script, bool (*knows)(const char *name),
                      char *why, size_t why_bytes);
void emu_faults_free(emu_faults *faults);

/* Counts one use of `name` on `device` and says what happens to it: the code it fails with (0:
 * none), and in *delay_ns how long to wait first. Thread-safe; faults may be NULL. */
int emu_faults_next(emu_faults *faults, const char *name, int device, double *delay_ns);
