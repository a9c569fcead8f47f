/* The table of plans that answer without a lookup. Its key is a request as words of 64 bits and
 * their hash, which is made on the way: what was just written is not read again. */
#include "api/plan.h"
#include "base/readers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t golden = 0x9e3779b97f4a7c15; /* 2^64 over the golden ratio, odd */

typedef struct key_writer {
    gt_plan_key *key;
    uint64_t hash, round;
    bool fits; /* memory was never short */
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

/* The products do not wait for each other: each word is multiplied by a number of its own place.
 * Equal hashes are no harm, as keys are compared whole. */
static inline void put(key_writer *to, uint64_t word)
{
    gt_plan_key *key = to->key;
    if (key->count == key->room) {
        to->fits = to->fits && make_room(key);
        if (!to->fits) {
            return;
        }
    }
    key->words[key->count++] = word;
    to->round += golden;
    to->hash += (word ^ to->round) * (to->round | 1);
}

static inline void put_two(key_writer *to, uint32_t first, uint32_t second)
{
    put(to, first | (uint64_t)second << 32);
}

enum { WORD_BYTES = sizeof(uint64_t) };

/* Puts the first bytes of a string into a word. Returns whether the string ends there. */
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

/* The string ends with the word that has a zero byte. Names have few bytes, and paths many, whose
 * length pays. */
static inline void put_string(key_writer *to, const char *string)
{
    uint64_t word;
    bool ended = take_word(&word, string);
    put(to, word);
    if (ended) {
        return;
    }
    string += WORD_BYTES;
    for (size_t left = strlen(string); left >= WORD_BYTES; left -= WORD_BYTES) {
        memcpy(&word, string, sizeof word);
        put(to, word);
        string += WORD_BYTES;
    }
    (void)take_word(&word, string);
    put(to, word);
}

static void put_options(key_writer *to, const gputune_options *o)
{
    put_two(to, (uint32_t)o->objective, (uint32_t)o->cache);
    put_two(to, o->alignment, (uint32_t)o->alignment_count);
    put_two(to, (uint32_t)o->only_count, o->reference != NULL);
    if (o->reference) {
        put(to, (uintptr_t)o->reference);
        put(to, (uintptr_t)o->user);
        put_string(to, o->reference_tag ? o->reference_tag : "");
    }
    put(to, o->seed);
    for (size_t i = 0; i < o->alignment_count; i++) {
        put_string(to, o->alignments[i].buffer);
        put(to, o->alignments[i].bytes);
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
        put(&to, (uint64_t)sizes.items[i].value);
    }
    if (!to.fits || options->input_count || options->file_count) {
        out->count = 0;
    }
    /* the table takes the low bits, which shall depend on every bit of every word */
    out->hash = ((to.hash ^ to.hash >> 32) * golden) >> 32;
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
    gt_watch *watch;       /* of the plan's template; NULL: its files do not change */
    struct entry *next;    /* of those that are gone */
    atomic_bool used;      /* since the hand last passed it */
    bool goes;             /* when other slots are next put in place of the table's */
    atomic_uint refreshes; /* `refreshes` of the table when this plan was last looked up */
    uint32_t results; /* `results` of the table at that time; ignored for what was tuned here */
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
    size_t hand;         /* the slot where the next search for entries to let go begins */
    entry *gone;         /* no reader sees them any more; freed without the lock */
    atomic_uint refreshes, results, forgets; /* how many there were */
};

enum { FIRST_SLOTS = 64 };

/* --- entries ---------------------------------------------------------------------------------- */

static void free_entry(entry *e)
{
    gputune_plan_release(e->plan);
    free(e);
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
    GT_FREED slots *last = atomic_load(&table->current);
    for (size_t i = 0; i <= last->mask; i++) {
        entry *e = atomic_load(&last->items[i]);
        if (e) {
            gt_plan_unshare(e->plan);
            free_entry(e);
        }
    }
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

/* Whether the template of an entry was edited, as far as known. */
static bool is_edited(const entry *e)
{
    return e->watch && atomic_load_explicit(&e->watch->edited, memory_order_relaxed);
}

static bool is_current(gt_plan_table *table, const entry *e)
{
    return !is_edited(e) &&
           atomic_load_explicit(&e->refreshes, memory_order_relaxed) ==
               atomic_load_explicit(&table->refreshes, memory_order_relaxed) &&
           (e->terms.final || e->terms.limit_s > 0 || e->results == atomic_load(&table->results));
}

static entry *look_up(gt_plan_table *table, const gt_plan_key *key)
{
    slots *in = atomic_load(&table->current);
    return atomic_load(probe(in, key));
}

gputune_plan *gt_plan_table_find(gt_watch **due, gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *asked)
{
    *due = NULL;
    entry *e = key->count ? look_up(table, key) : NULL;
    if (!e || !is_current(table, e)) {
        return NULL;
    }
    gt_terms wanted = *asked;
    wanted.space = e->terms.space; /* equal keys are of equal spaces, until a template is edited */
    if (!gt_answers(&e->terms, &wanted)) {
        return NULL;
    }
    if (e->watch && gt_watch_is_due(e->watch)) {
        *due = e->watch;
    }
    if (!atomic_load_explicit(&e->used, memory_order_relaxed)) {
        atomic_store_explicit(&e->used, true, memory_order_relaxed);
    }
    return gputune_plan_retain(e->plan);
}

/* --- changing --------------------------------------------------------------------------------- */

static void insert(slots *into, entry *e)
{
    size_t slot = e->hash & into->mask;
    while (atomic_load_explicit(&into->items[slot], memory_order_relaxed)) {
        slot = (slot + 1) & into->mask;
    }
    atomic_store_explicit(&into->items[slot], e, memory_order_relaxed);
}

/* Queues an entry that no reader sees any more, to be freed. */
static void let_go(gt_plan_table *table, entry *e)
{
    e->next = table->gone;
    table->gone = e;
}

/* Replaces the table's slots by empty ones, and moves all entries there except those that go. */
static void move_to(gt_plan_table *table, slots *made)
{
    GT_FREED slots *old = atomic_load(&table->current);
    for (size_t i = 0; i <= old->mask; i++) {
        entry *e = atomic_load(&old->items[i]);
        if (e && !e->goes) {
            insert(made, e);
        }
    }
    atomic_store(&table->current, made);
    gt_readers_wait();
    for (size_t i = 0; i <= old->mask; i++) {
        entry *e = atomic_load(&old->items[i]);
        if (e && e->goes) {
            let_go(table, e);
            table->count--;
        }
    }
}

/* Ends a change. Freeing a plan may wait for its launches, and other writers do not wait for
 * that. */
static void unlock(gt_plan_table *table)
{
    entry *gone = table->gone, *next;
    table->gone = NULL;
    for (entry *e = gone; e; e = e->next) {
        gt_plan_unshare(e->plan);
    }
    pthread_mutex_unlock(&table->writer);
    for (; gone; gone = next) {
        next = gone->next;
        free_entry(gone);
    }
}

/* The clock algorithm: the hand goes round, and spares what was used since it last came by. In the
 * third round, nothing. */
static void choose_unused(gt_plan_table *table, size_t wanted)
{
    slots *in = atomic_load(&table->current);
    for (size_t i = 0, size = in->mask + 1; wanted && i < 3 * size; i++) {
        entry *e = atomic_load(&in->items[table->hand++ & in->mask]);
        if (e && !e->goes && (!atomic_exchange(&e->used, false) || i >= 2 * size)) {
            e->goes = true;
            wanted--;
        }
    }
}

/* Makes room for one more plan. Few plans are dropped at a time, because the call that adds a plan
 * frees them. */
static gputune_status make_place(gt_plan_table *table)
{
    size_t size = atomic_load(&table->current)->mask + 1;
    bool full = table->count >= table->limit;
    if (!full && table->count * 2 < size) {
        return GPUTUNE_OK;
    }
    slots *made = new_slots(full ? size : size * 2);
    GT_TRY(gt_allocated(made));
    if (full) {
        choose_unused(table, 1 + table->limit / 64);
    }
    move_to(table, made);
    return GPUTUNE_OK;
}

static gputune_status add_locked(gt_plan_table *table, entry *added, const gt_plan_key *key)
{
    GT_TRY(make_place(table));
    _Atomic(entry *) *slot = probe(atomic_load(&table->current), key);
    gt_plan_share(added->plan);
    entry *before = atomic_exchange(slot, added);
    if (before) {
        gt_readers_wait();
        let_go(table, before);
    } else {
        table->count++;
    }
    return GPUTUNE_OK;
}

/* Whether the table's plan answers the same requests as a new one. If the same plan is looked up
 * again, its entry becomes current again, so that repeated lookups do not use more memory. */
static bool is_superfluous(gt_plan_table *table, const entry *added, const gt_plan_key *key)
{
    entry *old = look_up(table, key);
    if (!old || !gt_answers_for(&old->terms, &added->terms)) {
        return false;
    }
    bool same = old->terms.final && !is_edited(old) && gt_plan_is_same(old->plan, added->plan);
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
    GT_TRY(gt_allocated(added));
    *added = (entry){.hash = key->hash, .count = key->count, .terms = *terms, .plan = plan};
    added->watch = gt_plan_watch(plan);
    added->results = atomic_load(&table->results);
    atomic_init(&added->refreshes, atomic_load(&table->refreshes));
    memcpy(added->key, key->words, key->count * sizeof *key->words);
    pthread_mutex_lock(&table->writer);
    bool superfluous =
        forgets != atomic_load(&table->forgets) || (!replace && is_superfluous(table, added, key));
    gputune_status status = superfluous ? GPUTUNE_OK : add_locked(table, added, key);
    unlock(table);
    if (superfluous || status != GPUTUNE_OK) {
        free(added);
    }
    return status;
}

gputune_status gt_plan_table_forget(gt_plan_table *table, const char *name, const char *path)
{
    pthread_mutex_lock(&table->writer);
    atomic_fetch_add(&table->forgets, 1);
    slots *in = atomic_load(&table->current), *made = new_slots(in->mask + 1);
    for (size_t i = 0; made && i <= in->mask; i++) {
        entry *e = atomic_load(&in->items[i]);
        const char *asked = e ? (const char *)e->key : NULL;
        if (e) {
            e->goes = strcmp(asked, name) == 0 || strcmp(asked, path) == 0 ||
                      gt_plan_is_of(e->plan, name);
        }
    }
    if (made) {
        move_to(table, made);
    }
    unlock(table);
    return gt_allocated(made);
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
