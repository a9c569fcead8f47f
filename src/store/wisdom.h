/* A winner or rule as text, with all columns. Used by wisdom.c and by a fuzzer. */
#pragma once

#include "store/row.h"

typedef struct gt_wisdom_entry {
    gt_site site;
    gt_winner winner;
    gt_trial trial, standard; /* trials of the winner and the default; hash 0: none */
    gt_trial_list also;       /* other trials, as hints for a search */
    /* if rule.text is set, the entry is a rule: only `rule`, `site` and `codes` are used */
    gt_stored_rule rule;
    GT_ARRAY(gt_code) codes; /* code of the rule's variants */
} gt_wisdom_entry;

extern const char gt_wisdom_heading[];
void gt_wisdom_entry_free(gt_wisdom_entry *entry);
void gt_wisdom_write(gt_text *out, const gt_wisdom_entry *entry);
/* Reads the next entry at *text and moves *text past it. ENOTFOUND at the end of the text.
 * ERECORDED if the entry is damaged or was edited; the next entry can still be read. */
gputune_status gt_wisdom_read(gt_wisdom_entry *out, const char **text);
