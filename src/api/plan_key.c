/* The key of a plan in its table: a request as words of 64 bits, and their hash, which is made on
 * the way: what was just written is not read again. */
#include "api/plan.h"

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

/* The table takes the low bits, which shall depend on every bit of every word. */
static uint64_t finish(uint64_t hash)
{
    return ((hash ^ hash >> 32) * golden) >> 32;
}

static inline void put_two(key_writer *to, uint32_t first, uint32_t second)
{
    put(to, first | (uint64_t)second << 32);
}

/* The string ends with the word that has a zero byte. */
static inline void put_string(key_writer *to, const char *string)
{
    enum { BYTES = sizeof(uint64_t), BITS = 8 };
    for (bool ended = false; !ended && to->fits; string += BYTES) {
        uint64_t word = 0;
        for (int i = 0; i < BYTES && !ended; i++) {
            word |= (uint64_t)(unsigned char)string[i] << BITS * i;
            ended = !string[i];
        }
        put(to, word);
    }
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
    out->hash = finish(to.hash);
}

void gt_plan_key_free(gt_plan_key *key)
{
    free(key->heap);
}

bool gt_plan_key_is(const gt_plan_key *key, const uint64_t *words, size_t count)
{
    bool same = count == key->count;
    for (size_t i = 0; same && i < count; i++) {
        same = key->words[i] == words[i];
    }
    return same;
}
