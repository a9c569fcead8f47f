/* The table of plans that answer tune_kernel() without a lookup in the database.
 *
 * An application may call tune_kernel() before each launch, on many threads. So a call that finds
 * its plan in the table (a hit) takes no lock, allocates nothing, and writes to no memory that
 * another thread reads. It computes the key of the request, finds the entry of that key, and
 * compares terms.
 *
 * The key is the request as 64-bit words: kernel, options that determine the scenario and its
 * space, sizes. Its hash is computed while the words are written, because reading them back
 * immediately would be slow. Keys with equal hashes are compared word by word.
 *
 * The table is a hash table with open addressing, whose slots point to entries. It only grows:
 * - An entry in a slot never changes, except for its atomic members. It is freed with the table.
 * - A used slot never becomes empty. It may only change to a newer entry with the same key.
 * - If half of the slots are used, an array of twice the size replaces them. The old array stays
 *   for threads that are reading it. They may miss newer entries; their calls then take the slow
 *   path. All old arrays together are smaller than the newest array.
 *
 * So a reader needs no protection against the writer, and the writer never waits for readers. The
 * price is that replaced plans stay in memory, so the limit counts all kept plans, including
 * replaced ones. A plan beyond the limit belongs to its caller, and the next call looks it up in
 * the database (in memory if there is no file).
 *
 * An entry is in one of these states:
 * - Current: the entry answers all requests with its key that its terms satisfy (gt_answers()).
 * - Outdated: the plan must be looked up again, because gputune_refresh() was called, or because
 *   this process stored a result and the entry is not final. The lookup makes a new plan. If the
 *   new plan has the same result, the entry becomes current again and the new plan belongs to its
 *   caller, so repeated lookups keep no further plans. Otherwise an entry with the new plan
 *   replaces this entry.
 * - Edited: a file of the template was changed (gt_watch). The entry is never used again.
 * - Dropped: the template was replaced (gt_plan_table_forget()), or a newer result could not be
 *   kept. The entry is never used again.
 *
 * Hits are not counted as calls, so a thread may still read the table while the tuner is closed.
 * The table, the structs of its plans and their watches therefore stay as long as the handle of the
 * closed tuner (tuner.c). Such a thread gets a plan that refuses to launch. */
#include "api/plan.h"

#include "base/condition.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* --- keys ------------------------------------------------------------------------------------- */

static const uint64_t golden = 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio */

typedef struct key_writer {
    gt_plan_key *key;
    uint64_t hash, round;
    bool fits;
} key_writer;

static bool make_room(gt_plan_key *key)
{
    size_t room = key->room * 2;
    uint64_t *more = realloc(key->heap, room * sizeof *more);
    if (!more) {
        return false;
    }
    if (!key->heap) {
        memcpy(more, key->inside, key->count * sizeof *more);
    }
    key->words = key->heap = more;
    key->room = room;
    return true;
}

/* Appends a word to a key. Each word has its own factor, so the products are computed in parallel.
 * If the factors were multiples of one number, sizes such as (m + 1, n) and (m, n + 1) would have
 * equal hashes, and a table of many sizes would have long chains. */
static inline void put_word(key_writer *to, uint64_t word)
{
    gt_plan_key *key = to->key;
    if (key->count == key->room) {
        to->fits = to->fits && make_room(key);
        if (!to->fits) {
            return;
        }
    }
    key->words[key->count++] = word;
    to->round = (to->round << 29 | to->round >> 35) + golden;
    to->hash += (word ^ to->round) * (to->round | 1);
}

static inline void put_two(key_writer *to, uint32_t first, uint32_t second)
{
    put_word(to, first | (uint64_t)second << 32);
}

enum { WORD_BYTES = sizeof(uint64_t) };

static inline bool take_word(uint64_t *out, const char *string)
{
    enum { BITS = 8 };
    bool ended = false;
    *out = 0;
    for (int i = 0; i < WORD_BYTES && !ended; i++) {
        *out |= (uint64_t)(unsigned char)string[i] << BITS * i;
        ended = !string[i];
    }
    return ended;
}

static inline void put_string(key_writer *to, const char *string)
{
    uint64_t word;
    bool ended = take_word(&word, string);
    put_word(to, word);
    if (ended) {
        return;
    }
    string += WORD_BYTES;
    for (size_t left = strlen(string); left >= WORD_BYTES; left -= WORD_BYTES) {
        memcpy(&word, string, sizeof word);
        put_word(to, word);
        string += WORD_BYTES;
    }
    (void)take_word(&word, string);
    put_word(to, word);
}

