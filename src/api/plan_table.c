/* The table of plans that answer tune_kernel() without a lookup in the database.
 *
 * An application may call tune_kernel() before each launch, on many threads, so a call that finds
 * its plan here (a hit) takes no lock, allocates nothing, and writes to no memory that another
 * thread reads. It computes the key of the request, finds the entry of that key, and compares
 * terms.
 *
 * The key is the request as words of 64 bits: kernel, options that name a scenario and its space,
 * sizes. Its hash is computed while the words are written, because reading them back right away
 * would be slow. Equal hashes do no harm, as keys are compared whole.
 *
 * The table is a hash table with open addressing, whose slots point to entries. It only grows:
 *
 * - An entry is never changed after it is in a slot, except for its atomic members, and never
 *   freed before the table is.
 * - A slot never becomes empty again. It only changes from one entry to a newer one of that key.
 * - If half of the slots are in use, an array of twice as many takes their place. The old array
 *   stays for readers that are inside; they may miss entries that were added since, and then their
 * call takes the slow path. All arrays together are smaller than twice the newest.
 *
 * So a reader needs no protection against the writer, and no thread waits for readers. The price is
 * that a replaced plan stays in memory, so the limit counts all kept plans, including replaced
 * ones. A plan beyond the limit belongs to its caller, and the next call looks it up in the
 * database (in memory if there is no file).
 *
 * An entry is in one of these states:
 *
 * - Current: it answers every request of its key whose terms it covers (gt_answers()).
 * - Outdated: it must be looked up again before it answers, because gputune_refresh() was called
 *   since, or because this process stored a result and the entry is not final. The lookup
 *   makes a new plan. If the new plan has the same result, the entry is current again and the new
 *   plan belongs to its caller, so repeated lookups keep no further plans. Otherwise the new
 *   plan gets an entry, which replaces this one.
 * - Edited: a file of its template was changed (gt_watch). It never answers again.
 * - Dropped: its template was replaced (gt_plan_table_forget()), or a newer result could not be
 *   kept. It never answers again.
 *
 * Closing the tuner: a reader may still be inside, because hits are not counted. The table, the
 * structs of its plans and their watches therefore stay as long as the handle of the closed tuner
 * (tuner.c), and such a reader at most returns a plan that refuses to launch. */
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
    bool fits; /* false if an allocation has failed */
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

/* Appends a word. Each word has its own factor, so the products are computed in parallel. The
 * factors must not be multiples of one number: sizes such as (m + 1, n) and (m, n + 1) would then
 * have equal hashes, and a table of many sizes would have long chains. */
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

/* Puts the first 8 bytes of a string into a word. Returns true if the string ends there. */
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

/* Appends a string, whose last word contains a zero byte. */
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
    /* the table uses the low bits, so mix the high bits into them */
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
    gt_watch *watch;       /* watches the files of the plan's template; NULL: nothing to watch */
    struct entry *next;    /* link in the list of all entries */
    atomic_bool dropped;   /* true if the entry no longer answers requests */
    atomic_uint refreshes; /* the table's `refreshes` at the plan's last lookup */
    atomic_uint results; /* the table's `results` at that lookup; ignored for plans that are final,
                            or proved and ended by a time limit */
    uint64_t key[];
} entry;

typedef struct slots {
    struct slots *older; /* the array that this one replaced */
    size_t mask;
    _Atomic(entry *) items[];
} slots;

struct gt_plan_table {
    pthread_mutex_t writer;
    _Atomic(slots *) current;
    size_t used;        /* slots in use */
    size_t kept, limit; /* number of entries, and its limit */
    entry *entries;     /* all entries, including replaced ones */
    /* how often a refresh, a result or a replaced template was noted */
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

/* Finds the slot of a key: the slot that has the key, or the free slot in which to put it. */
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

/* Returns true if the entry was dropped, or if its template is known to be edited. */
static bool is_over(const entry *e)
{
    return atomic_load_explicit(&e->dropped, memory_order_relaxed) ||
           (e->watch && atomic_load_explicit(&e->watch->edited, memory_order_relaxed));
}

/* Returns true if the entry need not be looked up again for a call. `by_rule`: the call accepts the
 * plan of a rule, which results of single sizes do not replace. */
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
    wanted.space = e->terms.space; /* equal keys have equal spaces until a template is edited */
    if (!gt_answers(&e->terms, &wanted)) {
        return NULL;
    }
    if (e->watch && gt_watch_is_due(e->watch)) {
        *due = e->watch;
    }
    return e->plan;
}

/* --- changing --------------------------------------------------------------------------------- */

/* Makes room for one more key: replaces the array of slots by a larger one if half of it is used.
 */
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

/* Makes an entry, and puts it into the slot of its key. */
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

/* Returns true if an entry answers every request that a new plan with the same key would answer. If
 * both have the same result, the entry becomes current again. */
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
