/* The memo of compiled code (code_memo.h). */
#include "tuner/code_memo.h"

#include "base/array.h"
#include "base/condition.h"
#include "base/hash_index.h"

#include <pthread.h>
#include <string.h>

static const size_t BYTES_MAX = (size_t)128 << 20;

static struct {
    pthread_mutex_t mutex;
    unsigned holders;
    GT_ARRAY(gt_code) entries; /* if memory runs out, an entry may have no image */
    gt_hash_index places;      /* maps a key to an index in `entries` */
    size_t bytes;              /* sum of the sizes of all images */
} memo = {.mutex = PTHREAD_MUTEX_INITIALIZER};

gt_hash gt_code_key(gt_hash source, const char *arch, bool ptx)
{
    return gt_hash_join(gt_hash_join(source, gt_hash_string(arch)), (gt_hash){0, ptx});
}

static gt_code *find_or_add(gt_hash key)
{
    uint32_t place, next = (uint32_t)memo.entries.count;
    if (gt_array_reserve(&memo.entries) < 0 ||
        gt_hash_index_intern(&memo.places, key, next, &place) < 0) {
        return NULL;
    }
    if (place == next) {
        memo.entries.items[memo.entries.count++] = (gt_code){.image = {0}};
    }
    return &memo.entries.items[place];
}

static void drop_code(void)
{
    for (size_t i = 0; i < memo.entries.count; i++) {
        gt_code_free(&memo.entries.items[i]);
    }
    gt_hash_index_free(&memo.places);
    memo.entries.count = memo.bytes = 0;
}

static bool copy_code(gt_code *out, const gt_code *code)
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

void gt_code_memo_release(void)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&memo.mutex);
    if (--memo.holders == 0) {
        drop_code();
        gt_array_free(&memo.entries);
    }
}

void gt_code_memo_put(const gt_code *code)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&memo.mutex);
    if (memo.bytes + code->image.bytes > BYTES_MAX) {
        drop_code();
    }
    gt_hash key = gt_code_key(code->source, code->arch, code->ptx);
    gt_code *entry = memo.holders ? find_or_add(key) : NULL;
    if (entry && !entry->image.bytes && copy_code(entry, code)) {
        memo.bytes += code->image.bytes;
    }
}

bool gt_code_memo_find(gt_code *out, gt_hash source, const gt_device *device)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&memo.mutex);
    const gt_hash key = gt_code_key(source, device->arch, device->emulated);
    uint32_t place;
    return gt_hash_index_find(&place, &memo.places, key) && memo.entries.items[place].image.bytes &&
           copy_code(out, &memo.entries.items[place]);
}
