/* The table of plans that answer without a lookup. */
#include "api/plan.h"

#include "base/array.h"
#include "base/hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct entry {
    uint64_t hash;
    size_t length;
    gt_terms terms;
    gputune_plan *plan;
    atomic_uint refreshes; /* `refreshes` of the table when this plan was last looked up */
    uint32_t results;      /* `results` of the table at that time; ignored for a decision */
    unsigned char key[];
} entry;

typedef struct slots {
    size_t mask;
    _Atomic(entry *) items[];
} slots;

struct gt_plan_table {
    pthread_mutex_t writer;
    _Atomic(slots *) current;
    size_t used;
    atomic_uint refreshes, results; /* how many there were */
    GT_ARRAY(entry *) entries;      /* every entry ever made; readers may use any of them */
    GT_ARRAY(slots *) generations;
};

static gputune_status new_slots(slots **out, size_t count)
{
    slots *made = calloc(1, sizeof *made + count * sizeof *made->items);
    if (!made) {
        return gt_fail_memory();
    }
    made->mask = count - 1;
    *out = made;
    return GPUTUNE_OK;
}

gputune_status gt_plan_table_new(gt_plan_table **out)
{
    gt_plan_table *table = calloc(1, sizeof *table);
    slots *first;
    if (!table || new_slots(&first, 64) != GPUTUNE_OK) {
        free(table);
        return gt_fail_memory();
    }
    if (gt_array_push(&table->generations, first) != GPUTUNE_OK) {
        free(first);
        free(table);
        return GPUTUNE_ENOMEM;
    }
    pthread_mutex_init(&table->writer, NULL);
    atomic_init(&table->current, first);
    *out = table;
    return GPUTUNE_OK;
}

void gt_plan_table_free(gt_plan_table *table)
{
    if (!table) {
        return;
    }
    for (size_t i = 0; i < table->entries.count; i++) {
        gputune_plan_release(table->entries.items[i]->plan);
        free(table->entries.items[i]);
    }
    for (size_t i = 0; i < table->generations.count; i++) {
        free(table->generations.items[i]);
    }
    gt_array_free(&table->entries);
    gt_array_free(&table->generations);
    pthread_mutex_destroy(&table->writer);
    free(table);
}

static bool put(gt_plan_key *key, const void *bytes, size_t count)
{
    if (count > GT_PLAN_KEY_MAX - key->length) {
        return false;
    }
    memcpy(key->bytes + key->length, bytes, count);
    key->length += count;
    return true;
}

static bool put_string(gt_plan_key *key, const char *string)
{
    return put(key, string ? string : "", string ? strlen(string) + 1 : 1);
}

static bool put_options(gt_plan_key *key, const gputune_options *o)
{
    const uint32_t words[] = {(uint32_t)o->objective, (uint32_t)o->cache, o->alignment,
                              (uint32_t)o->alignment_count, (uint32_t)o->only_count};
    bool fits = put(key, words, sizeof words) && put(key, &o->seed, sizeof o->seed);
    for (size_t i = 0; i < o->alignment_count; i++) {
        fits = fits && put_string(key, o->alignments[i].buffer) &&
               put(key, &o->alignments[i].bytes, sizeof o->alignments[i].bytes);
    }
    for (size_t i = 0; i < o->only_count; i++) {
        fits = fits && put_string(key, o->only[i]);
    }
    return fits;
}

void gt_plan_key_make(gt_plan_key *out, const char *kernel, gputune_sizes sizes,
                      const gputune_options *options, uint32_t generation)
{
    out->length = 0;
    bool fits = put_string(out, kernel) && put(out, &generation, sizeof generation) &&
                put_options(out, options);
    for (size_t i = 0; i < sizes.count; i++) {
        fits = fits && put_string(out, sizes.items[i].name) &&
               put(out, &sizes.items[i].value, sizeof sizes.items[i].value);
    }
    bool files = options->version >= 3 && options->file_count > 0;
    out->length = fits && !options->input_count && !files ? out->length : 0;
    out->hash = gt_hash64(out->bytes, out->length);
}

static bool same_key(const entry *e, const gt_plan_key *key)
{
    return e->hash == key->hash && e->length == key->length &&
           memcmp(e->key, key->bytes, key->length) == 0;
}

/* The slot that holds the key, or the free one where it belongs. */
static _Atomic(entry *) *probe(slots *in, const gt_plan_key *key)
{
    size_t slot = key->hash & in->mask;
    for (;; slot = (slot + 1) & in->mask) {
        entry *e = atomic_load_explicit(&in->items[slot], memory_order_acquire);
        if (!e || same_key(e, key)) {
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
    slots *in = atomic_load_explicit(&table->current, memory_order_acquire);
    return atomic_load_explicit(probe(in, key), memory_order_acquire);
}

gputune_plan *gt_plan_table_find(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *asked)
{
    entry *e = key->length ? look_up(table, key) : NULL;
    if (!e || !is_current(table, e)) {
        return NULL;
    }
    gt_terms wanted = *asked;
    wanted.space = e->terms.space; /* equal keys are of equal spaces, until a template is edited */
    return gt_answers(&e->terms, &wanted) ? gputune_plan_retain(e->plan) : NULL;
}

static gputune_status grow(gt_plan_table *table)
{
    slots *old = atomic_load(&table->current), *more;
    if (table->used * 2 < old->mask) {
        return GPUTUNE_OK;
    }
    GT_TRY(new_slots(&more, (old->mask + 1) * 2));
    if (gt_array_push(&table->generations, more) != GPUTUNE_OK) {
        free(more);
        return GPUTUNE_ENOMEM;
    }
    for (size_t i = 0; i <= old->mask; i++) {
        entry *e = atomic_load(&old->items[i]);
        size_t slot = e ? e->hash & more->mask : 0;
        while (e && atomic_load(&more->items[slot])) {
            slot = (slot + 1) & more->mask;
        }
        if (e) {
            atomic_store(&more->items[slot], e);
        }
    }
    atomic_store_explicit(&table->current, more, memory_order_release);
    return GPUTUNE_OK;
}

static gputune_status add_locked(gt_plan_table *table, entry *added, const gt_plan_key *key)
{
    GT_TRY(grow(table));
    GT_TRY(gt_array_push(&table->entries, added));
    _Atomic(entry *) *slot = probe(atomic_load(&table->current), key);
    table->used += atomic_load(slot) == NULL;
    atomic_store_explicit(slot, added, memory_order_release);
    gputune_plan_retain(added->plan);
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
                                 const gt_terms *terms, gputune_plan *plan, bool replace)
{
    if (!key->length) {
        return GPUTUNE_OK;
    }
    entry *added = malloc(sizeof *added + key->length);
    if (!added) {
        return gt_fail_memory();
    }
    *added = (entry){.hash = key->hash, .length = key->length, .terms = *terms, .plan = plan};
    added->results = atomic_load(&table->results);
    atomic_init(&added->refreshes, atomic_load(&table->refreshes));
    memcpy(added->key, key->bytes, key->length);
    pthread_mutex_lock(&table->writer);
    bool superfluous = !replace && is_superfluous(table, added, key);
    gputune_status status = superfluous ? GPUTUNE_OK : add_locked(table, added, key);
    pthread_mutex_unlock(&table->writer);
    if (superfluous || status != GPUTUNE_OK) {
        free(added);
    }
    return status;
}

void gt_plan_table_note_result(gt_plan_table *table)
{
    atomic_fetch_add(&table->results, 1);
}

void gt_plan_table_refresh(gt_plan_table *table)
{
    atomic_fetch_add(&table->refreshes, 1);
}
