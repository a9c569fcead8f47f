/* Encodes and decodes structs by means of tables that list their members. Sends and receives
 * frames. The length of a text or of a counted array is written before its contents. */
#include "farm/wire.h"

#include "base/hash.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- Members in memory ----------------------------------------------------------------------- */

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

static bool store_count(void *at, size_t size, uint64_t value)
{
    memcpy(at, &value, size); /* all CUDA hosts are little-endian */
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
    gputune_status status; /* the first failure, or OK */
} decoder;

static bool take_bytes(void *out, decoder *from, size_t bytes)
{
    if (bytes > from->left) {
        return false;
    }
    memcpy(out, from->at, bytes);
    from->at += bytes;
    from->left -= bytes;
    return true;
}

static bool take_blob(const char **data, uint64_t *bytes, decoder *from)
{
    if (!take_bytes(bytes, from, sizeof *bytes) || *bytes > from->left) {
        return false;
    }
    *data = from->at;
    from->at += *bytes;
    from->left -= *bytes;
    return true;
}

static bool take_image(decoder *from, gt_image *image)
{
    const char *data;
    uint64_t bytes;
    if (!take_blob(&data, &bytes, from)) {
        return false;
    }
    if (bytes > 0) {
        from->status = gt_image_copy(image, data, bytes);
    }
    return from->status == GPUTUNE_OK;
}

static bool take_struct(decoder *from, const gt_record *record, char *object);

static bool take_element(decoder *from, const gt_member *member, void *at)
{
    uint32_t value = 0;
    gt_image text = {0};
    const char *data;
    uint64_t bytes;
    bool taken;
    switch (member->kind) {
    case GT_MEMBER_BOOL:
        return from->left && (unsigned char)*from->at <= 1 && take_bytes(at, from, member->size);
    case GT_MEMBER_ENUM:
        return take_bytes(&value, from, sizeof value) && value <= member->limit &&
               store_count(at, member->size, value);
    case GT_MEMBER_STRING:
        taken = take_blob(&data, &bytes, from) && bytes < member->size;
        if (taken) {
            memcpy(at, data, bytes); /* the rest of the array is already zero */
            gt_make_utf8(at);        /* messages may quote a source, whose encoding is unknown */
        }
        return taken;
    case GT_MEMBER_TEXT:
        taken = take_image(from, &text);
        store_pointer(at, text.data);
        return taken;
    case GT_MEMBER_IMAGE:
        return take_image(from, at);
    case GT_MEMBER_STRUCT:
        return take_struct(from, member->record, at);
    default:
        return take_bytes(at, from, member->size);
    }
}

/* Decodes the number of elements, and allocates them if they are on the heap. Refuses a number that
 * is too large for the remaining data, because an encoded element has at least size / 2 bytes. */
static bool take_count(decoder *from, const gt_member *member, char *object)
{
    uint64_t count;
    bool on_heap = member->repeat == GT_REPEAT_HEAP;
    if (!take_bytes(&count, from, sizeof count) || count > member->limit ||
        (on_heap && count > 2 * from->left / member->size)) {
        return false;
    }
    void *items = on_heap && count ? calloc(count, member->size) : NULL;
    if (on_heap && count && !items) {
        from->status = gt_fail_memory();
        return false;
    }
    if (on_heap) {
        store_pointer(object + member->offset, items);
    }
    return store_count(object + member->count_offset, member->count_size, count);
}

static bool take_struct(decoder *from, const gt_record *record, char *object)
{
    for (size_t i = 0; i < record->count; i++) {
        const gt_member *member = &record->members[i];
        bool taken = !is_counted(member) || take_count(from, member, object);
        char *items = items_of(member, object);
        for (uint64_t k = 0; taken && k < count_of(member, object); k++) {
            taken = take_element(from, member, items + k * member->size);
        }
        if (!taken && from->status == GPUTUNE_OK) {
            from->status = gt_fail(GPUTUNE_EWORKER, "received a malformed %s: member '%s'",
                                   record->name, member->name);
        }
        if (!taken) {
            return false;
        }
    }
    return true;
}

