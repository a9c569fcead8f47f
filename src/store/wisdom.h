/* A winner or a rule with all its columns, as text. Used by wisdom.c and by a fuzzer. */
#pragma once

#include "store/row.h"

typedef struct gt_wisdom_entry {
    gt_site site;
    gt_winner winner;
    gt_trial trial, standard; /* trials of the winner and of the default; hash 0: none */
    gt_trial_list also;       /* other trials, as hints for a search */
    gt_stored_rule rule;      /* an entry for a rule has only `site`, `rule` and `codes` */
    GT_ARRAY(gt_code) codes;  /* code of the variants of a rule */
} gt_wisdom_entry;

extern const char gt_wisdom_heading[];
void gt_wisdom_entry_free(gt_wisdom_entry *entry);
void gt_wisdom_write(gt_text *out, const gt_wisdom_entry *entry);
/* Reads the entry at *text, and moves *text past it. ENOTFOUND at the end of the text. ERECORDED if
 * the entry was damaged or edited; the next one can still be read. */
gputune_status gt_wisdom_read(gt_wisdom_entry *out, const char **text);
