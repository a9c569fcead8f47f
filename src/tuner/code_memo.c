/* The code that this process has compiled. */
#include "tuner/code_memo.h"

#include "base/array.h"
#include "base/condition.h"
#include "base/hash_index.h"

#include <pthread.h>
#include <string.h>

/* The code of some thousand variants. */
static const size_t BYTES_MAX = (size_t)128 << 20;

typedef struct begun {
    gt_hash key;
    const void *who;
} begun;

static struct {
    pthread_mutex_t mutex;
    unsigned holders;
    GT_ARRAY(begun) begun; /* what is being compiled; at most some for each core */
    GT_ARRAY(gt_code) codes;
    gt_hash_index places; /* by keys */
    size_t bytes;
} memo = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static gt_hash key_of(gt_hash source, const char *arch, bool ptx)
{
    return gt_hash_join(gt_hash_join(source, gt_hash_string(arch)), (gt_hash){0, ptx});
}

static void drop_all(void)
{
    for (size_t i = 0; i < memo.codes.count; i++) {
        gt_code_free(&memo.codes.items[i]);
    }
    gt_array_free(&memo.codes);
    gt_hash_index_free(&memo.places);
    memo.bytes = 0;
}

static bool copy(gt_code *out, const gt_code *code)
{
    gt_code made = *code;
    if (gt_image_copy(&made.image, code->image.data, code->image.bytes) < 0) {
        return false;
    }
    *out = made;
    return true;
}

void gt_code_memo_hold(void)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&memo.mutex);
    memo.holders++;
}

void gt_code_memo_let_go(void)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&memo.mutex);
    if (--memo.holders == 0) {
        drop_all();
    }
}

static void put(const gt_code *code)
{
    gt_code kept;
    uint32_t place, next = (uint32_t)memo.codes.count;
    gt_hash key = key_of(code->source, code->arch, code->ptx);
    if (gt_hash_index_find(&place, &memo.places, key) || gt_array_reserve(&memo.codes) < 0 ||
        !copy(&kept, code)) {
        return;
    }
    if (gt_hash_index_intern(&memo.places, key, next, &place) < 0) {
        gt_code_free(&kept);
        return;
    }
    memo.codes.items[memo.codes.count++] = kept;
    memo.bytes += kept.image.bytes;
}

void gt_code_memo_put(const gt_code *code)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&memo.mutex);
    if (memo.bytes + code->image.bytes > BYTES_MAX) {
        drop_all();
    }
    if (memo.holders) {
        put(code);
    }
}

bool gt_code_memo_find(gt_code *out, gt_hash source, const gt_device *device)
{
    uint32_t place;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&memo.mutex);
    return gt_hash_index_find(&place, &memo.places,
                              key_of(source, device->arch, device->emulated)) &&
           copy(out, &memo.codes.items[place]);
}

/* Finds a compile that has begun, by its key, or, if `key` is NULL, by its owner. Returns
 * memo.begun.count if there is none. */
static size_t find_begun(const gt_hash *key, const void *who)
{
    size_t i = 0;
    while (i < memo.begun.count &&
           (key ? !gt_hash_equal(memo.begun.items[i].key, *key) : memo.begun.items[i].who != who)) {
        i++;
    }
    return i;
}

static void forget_begun(size_t i)
{
    memo.begun.items[i] = memo.begun.items[--memo.begun.count];
    if (!memo.begun.count) {
        gt_array_free(&memo.begun);
    }
}

bool gt_code_memo_begin(gt_hash source, const gt_device *device, const void *who)
{
    const begun claim = {key_of(source, device->arch, device->emulated), who};
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&memo.mutex);
    size_t i = find_begun(&claim.key, NULL);
    bool is_free = i == memo.begun.count;
    bool begins = is_free || memo.begun.items[i].who == who;
    if (is_free && memo.holders) {
        (void)gt_array_push(&memo.begun, claim); /* without memory everybody compiles */
    }
    return begins;
}

void gt_code_memo_end(gt_hash source, const gt_device *device, const void *who)
{
    const gt_hash key = key_of(source, device->arch, device->emulated);
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&memo.mutex);
    size_t i = find_begun(&key, NULL);
    if (i < memo.begun.count && memo.begun.items[i].who == who) {
        forget_begun(i);
    }
}

void gt_code_memo_end_all(const void *who)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&memo.mutex);
    for (size_t i; (i = find_begun(NULL, who)) < memo.begun.count;) {
        forget_begun(i);
    }
}
