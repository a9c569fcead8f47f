/* What is to be known of a database file, for those who look for what is wrong. */
#pragma once

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gt_store_facts {
    char *path;       /* owned; ":memory:" keeps nothing */
    bool exists;      /* the file; without it the rest is not set, but `unwritable` and `network` */
    char damage[256]; /* why it cannot be read, or what a check of all of it found; "" */
    char unwritable[256]; /* why it cannot be written now; "" */
    int64_t bytes, schema, newest_schema, trials, winners;
    const char *distrust; /* gt_distrust(); constant; NULL */
    const char *network;  /* gt_network_of(); constant; NULL */
} gt_store_facts;

/* Looks at the database that gt_store_open() would use for `path`. Changes nothing, but what a
 * writer that was killed left half done is undone. Waits for no lock. ENOTFOUND where there is no
 * place for a database; ENOMEM. gt_store_facts_free() releases. */
gputune_status gt_store_inspect(gt_store_facts *out, const char *path);
void gt_store_facts_free(gt_store_facts *facts);
