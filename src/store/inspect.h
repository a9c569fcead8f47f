/* The state of a database file, for commands that look for what is wrong with it. */
#pragma once

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gt_store_facts {
    char *path;  /* owned; ":memory:" keeps nothing */
    bool exists; /* whether there is a file; if not, only `unwritable` and `network` of the rest are
                    set */
    char damage[256]; /* why the file cannot be read, or what a check of the whole file found; "":
                         nothing */
    char unwritable[256]; /* why the file cannot be written now; "": it can */
    int64_t bytes, schema, newest_schema, trials, winners;
    const char *distrust; /* what gt_distrust() says of the file; constant, or NULL */
    const char *network;  /* what gt_network_of() says of the file; constant, or NULL */
} gt_store_facts;

/* Looks at the database that gt_store_open() would use for `path`. Changes nothing, except that it
 * undoes what a killed writer left half done. Waits for no lock. ENOTFOUND where there is no place
 * for a database; ENOMEM. gt_store_facts_free() releases. */
gputune_status gt_store_inspect(gt_store_facts *out, const char *path);
void gt_store_facts_free(gt_store_facts *facts);