static void put_options(key_writer *to, const gputune_options *o)
{
    put_two(to, (uint32_t)o->objective, (uint32_t)o->cache);
    put_two(to, o->alignment, (uint32_t)o->alignment_count);
    put_two(to, (uint32_t)o->only_count, o->reference != NULL);
    if (o->reference) {
        put_word(to, (uintptr_t)o->reference);
        put_word(to, (uintptr_t)o->user);
        put_string(to, o->reference_tag ? o->reference_tag : "");
    }
    put_word(to, o->seed);
    for (size_t i = 0; i < o->alignment_count; i++) {
        put_string(to, o->alignments[i].buffer);
        put_word(to, o->alignments[i].bytes);
    }
    for (size_t i = 0; i < o->only_count; i++) {
        put_string(to, o->only[i]);
    }
}

void gt_plan_key_make(gt_plan_key *out, const char *kernel, gputune_sizes sizes,
                      const gputune_options *options)
{
    out->count = 0;
    out->room = sizeof out->inside / sizeof *out->inside;
    out->words = out->inside;
    out->heap = NULL;
    key_writer to = {.key = out, .fits = true};
    put_string(&to, kernel);
    put_options(&to, options);
    for (size_t i = 0; i < sizes.count; i++) {
        put_string(&to, sizes.items[i].name);
        put_word(&to, (uint64_t)sizes.items[i].value);
    }
    if (!to.fits || options->input_count || options->file_count) {
        out->count = 0;
    }
    /* mix in the high bits, because the table uses the low bits */
    out->hash = ((to.hash ^ to.hash >> 32) * golden) >> 32;
}

size_t gt_plan_key_head(const gt_plan_key *key, gputune_sizes sizes)
{
    size_t words = 0;
    for (size_t i = 0; i < sizes.count; i++) {
        words += gt_plan_key_words(sizes.items[i].name) + 1;
    }
    return key->count - words;
}

bool gt_plan_key_is(const gt_plan_key *key, const uint64_t *words, size_t count)
{
    bool same = count == key->count;
    for (size_t i = 0; same && i < count; i++) {
        same = key->words[i] == words[i];
    }
    return same;
}

typedef struct entry {
    uint64_t hash;
    size_t count;
    gt_terms terms;
    gputune_plan *plan;
    gt_watch *watch; /* watches the template's files; NULL if there is nothing to watch */
    struct entry *next;
    atomic_bool dropped;
    atomic_uint refreshes; /* the table's counter `refreshes` at the plan's last lookup */
    atomic_uint results;   /* the table's counter `results` at the plan's last lookup; ignored for a
                              final plan, and for a verified plan whose tuning hit its time limit */
    uint64_t key[];
} entry;

typedef struct slots {
    struct slots *older;
    size_t mask;
    _Atomic(entry *) items[];
} slots;

struct gt_plan_table {
    pthread_mutex_t writer;
    _Atomic(slots *) current;
    size_t used; /* slots in use */
    size_t kept, limit;
    entry *entries;
    atomic_uint refreshes, results, forgets;
};

enum { FIRST_SLOTS = 64 };

/* --- making ----------------------------------------------------------------------------------- */

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
    GT_FREED gt_plan_table *table = calloc(1, sizeof *table);
    GT_FREED slots *first = new_slots(FIRST_SLOTS);
    GT_TRY(gt_allocated(table));
    GT_TRY(gt_allocated(first));
    pthread_mutex_init(&table->writer, NULL);
    atomic_init(&table->current, gt_take(&first));
    table->limit = limit;
    *out = gt_take(&table);
    return GPUTUNE_OK;
}

void gt_plan_table_free(gt_plan_table *table)
{
    entry *next;
    slots *older;
    if (!table) {
        return;
    }
    for (entry *e = table->entries; e; e = next) {
        next = e->next;
        free(e);
    }
    for (slots *at = atomic_load(&table->current); at; at = older) {
        older = at->older;
        free(at);
    }
    pthread_mutex_destroy(&table->writer);
    free(table);
}

/* --- looking up ------------------------------------------------------------------------------- */

static _Atomic(entry *) *probe(slots *in, const gt_plan_key *key)
{
    size_t slot = key->hash & in->mask;
    for (;; slot = (slot + 1) & in->mask) {
        entry *e = atomic_load_explicit(&in->items[slot], memory_order_acquire);
        if (!e || (e->hash == key->hash && gt_plan_key_is(key, e->key, e->count))) {
            return &in->items[slot];
        }
    }
}

static entry *look_up(gt_plan_table *table, const gt_plan_key *key)
{
    slots *in = atomic_load_explicit(&table->current, memory_order_acquire);
    return atomic_load_explicit(probe(in, key), memory_order_acquire);
}

static bool is_over(const entry *e)
{
    return atomic_load_explicit(&e->dropped, memory_order_relaxed) ||
           (e->watch && atomic_load_explicit(&e->watch->edited, memory_order_relaxed));
}

/* Returns true if a call may use the entry without another lookup. If `by_rule` is true, the call
 * accepts a plan that a rule chose. Such a plan stays current when a result is stored. */