gputune_status gt_record_decode(void *object, const gt_record *record, const void *data,
                                size_t bytes)
{
    decoder from = {data, bytes, GPUTUNE_OK};
    memset(object, 0, record->size);
    if (take_struct(&from, record, object) && from.left) {
        from.status = gt_fail(GPUTUNE_EWORKER, "received a malformed %s: %zu bytes too many",
                              record->name, from.left);
    }
    if (from.status != GPUTUNE_OK) {
        gt_record_release(record, object);
    }
    return from.status;
}

static void release_struct(const gt_record *record, char *object)
{
    for (size_t i = 0; i < record->count; i++) {
        const gt_member *member = &record->members[i];
        char *items = items_of(member, object);
        for (uint64_t k = 0; items && k < count_of(member, object); k++) {
            char *at = items + k * member->size;
            if (member->kind == GT_MEMBER_TEXT) {
                free(load_pointer(at));
            } else if (member->kind == GT_MEMBER_IMAGE) {
                free(((gt_image *)(void *)at)->data);
            } else if (member->kind == GT_MEMBER_STRUCT) {
                release_struct(member->record, at);
            }
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

const gt_cargo gt_carried[GT_FRAME_KINDS] = {
    [GT_FRAME_DEVICE] = {&gt_record_device, NULL},
    [GT_FRAME_COMPILE] = {&gt_record_compile_job, &gt_record_compiled},
    [GT_FRAME_PREPARE] = {&gt_record_measure_setup, &gt_record_prepared},
    [GT_FRAME_LOST] = {&gt_record_lost, NULL},
    [GT_FRAME_VERIFY] = {&gt_record_verify_job, &gt_record_verified},
    [GT_FRAME_VERIFY_AGAIN] = {&gt_record_verify_job, &gt_record_verified},
    [GT_FRAME_RECHECK] = {&gt_record_recheck_job, &gt_record_verified},
    [GT_FRAME_SAMPLE] = {&gt_record_sample_job, &gt_record_sampled},
    [GT_FRAME_DROP] = {&gt_record_id_job, NULL},
    [GT_FRAME_HAND] = {&gt_record_hand, NULL},
};

/* The header of a frame. It is followed by `bytes` bytes, which begin with a gt_answer of
 * `answer_bytes` bytes. `magic` is version_hash(). */
typedef struct header {
    uint32_t magic, kind;
    uint64_t sequence, bytes, answer_bytes;
} header;

enum { STEP_BYTES = 1 << 20 };

static uint32_t version_hash(void)
{
    return (uint32_t)gt_hash64(gt_wire_version, strlen(gt_wire_version));
}

/* ---- Writing --------------------------------------------------------------------------------- */

gputune_status gt_frame_append(gt_text *out, gt_frame_kind kind, uint64_t sequence,
                               const gt_answer *answer, const gt_record *record, const void *object)
{
    size_t start = out->length;
    header head = {version_hash(), (uint32_t)kind, sequence, 0, 0};
    gt_text_append_bytes(out, &head, sizeof head);
    bool ok = !answer || gt_record_encode(out, &gt_record_answer, answer);
    head.answer_bytes = out->length - start - sizeof head;
    ok = ok && (!object || gt_record_encode(out, record, object));
    head.bytes = out->length - start - sizeof head;
    if (!ok || out->failed) {
        out->length = start;
        return gt_fail_memory();
    }
    memcpy(out->data + start, &head, sizeof head);
    return GPUTUNE_OK;
}

void gt_frame_number(char *data, gt_frame_kind kind, uint64_t sequence)
{
    const uint32_t number = (uint32_t)kind;
    memcpy(data + offsetof(header, kind), &number, sizeof number);
    memcpy(data + offsetof(header, sequence), &sequence, sizeof sequence);
}

gputune_status gt_send_all(int descriptor, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t sent = send(descriptor, at, bytes, MSG_NOSIGNAL);
        GT_REFUSE(sent < 0 && errno != EINTR, GPUTUNE_EIO,
                  "cannot send to the other end of the channel: %s", strerror(errno));
        at += sent > 0 ? sent : 0;
        bytes -= sent > 0 ? (size_t)sent : 0;
    }
    return GPUTUNE_OK;
}

gputune_status gt_frame_send(int descriptor, gt_frame_kind kind, uint64_t sequence,
                             const gt_answer *answer, const void *object)
{
    GT_SCOPED(gt_text_free) gt_text out = {0};
    const gt_cargo *cargo = &gt_carried[kind];
    GT_TRY(
        gt_frame_append(&out, kind, sequence, answer, answer ? cargo->reply : cargo->job, object));
    return gt_send_all(descriptor, out.data, out.length);
}

/* ---- Reading --------------------------------------------------------------------------------- */

void gt_frame_release(gt_frame *frame)
{
    free(frame->storage);
    *frame = (gt_frame){0};
}

void gt_frame_reader_free(gt_frame_reader *reader)
{
    free(reader->data);
    reader->data = NULL;
    reader->have = reader->capacity = 0;
}

/* Returns the size of the next frame, or of its header if that is not complete; 0: malformed. */
static size_t needed(const gt_frame_reader *reader)
{
    header head;
    if (reader->have < sizeof head) {
        return sizeof head;
    }
    memcpy(&head, reader->data, sizeof head);
    return head.magic == version_hash() && head.kind > 0 && head.kind < GT_FRAME_KINDS &&
                   head.bytes <= reader->limit_bytes && head.answer_bytes <= head.bytes
               ? sizeof head + (size_t)head.bytes
               : 0;
}

/* Receives a part of a frame. For a large frame, memory is allocated only as bytes arrive. */
static gt_read receive_bytes(gt_frame_reader *reader, size_t need, int descriptor)
{
    size_t limit = reader->have * 2 > STEP_BYTES ? reader->have * 2 : STEP_BYTES;
    size_t want = need < limit ? need : limit;
    if (want > reader->capacity) {
        char *data = realloc(reader->data, want);
        if (!data) {
            gt_fail_memory();
            return GT_READ_FAILED;
        }
        reader->data = data;
        reader->capacity = want;
    }
    size_t room = (need < reader->capacity ? need : reader->capacity) - reader->have;
    ssize_t got = recv(descriptor, reader->data + reader->have, room, 0);
    if (got > 0 || (got < 0 && errno == EINTR)) {
        reader->have += got > 0 ? (size_t)got : 0;
        return GT_READ_FRAME;
    }
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? GT_READ_AGAIN : GT_READ_END;
}

gt_read gt_frame_read(gt_frame *out, gt_frame_reader *reader, int descriptor)
{
    for (;;) {
        size_t need = needed(reader);
        if (need == 0) {
            gt_fail(GPUTUNE_EWORKER,
                    "received something that is not a frame of gputune %s; install worker and "
                    "library from one build",
                    gt_wire_version);
            return GT_READ_FAILED;
        }
        if (need == reader->have) {
            header head;
            memcpy(&head, reader->data, sizeof head);
            *out = (gt_frame){.kind = (gt_frame_kind)head.kind,
                              .sequence = head.sequence,
                              .start = sizeof head,
                              .answer_bytes = (size_t)head.answer_bytes,
                              .body_bytes = (size_t)(head.bytes - head.answer_bytes),
                              .storage = reader->data};
            reader->data = NULL;
            reader->have = reader->capacity = 0;
            return GT_READ_FRAME;
        }
        gt_read read = receive_bytes(reader, need, descriptor);
        if (read != GT_READ_FRAME) {
            return read;
        }
    }
}

gputune_status gt_frame_body(void *object, const gt_frame *frame, const gt_record *record)
{
    return gt_record_decode(object, record, frame->storage + frame->start + frame->answer_bytes,
                            frame->body_bytes);
}

gputune_status gt_frame_answer(gt_answer *out, const gt_frame *frame)
{
    GT_TRY(gt_record_decode(out, &gt_record_answer, frame->storage + frame->start,
                            frame->answer_bytes));
    if (out->status > 0 || gt_status_name(out->status)[0] == '?') {
        out->status = GPUTUNE_EWORKER;
    }
    return GPUTUNE_OK;
}
