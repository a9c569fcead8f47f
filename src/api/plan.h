/* Plans, which tune_kernel() returns and gputune_launch() launches, and the table of them. */
#pragma once

#include "api/code.h"
#include "api/description.h"
#include "api/misses.h"
#include "tuner/tune.h"

#include <stdlib.h>

/* Makes a pool without plans. `driver` is NULL for a tuner that launches nothing. */
void gt_plan_pool_open(gt_plan_pool *out, const gt_driver *driver, const gt_device *device,
                       bool debug);
/* Ends all plans of the pool: unloads their code, and makes later uses EINVAL. No launch may run.
 */
void gt_plan_pool_end(gt_plan_pool *pool);
/* Frees what is left of the kept plans, after gt_plan_pool_end(). */
void gt_plan_pool_free(gt_plan_pool *pool);

/* Makes a plan of a choice at the request's problem, and takes over its images. Loads the code now
 * if a context is current. *out is the caller's, for gputune_plan_release(). */
gputune_status gt_plan_make(gputune_plan **out, const gt_request *request, gt_choice *choice,
                            gt_plan_pool *pool);
/* Releases a GT_SCOPED plan. */
static inline void gt_plan_release_at(gputune_plan **plan)
{
    gputune_plan_release(*plan);
}
/* Keeps the plan, uncounted, until the pool ends. Call it before other threads know the plan. */
void gt_plan_keep(gputune_plan *plan);

/* The current context. EINVAL where there is none, or of another device; `kernel`: for messages. */
gputune_status gt_plan_context(gt_context *out, const gt_driver *driver, int ordinal,
                               const char *kernel);

/* The check of GPUTUNE_DEBUG (memory.c), because the driver reports a wrong pointer only at the
 * next synchronise, and without its name. EINVAL, naming kernel and argument: there is no current
 * context of the plan's device, or a buffer was freed, is in host memory, of another context, or
 * too short. `items` are the caller's arguments, not NULL. Facts that the driver does not know are
 * not checked. */
gputune_status gt_debug_launch(const gt_driver *driver, int ordinal, const char *kernel,
                               const gt_description *description, const void *const *items);

/* Notes that no stored result answered this plan's request, before other threads know it. */
void gt_plan_set_miss(gputune_plan *plan, gt_miss *miss);
/* The miss that was noted for the plan, or NULL. */
gt_miss *gt_plan_miss(const gputune_plan *plan);

/* The watch of the plan's template, which lives as long as the plan; NULL: there is none. */
gt_watch *gt_plan_watch(const gputune_plan *plan);

/* Returns true if two plans have the same result: configuration, source and time. */
bool gt_plan_is_same(const gputune_plan *a, const gputune_plan *b);

/* Returns true if a plan is of the kernel of that name. */
bool gt_plan_is_of(const gputune_plan *plan, const char *kernel);

/* The plans that calls find without a lookup (plan_table.c). Readers take no lock, write nothing
 * that other threads read, and allocate nothing; there is one writer at a time. */
typedef struct gt_plan_table gt_plan_table;
enum { GT_PLAN_TABLE_LIMIT = 16384 }; /* limit of a tuner that sets no other */
/* Makes an empty table for `limit` plans, at least 1. ENOMEM. */
gputune_status gt_plan_table_new(gt_plan_table **out, size_t limit);
/* No reader may be inside. Plans stay their pool's. NULL is allowed. */
void gt_plan_table_free(gt_plan_table *table);

/* The key of a request: its kernel, its sizes, and the options that name a scenario and its space,
 * as words. If the request has live inputs, which may change under the same pointer, or if memory
 * is short, `count` is 0, and the key is never in the table. gt_plan_key_free() releases it. */
typedef struct gt_plan_key {
    size_t count, room;
    uint64_t hash;
    uint64_t *words, *heap; /* words points to `inside`, or to `heap` if the key is long */
    uint64_t inside[64];
} gt_plan_key;
void gt_plan_key_make(gt_plan_key *out, const char *kernel, gputune_sizes sizes,
                      const gputune_options *options);
static inline void gt_plan_key_free(gt_plan_key *key)
{
    if (key->heap) {
        free(key->heap);
    }
}
/* Returns true if a key has these words. */
bool gt_plan_key_is(const gt_plan_key *key, const uint64_t *words, size_t count);

/* Finds the kept plan of that key whose terms answer `asked` (gt_answers), or NULL. Until the
 * template is edited, equal keys have equal spaces: look at *due, if not NULL, before using it. */
gputune_plan *gt_plan_table_find(gt_watch **due, gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *asked);
/* Adds a plan that was made under these terms, and keeps it (gt_plan_keep()). Leaves it to the
 * caller if the table is full; or if a plan of the same key answers the same requests, unless
 * `replace`; or if `forgets`, the value of gt_plan_table_forgets() before the plan was made, has
 * changed: the plan may be of a template that was replaced. ENOMEM leaves the table unchanged. */
gputune_status gt_plan_table_add(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *terms, gputune_plan *plan, bool replace,
                                 uint32_t forgets);
/* Lets no plan of the kernel answer any more, by whatever name or path it was asked for. */
void gt_plan_table_forget(gt_plan_table *table, const char *name, const char *path);
uint32_t gt_plan_table_forgets(gt_plan_table *table);
/* A number that changes when a template is replaced, and by gt_plan_table_refresh(). */
uint32_t gt_plan_table_changes(gt_plan_table *table);
/* Says that this process has measured, and may have stored results. Plans that this process has not
 * tuned, and that are no final decision, may then be outdated, and are not found any more. */
void gt_plan_table_note_result(gt_plan_table *table);
/* Notes that other processes may have stored results: plans must be looked up again. */
void gt_plan_table_refresh(gt_plan_table *table);
