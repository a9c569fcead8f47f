/* Winners as text, to be carried from one database to another: what was measured, what it was
 * measured under, and code if that is asked for. */
#pragma once

#include "base/text.h"
#include "store/store.h"

/* Appends the winners of all layers, each once, but those that were found wrong; *count: how many.
 * `whole`: with code, and with the fastest other trials. */
gputune_status gt_store_export(gt_text *out, uint32_t *count, gt_store *store,
                               const gt_wanted *wanted, bool whole, const gt_patience *patience);

typedef struct gt_wisdom_import {
    bool trusted;       /* the results count as proved where the driver is the same, or not known,
                           and code is taken */
    int driver_version; /* the one at hand; 0: there is no device */
    bool keep;          /* in the database; else in a layer of this store, below the user's */
    uint32_t taken;     /* how many winners were taken */
    uint32_t left_out;  /* and how many entries were damaged or edited, or of another format */
    const gt_log *log;  /* gets a warning about the first of them */
    const char *from;   /* what to call the text there: a path, or "the text" */
} gt_wisdom_import;

/* Takes over what gt_store_export() made. Winners that are stored already stay if they answer what
 * the new ones would. ERECORDED when the text is no wisdom, or of a version that is not known. */
gputune_status gt_store_import(gt_wisdom_import *import, gt_store *store, const char *text,
                               const gt_patience *patience);
