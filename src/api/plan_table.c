/* The table of plans that answer without a lookup. */
#include "api/plan.h"

#include "base/readers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    uint64_t hash;
    size_t count;
    gt_terms terms;
    gputune_plan *plan;
    atomic_bool used;      /* since it was last passed over when plans were let go */
    atomic_uint refreshes; /* `refreshes` of the table when this plan was last looked up */
    uint32_t results;      /* `results` of the table at that time; ignored for a decision */
    uint64_t key[];
} entry;

typedef struct slots {
    size_t mask;
    _Atomic(entry *) items[];
} slots;

struct gt_plan_table {
    pthread_mutex_t writer;
    _Atomic(slots *) current;
    size_t count, limit; /* entries */
    size_t hand;         /* where the next search for entries to let go begins */
    atomic_uint refreshes, results, forgets; /* how many there were */
};

enum { FIRST_SLOTS = 64 };

/* --- entries ---------------------------------------------------------------------------------- */

static void free_entry(entry *e)
{
    if (e) {
        gt_plan_unshare(e->plan);
        free(e);
    }
}

static slots *new_slots(size_t count)
{
    slots *made = calloc(1, sizeof *made + count * sizeof *made->items);
    if (made) {
        made->mask = count - 1;
    }
    return made;
}

gputune_status gt_plan_table_new(gt_plan_table **out, size_t limit)
{
    gt_plan_table *table = calloc(1, sizeof *table);
    slots *first = new_slots(FIRST_SLOTS);
    if (!table || !first) {
        free(first);
        free(table);
        return gt_fail_memory();
    }
    pthread_mutex_init(&table->writer, NULL);
    atomic_init(&table->current, first);
    table->limit = limit;
    *out = table;
    return GPUTUNE_OK;
}

void gt_plan_table_free(gt_plan_table *table)
{
    if (!table) {
        return;
    }
    slots *last = atomic_load(&table->current);
    for (size_t i = 0; i <= last->mask; i++) {
        free_entry(atomic_load(&last->items[i]));
    }
    free(last);
    pthread_mutex_destroy(&table->writer);
    free(table);
}

/* --- looking up ------------------------------------------------------------------------------- */

/* The slot that holds the key, or the free one where it belongs. */
static _Atomic(entry *) *probe(slots *in, const gt_plan_key *key)
{
    size_t slot = key->hash & in->mask;
    for (;; slot = (slot + 1) & in->mask) {
        entry *e = atomic_load(&in->items[slot]);
        if (!e || (e->hash == key->hash && gt_plan_key_is(key, e->key, e->count))) {
            return &in->items[slot];
        }
    }
}

static bool is_current(gt_plan_table *table, const entry *e)
{
    return atomic_load_explicit(&e->refreshes, memory_order_relaxed) ==
               atomic_load_explicit(&table->refreshes, memory_order_relaxed) &&
           (e->terms.final || e->results == atomic_load(&table->results));
}

static entry *look_up(gt_plan_table *table, const gt_plan_key *key)
{
    slots *in = atomic_load(&table->current);
    return atomic_load(probe(in, key));
}

gputune_plan *gt_plan_table_find(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *asked)
{
    entry *e = key->count ? look_up(table, key) : NULL;
    if (!e || !is_current(table, e)) {
        return NULL;
    }
    gt_terms wanted = *asked;
    wanted.space = e->terms.space; /* equal keys are of equal spaces, until a template is edited */
    if (!gt_answers(&e->terms, &wanted)) {
        return NULL;
    }
    if (!atomic_load_explicit(&e->used, memory_order_relaxed)) {
        atomic_store_explicit(&e->used, true, memory_order_relaxed);
    }
    return gputune_plan_retain(e->plan);
}

/* --- changing --------------------------------------------------------------------------------- */

/* Which entries a table does without. */
typedef struct selection {
    bool (*goes)(struct selection *which, entry *e);
    const char *name, *path;
    size_t wanted; /* how many more are to go */
} selection;

static void insert(slots *into, entry *e)
{
    size_t slot = e->hash & into->mask;
    while (atomic_load_explicit(&into->items[slot], memory_order_relaxed)) {
        slot = (slot + 1) & into->mask;
    }
    atomic_store_explicit(&into->items[slot], e, memory_order_relaxed);
}

/* Puts other slots in place of the table's, without the entries that are selected (NULL: none), and
 * frees what no reader can see any more. */
