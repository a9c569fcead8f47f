/* Writes structs as JSON and reads them back, by tables of their members. */
#include "farm/wire.h"

#include "base/number.h"

#include <limits.h>
#include <string.h>

/* ---- Numbers in memory ----------------------------------------------------------------------- */

static uint64_t load_unsigned(const void *at, size_t size)
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

static int64_t load_signed(const void *at, size_t size)
{
    uint64_t value = load_unsigned(at, size);
    return size == sizeof(int32_t) ? (int32_t)(uint32_t)value : (int64_t)value;
}

/* False when the value does not fit. */
static bool store_unsigned(void *at, size_t size, uint64_t value)
{
    if (size == sizeof(uint32_t)) {
        uint32_t small = (uint32_t)value;
        memcpy(at, &small, sizeof small);
        return small == value;
    }
    memcpy(at, &value, sizeof value);
    return true;
}

static bool store_signed(void *at, size_t size, int64_t value)
{
    store_unsigned(at, size, (uint64_t)value);
    return load_signed(at, size) == value;
}

static const void *load_pointer(const void *at)
{
    const void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static void store_pointer(void *at, const void *pointer)
{
    memcpy(at, &pointer, sizeof pointer);
}

/* ---- Encoding -------------------------------------------------------------------------------- */

typedef struct encoder {
    gt_text *binary;
    size_t base;
} encoder;

static json_t *encode_struct(encoder *encoder, const gt_record *record, const void *object);

static json_t *encode_blob(encoder *encoder, const void *data, size_t bytes)
{
    size_t offset = encoder->binary->length - encoder->base;
    gt_text_append_bytes(encoder->binary, data, bytes);
    return json_pack("[II]", (json_int_t)offset, (json_int_t)bytes);
}

/* As a string: JSON has no infinity, and jansson asks the locale for the decimal point. */
static json_t *encode_real(double value)
{
    char text[32];
    gt_snprintf(text, sizeof text, "%.17g", value);
    return json_string(text);
}

/* Messages may quote a source in any encoding: what is not UTF-8 becomes '?'. */
static json_t *encode_string(const char *string, size_t size)
{
    size_t length = strnlen(string, size);
    json_t *json = json_stringn(string, length);
    char *ascii = json ? NULL : strndup(string, length);
    if (!ascii) {
        return json;
    }
    for (char *c = ascii; *c; c++) {
        if ((unsigned char)*c >= 0x80) {
            *c = '?';
        }
    }
    json = json_string(ascii);
    free(ascii);
    return json;
}

static json_t *encode_element(encoder *encoder, const gt_member *member, const void *at)
{
    const gt_image *image = at;
    const char *text;
    bool truth;
    double real;
    switch (member->kind) {
    case GT_MEMBER_BOOL:
        memcpy(&truth, at, sizeof truth);
        return json_boolean(truth);
    case GT_MEMBER_SIGNED:
        return json_integer(load_signed(at, member->size));
    case GT_MEMBER_UNSIGNED:
    case GT_MEMBER_ENUM:
        return json_integer((json_int_t)load_unsigned(at, member->size));
    case GT_MEMBER_REAL:
        memcpy(&real, at, sizeof real);
        return encode_real(real);
    case GT_MEMBER_STRING:
        return encode_string(at, member->size);
    case GT_MEMBER_BYTES:
        return encode_blob(encoder, at, member->size);
    case GT_MEMBER_TEXT:
        text = load_pointer(at);
        return text ? encode_blob(encoder, text, strlen(text)) : json_null();
    case GT_MEMBER_IMAGE:
        return encode_blob(encoder, image->data ? image->data : "", image->bytes);
    case GT_MEMBER_STRUCT:
        return encode_struct(encoder, member->record, at);
    }
    return NULL;
}

static json_t *encode_array(encoder *encoder, const gt_member *member, const char *object)
{
    const char *items = object + member->offset;
    size_t count = member->limit;
    if (member->repeat != GT_REPEAT_FIXED) {
        count = load_unsigned(object + member->count_offset, member->count_size);
    }
    if (member->repeat == GT_REPEAT_HEAP) {
        items = load_pointer(items);
    } else if (count > member->limit) {
        return NULL;
    }
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++) {
        json_t *item = encode_element(encoder, member, items + i * member->size);
        if (json_array_append_new(array, item) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static json_t *encode_struct(encoder *encoder, const gt_record *record, const void *object)
{
    json_t *json = json_object();
    for (size_t i = 0; json && i < record->count; i++) {
        const gt_member *member = &record->members[i];
        json_t *value = member->repeat == GT_REPEAT_ONE
                            ? encode_element(encoder, member, (const char *)object + member->offset)
                            : encode_array(encoder, member, object);
        if (json_object_set_new(json, member->name, value) != 0) {
            json_decref(json);
            json = NULL;
        }
    }
    return json;
}

gputune_status gt_record_encode(json_t **out, gt_text *binary, size_t base, const gt_record *record,
                                const void *object)
{
    encoder encoder = {binary, base};
    json_t *json = encode_struct(&encoder, record, object);
    if (!json || binary->failed) {
        json_decref(json);
        return gt_fail(GPUTUNE_ENOMEM,
                       "cannot encode a %s: out of memory or a count above its limit",
                       record->name);
    }
    *out = json;
    return GPUTUNE_OK;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

typedef struct decoder {
    const char *binary;
    size_t bytes;
    gputune_status status; /* told already: of the innermost member, or of memory that is short */
} decoder;

static bool decode_struct(decoder *decoder, const gt_record *record, const json_t *json,
                          void *object);

static bool is_short_of_memory(decoder *decoder)
{
    decoder->status = gt_fail_memory();
    return false;
}

static bool find_blob(decoder *decoder, const json_t *json, const char **data, size_t *bytes)
{
    const json_t *offset = json_array_get(json, 0), *length = json_array_get(json, 1);
    if (!json_is_integer(offset) || !json_is_integer(length)) {
        return false;
    }
    json_int_t from = json_integer_value(offset), count = json_integer_value(length);
    if (from < 0 || count < 0 || (uint64_t)from > decoder->bytes ||
        (uint64_t)count > decoder->bytes - (uint64_t)from) {
        return false;
    }
    *data = decoder->binary + from;
    *bytes = (size_t)count;
    return true;
}

static bool decode_real(void *at, const json_t *json)
{
    const char *text = json_string_value(json);
    char *end;
    double value = text ? gt_strtod(text, &end) : 0;
    if (!text || end == text || *end) {
        return false;
    }
    memcpy(at, &value, sizeof value);
    return true;
}

static bool decode_string(char *at, size_t size, const json_t *json)
{
    const char *string = json_string_value(json);
    size_t length = string ? json_string_length(json) : 0;
    if (!string || length >= size) {
        return false;
    }
    memcpy(at, string, length); /* the rest is zero already */
    return true;
}

static bool decode_text(decoder *decoder, void *at, const json_t *json)
{
    const char *data;
    size_t bytes;
    if (json_is_null(json)) {
        return true;
    }
    if (!find_blob(decoder, json, &data, &bytes)) {
        return false;
    }
    char *copy = strndup(data, bytes);
    store_pointer(at, copy);
    return copy || is_short_of_memory(decoder);
}

static bool decode_image(decoder *decoder, gt_image *image, const json_t *json)
{
    const char *data;
    size_t bytes;
    if (!find_blob(decoder, json, &data, &bytes)) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    char *copy = malloc(bytes + 1); /* PTX images are NUL-terminated beyond their bytes */
    if (!copy) {
        return is_short_of_memory(decoder);
    }
    memcpy(copy, data, bytes);
    copy[bytes] = '\0';
    *image = (gt_image){copy, bytes};
    return true;
}

static bool decode_bytes(decoder *decoder, void *at, size_t size, const json_t *json)
{
    const char *data;
    size_t bytes;
    if (!find_blob(decoder, json, &data, &bytes) || bytes != size) {
        return false;
    }
    memcpy(at, data, size);
    return true;
}

static bool decode_element(decoder *decoder, const gt_member *member, const json_t *json, void *at)
{
    bool truth = json_is_true(json);
    json_int_t integer = json_integer_value(json);
    switch (member->kind) {
    case GT_MEMBER_BOOL:
        memcpy(at, &truth, sizeof truth);
        return json_is_boolean(json);
    case GT_MEMBER_SIGNED:
        return json_is_integer(json) && store_signed(at, member->size, integer);
    case GT_MEMBER_UNSIGNED:
        return json_is_integer(json) && store_unsigned(at, member->size, (uint64_t)integer);
    case GT_MEMBER_ENUM:
        return json_is_integer(json) && integer >= 0 && (uint64_t)integer <= member->limit &&
               store_unsigned(at, member->size, (uint64_t)integer);
    case GT_MEMBER_REAL:
        return decode_real(at, json);
    case GT_MEMBER_STRING:
        return decode_string(at, member->size, json);
    case GT_MEMBER_BYTES:
        return decode_bytes(decoder, at, member->size, json);
    case GT_MEMBER_TEXT:
        return decode_text(decoder, at, json);
    case GT_MEMBER_IMAGE:
        return decode_image(decoder, at, json);
    case GT_MEMBER_STRUCT:
        return decode_struct(decoder, member->record, json, at);
    }
    return false;
}

static bool decode_array(decoder *decoder, const gt_member *member, const json_t *json,
                         char *object)
{
    size_t count = json_array_size(json);
    char *items = object + member->offset;
    if (!json_is_array(json) || count > member->limit ||
        (member->repeat == GT_REPEAT_FIXED && count != member->limit)) {
        return false;
    }
    if (member->repeat == GT_REPEAT_HEAP) {
        items = count ? calloc(count, member->size) : NULL;
        if (count && !items) {
            return is_short_of_memory(decoder);
        }
        store_pointer(object + member->offset, items);
    }
    if (member->repeat != GT_REPEAT_FIXED) {
        store_unsigned(object + member->count_offset, member->count_size, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!decode_element(decoder, member, json_array_get(json, i), items + i * member->size)) {
            return false;
        }
    }
    return true;
}

static bool decode_struct(decoder *decoder, const gt_record *record, const json_t *json,
                          void *object)
{
    for (size_t i = 0; i < record->count; i++) {
        const gt_member *member = &record->members[i];
        const json_t *value = json_object_get(json, member->name);
        char *at = (char *)object + member->offset;
        bool ok = member->repeat == GT_REPEAT_ONE ? decode_element(decoder, member, value, at)
                                                  : decode_array(decoder, member, value, object);
        if (!ok && decoder->status == GPUTUNE_OK) {
            decoder->status =
                gt_fail(GPUTUNE_EWORKER, "a malformed %s came through the channel: member '%s'",
                        record->name, member->name);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

gputune_status gt_record_decode(void *object, const gt_record *record, const json_t *json,
                                const void *binary, size_t bytes)
{
    decoder decoder = {binary, bytes, GPUTUNE_OK};
    memset(object, 0, record->size);
    if (!decode_struct(&decoder, record, json, object)) {
        gt_record_release(record, object);
        return decoder.status;
    }
    return GPUTUNE_OK;
}

/* ---- Releasing ------------------------------------------------------------------------------- */

static void release_struct(const gt_record *record, char *object);

static void release_element(const gt_member *member, char *at)
{
    switch (member->kind) {
    case GT_MEMBER_TEXT:
        free((void *)(uintptr_t)load_pointer(at));
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

static size_t used(const gt_member *member, const char *object)
{
    switch (member->repeat) {
    case GT_REPEAT_ONE:
        return 1;
    case GT_REPEAT_FIXED:
        return member->limit;
    default:
        return load_unsigned(object + member->count_offset, member->count_size);
    }
}

static void release_struct(const gt_record *record, char *object)
{
    for (size_t i = 0; i < record->count; i++) {
        const gt_member *member = &record->members[i];
        bool heap = member->repeat == GT_REPEAT_HEAP;
        char *items = object + member->offset;
        items = heap ? (char *)(uintptr_t)load_pointer(items) : items;
        for (size_t k = 0; items && k < used(member, object); k++) {
            release_element(member, items + k * member->size);
        }
        if (heap) {
            free(items);
        }
    }
}

void gt_record_release(const gt_record *record, void *object)
{
    release_struct(record, object);
    memset(object, 0, record->size);
}
