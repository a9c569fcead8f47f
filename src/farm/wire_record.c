/* Writes structs as bytes and reads them back, by tables of their members: numbers as they are in
 * memory, texts and counted arrays behind their length. */
#include "farm/wire.h"

#include <stdlib.h>
#include <string.h>

/* ---- Counts and pointers in memory ----------------------------------------------------------- */

static uint64_t load_count(const void *at, size_t size)
{
    uint32_t small;
    uint64_t value = 0;
    if (size == sizeof small) {
        memcpy(&small, at, sizeof small);
        return small;
    }
    memcpy(&value, at, sizeof value);
    return value;
}

/* False when the count does not fit. */
static bool store_count(void *at, size_t size, uint64_t value)
{
    memcpy(at, &value, size); /* little endian, as both architectures that have CUDA are */
    return load_count(at, size) == value;
}

static void *load_pointer(const void *at)
{
    void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static void store_pointer(void *at, const void *pointer)
{
    memcpy(at, &pointer, sizeof pointer);
}

static bool is_counted(const gt_member *member)
{
    return member->repeat == GT_REPEAT_INLINE || member->repeat == GT_REPEAT_HEAP;
}

static uint64_t count_of(const gt_member *member, const char *object)
{
    return member->repeat == GT_REPEAT_ONE ? 1
           : is_counted(member) ? load_count(object + member->count_offset, member->count_size)
                                : member->limit;
}

/* Where the member's elements are. */
static char *items_of(const gt_member *member, const char *object)
{
    const char *items = object + member->offset;
    return member->repeat == GT_REPEAT_HEAP ? load_pointer(items) : (char *)(uintptr_t)items;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static void put_blob(gt_text *out, const void *data, uint64_t bytes)
{
    gt_text_append_bytes(out, &bytes, sizeof bytes);
    if (bytes) {
        gt_text_append_bytes(out, data, bytes);
    }
}

static bool put_element(gt_text *out, const gt_member *member, const void *at)
{
    const gt_image *image = at;
    const char *text;
    switch (member->kind) {
    case GT_MEMBER_STRING:
        put_blob(out, at, strnlen(at, member->size));
        return true;
    case GT_MEMBER_TEXT:
        text = load_pointer(at);
        put_blob(out, text, text ? strlen(text) + 1 : 0);
        return true;
    case GT_MEMBER_IMAGE:
        put_blob(out, image->data, image->bytes);
        return true;
    case GT_MEMBER_STRUCT:
        return gt_record_encode(out, member->record, at);
    default:
        gt_text_append_bytes(out, at, member->size);
        return true;
    }
}

bool gt_record_encode(gt_text *out, const gt_record *record, const void *object)
{
    for (size_t i = 0; i < record->count; i++) {
        const gt_member *member = &record->members[i];
        const char *items = items_of(member, object);
        uint64_t count = count_of(member, object);
        if (is_counted(member)) {
            gt_text_append_bytes(out, &count, sizeof count);
        }
        if (is_counted(member) && count > member->limit) {
            return false;
        }
        for (uint64_t k = 0; k < count; k++) {
            if (!put_element(out, member, items + k * member->size)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

typedef struct decoder {
    const char *at;
    size_t left;
    gputune_status status; /* told already: of the innermost member, or of memory that is short */
} decoder;

static bool take_struct(decoder *from, const gt_record *record, char *object);

static bool is_short_of_memory(decoder *from)
{
    from->status = gt_fail_memory();
    return false;
}

static bool take(void *out, decoder *from, size_t bytes)
{
    if (bytes > from->left) {
        return false;
    }
    memcpy(out, from->at, bytes);
    from->at += bytes;
    from->left -= bytes;
    return true;
}

/* So many bytes behind their length. */
static bool take_blob(const char **data, uint64_t *bytes, decoder *from)
{
    if (!take(bytes, from, sizeof *bytes) || *bytes > from->left) {
        return false;
    }
    *data = from->at;
    from->at += *bytes;
    from->left -= *bytes;
    return true;
}

/* A message may quote a source in any encoding. */
static bool take_string(decoder *from, char *at, size_t size)
{
    const char *data;
    uint64_t bytes;
    if (!take_blob(&data, &bytes, from) || bytes >= size) {
        return false;
    }
    memcpy(at, data, bytes); /* the rest is zero already */
    gt_make_utf8(at);
    return true;
}

/* A copy with a NUL behind it, which PTX images have beyond their bytes; NULL of no bytes. */
static bool take_copy(char **out, uint64_t *bytes, decoder *from)
{
    const char *data;
    if (!take_blob(&data, bytes, from)) {
        return false;
    }
    if (*bytes == 0) {
        return true;
    }
    *out = malloc(*bytes + 1);
    if (!*out) {
        return is_short_of_memory(from);
    }
    memcpy(*out, data, *bytes);
    (*out)[*bytes] = '\0';
    return true;
}

static bool take_text(decoder *from, void *at)
{
    char *text = NULL;
    uint64_t bytes;
    bool is_right = take_copy(&text, &bytes, from);
    store_pointer(at, text);
    return is_right;
}

static bool take_image(decoder *from, gt_image *image)
{
    char *data = NULL;
    uint64_t bytes = 0;
    bool is_right = take_copy(&data, &bytes, from);
    *image = (gt_image){data, data ? bytes : 0};
    return is_right;
}

static bool take_element(decoder *from, const gt_member *member, void *at)
{
    uint32_t value = 0;
    switch (member->kind) {
    case GT_MEMBER_BOOL:
        return from->left && (unsigned char)*from->at <= 1 && take(at, from, member->size);
    case GT_MEMBER_ENUM:
        return take(&value, from, sizeof value) && value <= member->limit &&
               store_count(at, member->size, value);
    case GT_MEMBER_STRING:
        return take_string(from, at, member->size);
    case GT_MEMBER_TEXT:
        return take_text(from, at);
    case GT_MEMBER_IMAGE:
        return take_image(from, at);
    case GT_MEMBER_STRUCT:
        return take_struct(from, member->record, at);
    default:
        return take(at, from, member->size);
    }
}

/* Sets the count and, on the heap, makes room. No element takes less than half of its size in
 * memory, so that a larger count is not believed. */
static bool take_count(decoder *from, const gt_member *member, char *object)
{
    uint64_t count;
    bool on_heap = member->repeat == GT_REPEAT_HEAP;
    if (!take(&count, from, sizeof count) || count > member->limit ||
        (on_heap && count > 2 * from->left / member->size)) {
        return false;
    }
    void *items = on_heap && count ? calloc(count, member->size) : NULL;
    if (on_heap && count && !items) {
        return is_short_of_memory(from);
    }
    if (on_heap) {
        store_pointer(object + member->offset, items);
    }
    return store_count(object + member->count_offset, member->count_size, count);
}

static bool take_member(decoder *from, const gt_member *member, char *object)
{
    if (is_counted(member) && !take_count(from, member, object)) {
        return false;
    }
    char *items = items_of(member, object);
    for (uint64_t k = 0, count = count_of(member, object); k < count; k++) {
        if (!take_element(from, member, items + k * member->size)) {
            return false;
        }
    }
    return true;
}

static bool take_struct(decoder *from, const gt_record *record, char *object)
{
    for (size_t i = 0; i < record->count; i++) {
        const gt_member *member = &record->members[i];
        if (take_member(from, member, object)) {
            continue;
        }
        if (from->status == GPUTUNE_OK) {
            from->status =
                gt_fail(GPUTUNE_EWORKER, "a malformed %s came through the channel: member '%s'",
                        record->name, member->name);
        }
        return false;
    }
    return true;
}

gputune_status gt_record_decode(void *object, const gt_record *record, const void *data,
                                size_t bytes)
{
    decoder from = {data, bytes, GPUTUNE_OK};
    memset(object, 0, record->size);
    if (take_struct(&from, record, object) && from.left) {
        from.status =
            gt_fail(GPUTUNE_EWORKER, "a malformed %s came through the channel: %zu bytes too many",
                    record->name, from.left);
    }
    if (from.status != GPUTUNE_OK) {
        gt_record_release(record, object);
    }
    return from.status;
}

/* ---- Releasing ------------------------------------------------------------------------------- */

static void release_struct(const gt_record *record, char *object);

static void release_element(const gt_member *member, char *at)
{
    switch (member->kind) {
    case GT_MEMBER_TEXT:
        free(load_pointer(at));
        break;
    case GT_MEMBER_IMAGE:
        free(((gt_image *)(void *)at)->data);
        break;
    case GT_MEMBER_STRUCT:
        release_struct(member->record, at);
        break;
    default:
        break;
    }
}

static void release_struct(const gt_record *record, char *object)
{
    for (size_t i = 0; i < record->count; i++) {
        const gt_member *member = &record->members[i];
        char *items = items_of(member, object);
        for (uint64_t k = 0; items && k < count_of(member, object); k++) {
            release_element(member, items + k * member->size);
        }
        if (member->repeat == GT_REPEAT_HEAP) {
            free(items);
        }
    }
}

void gt_record_release(const gt_record *record, void *object)
{
    release_struct(record, object);
    memset(object, 0, record->size);
}
