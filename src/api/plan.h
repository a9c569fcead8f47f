/* Plans, which tune_kernel() returns and gputune_launch() launches (plan.c); the table of a tuner's
 * plans (plan_table.c), and the table's keys. */
#pragma once

#include "api/description.h"
#include "api/misses.h"
#include "gpu/driver.h"
#include "tuner/tune.h"

#include <stdlib.h>

/* Makes a plan of a choice at the request's problem; takes over the choice's images. If a context
 * is current, the code is loaded now, else at the first launch. With `debug` each launch is checked
 * by gt_debug_launch(). *out is the caller's. */
gputune_status gt_plan_make(gputune_plan **out, const gt_request *request, gt_choice *choice,
                            const gt_driver *driver, bool debug);

/* The current context, which must be of that device; `kernel` is for messages. EINVAL where there
 * is none, or it is of another device. */
gputune_status gt_plan_context(gt_context *out, const gt_driver *driver, int ordinal,
                               const char *kernel);

/* The check that GPUTUNE_DEBUG asks for (memory.c): the driver reports a wrong pointer only at the
 * next synchronise, and without its name. EINVAL, with a message that names the kernel and the
 * argument, if there is no current context, or it is of another device than the plan, or if the
 * device cannot use a buffer: the buffer was freed, lies in host memory, belongs to another context
 * of the device, or is too short for the plan. `items` are the caller's arguments, none of them
 * NULL. Facts that the driver does not know are not checked. */
gputune_status gt_debug_launch(const gt_driver *driver, int ordinal, const char *kernel,
                               const gt_description *description, const void *const *items);

/* Notes that this plan was given out because no stored result answered the request. Must be called
 * before any other thread knows the plan. */
void gt_plan_set_miss(gputune_plan *plan, gt_miss *miss);
/* The miss that was noted for the plan, or NULL. */
gt_miss *gt_plan_miss(const gputune_plan *plan);

/* The watch of the plan's template, which ends with the tuner; NULL: there is none. */
gt_watch *gt_plan_watch(const gputune_plan *plan);

/* Whether two plans launch the same configuration. */
bool gt_plan_is_same(const gputune_plan *a, const gputune_plan *b);

/* Whether a plan is of the kernel of that name. */
bool gt_plan_is_of(const gputune_plan *plan, const char *kernel);

/* Takes a reference for a place, such as the table, where many threads find the plan and retain it.
 * While a plan is shared, threads can retain it at the same time without slowing one another down.
 * One thread at a time may call this. */
void gt_plan_share(gputune_plan *plan);
/* Says that no thread finds the plan in that place any more. The caller must still release the
 * reference of gt_plan_share(). One thread at a time may call this. */
void gt_plan_unshare(gputune_plan *plan);

/* A hash table, with open addressing, of the plans that a tuner has made. Readers take no lock and
 * allocate nothing; there is one writer at a time. Beyond the limit the table drops plans that were
 * not asked for lately, of any kind. A dropped plan that is asked for again is found in the store,
 * which keeps results in memory if no file takes them, or is made again. Entries that are replaced
 * or dropped are freed as soon as no reader sees them; a plan lives as long as somebody holds
 * it. */
typedef struct gt_plan_table gt_plan_table;
enum { GT_PLAN_TABLE_LIMIT = 1024 }; /* limit of a tuner that sets no other */
/* Makes an empty table for `limit` plans, at least 1. ENOMEM. */
gputune_status gt_plan_table_new(gt_plan_table **out, size_t limit);
/* No reader may be inside. */
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
/* Whether a key has these words. */
bool gt_plan_key_is(const gt_plan_key *key, const uint64_t *words, size_t count);

/* Finds the plan of that key whose terms answer `asked` (gt_answers), and retains it for the
 * caller. NULL: there is none. The caller must be a reader (base/readers.h). Equal keys are taken
 * to have equal spaces until the template is edited: *due is the watch to look at, once the caller
 * is no reader any more, before the plan is given out; NULL: not now. */
gputune_plan *gt_plan_table_find(gt_watch **due, gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *asked);
/* Adds a plan that was made under these terms, and retains it. A plan of the same key that answers
 * the same requests stays in its place, unless `replace`. `forgets` is the value of
 * gt_plan_table_forgets() before the plan was made: if the value is another one now, the plan may
 * be of a template that was replaced, and is not added. ENOMEM leaves the table unchanged. */
gputune_status gt_plan_table_add(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *terms, gputune_plan *plan, bool replace,
                                 uint32_t forgets);
/* Drops the plans of one kernel, whether they were asked for by its name, by its template's path,
 * or otherwise. ENOMEM leaves the plans in the table. */
gputune_status gt_plan_table_forget(gt_plan_table *table, const char *name, const char *path);
uint32_t gt_plan_table_forgets(gt_plan_table *table);
/* A number that changes whenever earlier plans may no longer be valid answers: a template was
 * replaced, or gt_plan_table_refresh() was called. */
uint32_t gt_plan_table_changes(gt_plan_table *table);
/* Says that this process has measured, and may have stored results. Plans that this process has not
 * tuned, and that are no final decision, may then be outdated, and are not found any more. */
void gt_plan_table_note_result(gt_plan_table *table);
/* Says that other processes may have stored results. From then on no plan is found before it was
 * looked up in the store again. */
void gt_plan_table_refresh(gt_plan_table *table);
