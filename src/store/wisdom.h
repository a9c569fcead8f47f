/* Wisdom: winners as text, to be carried from one database to another. The text says what was
 * measured and under what conditions, and has the code if the caller asks for it. */
#pragma once

#include "base/text.h"
#include "store/store.h"

/* Appends the winners of all layers that `wanted` asks for to *out, each once, except those that
 * were found wrong. *count is how many. `whole`: with their code, and with the fastest other
 * trials. */
gputune_status gt_store_export(gt_text *out, uint32_t *count, gt_store *store,
                               const gt_wanted *wanted, bool whole, const gt_patience *patience);

typedef struct gt_wisdom_import {
    bool trusted; /* results count as proved where the driver is the same or not known, and their
                     code is taken */
    int driver_version; /* of the device at hand; 0: there is no device */
    bool keep; /* keep the winners in the user's database; else in a layer of this store, below the
                  user's */
    uint32_t taken;    /* set: how many winners were taken over */
    uint32_t left_out; /* set: how many entries were damaged, edited or of another format */
    const gt_log *log; /* gets a warning about the first entry that is left out */
    const char *from;  /* what the warning calls the text: a path, or "the text" */
} gt_wisdom_import;

/* Takes over the winners of a text that gt_store_export() made. A stored winner stays if it answers
 * what the new one would. ERECORDED when the text is no wisdom, or of an unknown version. */
gputune_status gt_store_import(gt_wisdom_import *import, gt_store *store, const char *text,
                               const gt_patience *patience);
