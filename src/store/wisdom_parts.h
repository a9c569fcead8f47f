/* One winner with all that its rows say, as text: for wisdom.c, row.c and the fuzzer. */
#pragma once

#include "base/array.h"
#include "store/row.h"
#include "store/wisdom.h"

/* The GPU and the scenario of a winner. Texts are owned. Byte counts of 64 bits are doubles. */
typedef struct gt_wisdom_place {
    char *environment, *gpu, *arch, *origin, *mig_profile, *host;
    int sm_count, bus_width_bits, memory_clock_khz, sm_clock_khz, driver_version, nvrtc_version;
    double l2_bytes, memory_bytes, copy_bytes_per_s;
    char *kernel, *problem, *bucket, *fixed, *sizes, *alignment, *inputs;
    gt_hash identity, scenario;
    int objective, cache;
    double work_bytes, work_flops;
    bool unreferenced;
} gt_wisdom_place;

typedef struct gt_wisdom_entry {
    gt_wisdom_place place;
    gt_winner winner;
    gt_trial trial, standard; /* the winner's, and that of the default; hash zero: there is none */
    GT_ARRAY(gt_trial) also;  /* other trials: hints */
} gt_wisdom_entry;

extern const gt_columns gt_wisdom_columns; /* of gt_wisdom_place */

/* The line that a text of wisdom begins with. */
extern const char gt_wisdom_heading[];
void gt_wisdom_entry_free(gt_wisdom_entry *entry);
/* Appends an entry. */
void gt_wisdom_write(gt_text *out, const gt_wisdom_entry *entry);
/* Reads the next entry from *text, which goes on behind it. ENOTFOUND: there is none; ERECORDED, if
 * it is damaged, edited or not sound: the next one can be read. */
gputune_status gt_wisdom_read(gt_wisdom_entry *out, const char **text);