static bool is_current(gt_plan_table *table, const entry *e, bool by_rule)
{
    const gt_terms *terms = &e->terms;
    return !is_over(e) &&
           atomic_load_explicit(&e->refreshes, memory_order_relaxed) ==
               atomic_load_explicit(&table->refreshes, memory_order_relaxed) &&
           (terms->final || (terms->proved && terms->limit_s > 0) ||
            atomic_load_explicit(&e->results, memory_order_relaxed) ==
                atomic_load(&table->results) ||
            (by_rule && terms->by_rule));
}

gputune_plan *gt_plan_table_find(gt_watch **due, gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *asked)
{
    *due = NULL;
    entry *e = key->count ? look_up(table, key) : NULL;
    if (!e || !is_current(table, e, asked->by_rule)) {
        return NULL;
    }
    gt_terms wanted = *asked;
    wanted.space = e->terms.space; /* the space is in the key already */
    if (!gt_answers(&e->terms, &wanted)) {
        return NULL;
    }
    if (e->watch && gt_watch_is_due(e->watch)) {
        *due = e->watch;
    }
    return e->plan;
}

/* --- changing --------------------------------------------------------------------------------- */

/* If half of the slots are used, replaces the array by a larger one. */
static gputune_status make_place(gt_plan_table *table)
{
    slots *old = atomic_load(&table->current);
    const size_t size = old->mask + 1;
    if (table->used * 2 < size) {
        return GPUTUNE_OK;
    }
    slots *made = new_slots(size * 2);
    GT_TRY(gt_allocated(made));
    made->older = old;
    for (size_t i = 0; i < size; i++) {
        entry *e = atomic_load(&old->items[i]);
        size_t slot = e ? e->hash & made->mask : 0;
        while (e && atomic_load_explicit(&made->items[slot], memory_order_relaxed)) {
            slot = (slot + 1) & made->mask;
        }
        if (e) {
            atomic_store_explicit(&made->items[slot], e, memory_order_relaxed);
        }
    }
    atomic_store(&table->current, made);
    return GPUTUNE_OK;
}

static gputune_status add_entry(gt_plan_table *table, const gt_plan_key *key, const gt_terms *terms,
                                gputune_plan *plan)
{
    entry *added;
    GT_TRY(make_place(table));
    added = malloc(sizeof *added + key->count * sizeof *key->words);
    GT_TRY(gt_allocated(added));
    *added = (entry){.hash = key->hash, .count = key->count, .terms = *terms, .plan = plan};
    added->watch = gt_plan_watch(plan);
    atomic_init(&added->refreshes, atomic_load(&table->refreshes));
    atomic_init(&added->results, atomic_load(&table->results));
    memcpy(added->key, key->words, key->count * sizeof *key->words);
    gt_plan_keep(plan);
    added->next = table->entries;
    table->entries = added;
    table->kept++;
    table->used += !atomic_exchange(probe(atomic_load(&table->current), key), added);
    return GPUTUNE_OK;
}

/* Returns true if the entry `old` makes `plan` unnecessary: `old` is current and satisfies every
 * request that `plan` would satisfy. If `plan` has the same result as `old`, first makes `old`
 * current again. */
static bool is_enough(gt_plan_table *table, entry *old, const gt_terms *terms,
                      const gputune_plan *plan)
{
    if (!old || is_over(old) || !gt_answers_for(&old->terms, terms)) {
        return false;
    }
    if (gt_plan_is_same(old->plan, plan)) {
        atomic_store(&old->results, atomic_load(&table->results));
        atomic_store(&old->refreshes, atomic_load(&table->refreshes));
    }
    return is_current(table, old, terms->by_rule);
}

gputune_status gt_plan_table_add(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *terms, gputune_plan *plan, bool replace,
                                 uint32_t forgets)
{
    if (!key->count) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&table->writer);
    entry *old = look_up(table, key);
    if (forgets != atomic_load(&table->forgets) ||
        (!replace && is_enough(table, old, terms, plan))) {
        return GPUTUNE_OK;
    }
    if (table->kept < (terms->by_rule ? table->limit / 2 : table->limit)) {
        return add_entry(table, key, terms, plan);
    }
    if (old) {
        atomic_store(&old->dropped, true);
    }
    return GPUTUNE_OK;
}

bool gt_plan_table_is_empty(const gt_plan_table *table)
{
    return !table || !table->entries;
}

bool gt_plan_table_has_measured(gt_plan_table *table, const gt_plan_key *key)
{
    const entry *e = look_up(table, key);
    return e && !is_over(e) && e->terms.effort >= GPUTUNE_MEASURE;
}

void gt_plan_table_forget(gt_plan_table *table, const char *name, const char *path)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&table->writer);
    atomic_fetch_add(&table->forgets, 1);
    for (entry *e = table->entries; e; e = e->next) {
        const char *asked = (const char *)e->key;
        if (strcmp(asked, name) == 0 || strcmp(asked, path) == 0 || gt_plan_is_of(e->plan, name)) {
            atomic_store(&e->dropped, true);
        }
    }
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
