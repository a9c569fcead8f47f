/* One winner or one rule with all its columns, as text. For wisdom.c and its fuzzer. */
#pragma once

#include "store/row.h"

typedef struct gt_wisdom_entry {
    gt_site site;
    gt_winner winner;
    gt_trial trial, standard; /* trials of the winner and the default; zero hash: none */
    gt_trial_list also;       /* other trials, as hints for a search */
    gt_stored_rule rule;      /* if it has a text, only the site and `codes` count besides it */
    GT_ARRAY(gt_code) codes;  /* of the rule's variants */
} gt_wisdom_entry;

/* The first line of a text of wisdom. */
extern const char gt_wisdom_heading[];
void gt_wisdom_entry_free(gt_wisdom_entry *entry);
void gt_wisdom_write(gt_text *out, const gt_wisdom_entry *entry);
/* Reads the next entry at *text and moves *text past it. ENOTFOUND at the end. ERECORDED if the
 * entry is damaged or edited; the next one can still be read. */
gputune_status gt_wisdom_read(gt_wisdom_entry *out, const char **text);
