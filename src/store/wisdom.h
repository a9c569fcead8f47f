/* One winner with all its columns, as text. For wisdom.c and the fuzzer. */
#pragma once

#include "store/row.h"

typedef struct gt_wisdom_entry {
    gt_site site;
    gt_winner winner;
    gt_trial trial, standard; /* of the winner and of the default; zero hash: there is none */
    gt_trial_list also;       /* other trials, as hints for a search */
} gt_wisdom_entry;

/* The first line of a text of wisdom. */
extern const char gt_wisdom_heading[];
void gt_wisdom_entry_free(gt_wisdom_entry *entry);
/* Appends the entry to *out as text. */
void gt_wisdom_write(gt_text *out, const gt_wisdom_entry *entry);
/* Reads the next entry from *text and moves *text behind it. ENOTFOUND: there is no further entry.
 * ERECORDED: the entry is damaged, edited or not sound; the next one can still be read. */
gputune_status gt_wisdom_read(gt_wisdom_entry *out, const char **text);