static gputune_status rebuild(gt_plan_table *table, size_t count, selection *which)
{
    slots *old = atomic_load(&table->current), *made = new_slots(count), *gone = new_slots(count);
    if (!made || !gone) {
        free(made);
        free(gone);
        return gt_fail_memory();
    }
    for (size_t i = 0; i <= old->mask; i++) {
        entry *e = atomic_load(&old->items[(table->hand + i) & old->mask]);
        if (e) {
            bool goes = which && which->goes(which, e);
            table->count -= goes;
            insert(goes ? gone : made, e);
        }
    }
    atomic_store(&table->current, made);
    gt_readers_wait();
    for (size_t i = 0; i <= gone->mask; i++) {
        free_entry(atomic_load(&gone->items[i]));
    }
    free(gone);
    free(old);
    return GPUTUNE_OK;
}

/* Those used since the last time stay this time. */
static bool is_unused(selection *which, entry *e)
{
    bool goes = which->wanted && !atomic_exchange(&e->used, false);
    which->wanted -= goes;
    return goes;
}

static gputune_status make_place(gt_plan_table *table)
{
    size_t size = atomic_load(&table->current)->mask + 1;
    while (table->count >= table->limit) {
        selection which = {.goes = is_unused, .wanted = 1 + table->limit / 8};
        GT_TRY(rebuild(table, size, &which));
        table->hand += size / 8; /* so that not always the same ones go */
    }
    return table->count * 2 < size ? GPUTUNE_OK : rebuild(table, size * 2, NULL);
}

static gputune_status add_locked(gt_plan_table *table, entry *added, const gt_plan_key *key)
{
    GT_TRY(make_place(table));
    _Atomic(entry *) *slot = probe(atomic_load(&table->current), key);
    gt_plan_share(added->plan);
    entry *before = atomic_exchange(slot, added);
    if (before) {
        gt_readers_wait();
        free_entry(before);
    } else {
        table->count++;
    }
    return GPUTUNE_OK;
}

/* Whether the table's plan answers as well. If the same plan is looked up again, its entry becomes
 * current again, so that repeated lookups do not use more memory. */
static bool is_superfluous(gt_plan_table *table, const entry *added, const gt_plan_key *key)
{
    entry *old = look_up(table, key);
    if (!old || !gt_answers_for(&old->terms, &added->terms)) {
        return false;
    }
    bool same = old->terms.final && gt_plan_is_same(old->plan, added->plan);
    if (same) {
        atomic_store(&old->refreshes, atomic_load(&added->refreshes));
    }
    return same || is_current(table, old);
}

gputune_status gt_plan_table_add(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *terms, gputune_plan *plan, bool replace,
                                 uint32_t forgets)
{
    if (!key->count) {
        return GPUTUNE_OK;
    }
    entry *added = malloc(sizeof *added + key->count * sizeof *key->words);
    if (!added) {
        return gt_fail_memory();
    }
    *added = (entry){.hash = key->hash, .count = key->count, .terms = *terms, .plan = plan};
    added->results = atomic_load(&table->results);
    atomic_init(&added->refreshes, atomic_load(&table->refreshes));
    memcpy(added->key, key->words, key->count * sizeof *key->words);
    pthread_mutex_lock(&table->writer);
    bool superfluous =
        forgets != atomic_load(&table->forgets) || (!replace && is_superfluous(table, added, key));
    gputune_status status = superfluous ? GPUTUNE_OK : add_locked(table, added, key);
    pthread_mutex_unlock(&table->writer);
    if (superfluous || status != GPUTUNE_OK) {
        free(added);
    }
    return status;
}

static bool is_of_kernel(selection *which, entry *e)
{
    const char *asked = (const char *)e->key;
    return strcmp(asked, which->name) == 0 || strcmp(asked, which->path) == 0 ||
           gt_plan_is_of(e->plan, which->name);
}

gputune_status gt_plan_table_forget(gt_plan_table *table, const char *name, const char *path)
{
    selection which = {.goes = is_of_kernel, .name = name, .path = path};
    pthread_mutex_lock(&table->writer);
    atomic_fetch_add(&table->forgets, 1);
    gputune_status status = rebuild(table, atomic_load(&table->current)->mask + 1, &which);
    pthread_mutex_unlock(&table->writer);
    return status;
}

uint32_t gt_plan_table_forgets(gt_plan_table *table)
{
    return atomic_load(&table->forgets);
}

uint32_t gt_plan_table_changes(gt_plan_table *table)
{
    return atomic_load(&table->forgets) + atomic_load(&table->refreshes);
}

void gt_plan_table_note_result(gt_plan_table *table)
{
    atomic_fetch_add(&table->results, 1);
}

void gt_plan_table_refresh(gt_plan_table *table)
{
    atomic_fetch_add(&table->refreshes, 1);
}
