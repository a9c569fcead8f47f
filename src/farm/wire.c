/* Sends and receives the frames of the channel. */
#include "farm/wire.h"

#include "base/json.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* On the wire: this header, then binary_bytes of binary, then json_bytes of JSON. Both ends run on
 * one machine and one build, so that byte order and layout are the machine's. */
typedef struct header {
    uint32_t magic, kind;
    uint64_t sequence;
    uint64_t binary_bytes;
    uint32_t json_bytes, reserved;
} header;

enum { MAGIC = 0x31577467, STEP_BYTES = 1 << 20 };

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
const gt_frame_limits gt_limits_host = {8 * MIB, 1 * GIB};
const gt_frame_limits gt_limits_worker = {8 * MIB, 256 * GIB}; /* staged inputs */

/* ---- Writing --------------------------------------------------------------------------------- */

static json_t *envelope(gt_text *out, size_t base, const gt_answer *answer, const gt_record *record,
                        const void *object)
{
    json_t *json = json_object(), *part = NULL;
    bool ok = json != NULL;
    if (ok && answer) {
        ok = gt_record_encode(&part, out, base, &gt_record_answer, answer) == GPUTUNE_OK &&
             json_object_set_new(json, "answer", part) == 0;
    }
    if (ok && object) {
        ok = gt_record_encode(&part, out, base, record, object) == GPUTUNE_OK &&
             json_object_set_new(json, "body", part) == 0;
    }
    if (!ok) {
        json_decref(json);
        gt_fail_memory();
        return NULL;
    }
    return json;
}

gputune_status gt_frame_append(gt_text *out, gt_frame_kind kind, uint64_t sequence,
                               const gt_answer *answer, const gt_record *record, const void *object)
{
    size_t start = out->length, base = start + sizeof(header);
    header head = {MAGIC, (uint32_t)kind, sequence, 0, 0, 0};
    gt_text_append_bytes(out, &head, sizeof head);
    json_t *json = envelope(out, base, answer, record, object);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    head.binary_bytes = out->length - base;
    head.json_bytes = text ? (uint32_t)strlen(text) : 0;
    gt_text_append(out, text ? text : "");
    free(text);
    if (!head.json_bytes || out->failed) {
        out->length = start;
        return gt_fail_memory();
    }
    memcpy(out->data + start, &head, sizeof head);
    return GPUTUNE_OK;
}

void gt_frame_number(char *data, uint64_t sequence)
{
    memcpy(data + offsetof(header, sequence), &sequence, sizeof sequence);
}

gputune_status gt_send_all(int descriptor, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t sent = send(descriptor, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return gt_fail(GPUTUNE_EIO, "cannot send to the other end of the channel: %s",
                           strerror(errno));
        }
        at += sent > 0 ? sent : 0;
        bytes -= sent > 0 ? (size_t)sent : 0;
    }
    return GPUTUNE_OK;
}

gputune_status gt_frame_send(int descriptor, gt_frame_kind kind, uint64_t sequence,
                             const gt_answer *answer, const gt_record *record, const void *object)
{
    gt_text out = {0};
    gputune_status status = gt_frame_append(&out, kind, sequence, answer, record, object);
    if (status == GPUTUNE_OK) {
        status = gt_send_all(descriptor, out.data, out.length);
    }
    gt_text_free(&out);
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

void gt_frame_release(gt_frame *frame)
{
    json_decref(frame->json);
    free(frame->storage);
    *frame = (gt_frame){0};
}

void gt_frame_reader_free(gt_frame_reader *reader)
{
    free(reader->data);
    reader->data = NULL;
    reader->have = reader->capacity = 0;
}

static bool header_ok(const header *head, const gt_frame_limits *limits)
{
    return head->magic == MAGIC && head->kind > 0 && head->kind < GT_FRAME_KINDS &&
           head->reserved == 0 && head->json_bytes > 0 && head->json_bytes <= limits->json_bytes &&
           head->binary_bytes <= limits->binary_bytes;
}

/* Bytes of the frame that is being read, header included; 0 when its header is malformed. */
static size_t needed(const gt_frame_reader *reader)
{
    header head;
    if (reader->have < sizeof head) {
        return sizeof head;
    }
    memcpy(&head, reader->data, sizeof head);
    return header_ok(&head, &reader->limits)
               ? sizeof head + (size_t)head.binary_bytes + head.json_bytes
               : 0;
}

/* Room for the next piece: all of a small frame at once, a large one as it comes. */
static bool make_room(gt_frame_reader *reader, size_t need)
{
    size_t limit = reader->have * 2 > STEP_BYTES ? reader->have * 2 : STEP_BYTES;
    size_t want = need < limit ? need : limit;
    if (want <= reader->capacity) {
        return true;
    }
    char *data = realloc(reader->data, want);
    if (!data) {
        return false;
    }
    reader->data = data;
    reader->capacity = want;
    return true;
}

static gt_read take_frame(gt_frame *out, gt_frame_reader *reader)
{
    header head;
    memcpy(&head, reader->data, sizeof head);
    const char *binary = reader->data + sizeof head;
    json_t *json;
    int line;
    gputune_status status =
        gt_json_parse(&json, &line, binary + head.binary_bytes, head.json_bytes);
    if (status != GPUTUNE_OK) {
        (void)(status == GPUTUNE_ENOMEM
                   ? status
                   : gt_fail_prefix(GPUTUNE_EWORKER, "the channel carries malformed JSON"));
        return GT_READ_FAILED;
    }
    if (!json_is_object(json)) {
        json_decref(json);
        gt_fail(GPUTUNE_EWORKER, "the channel carries JSON that is not an object");
        return GT_READ_FAILED;
    }
    *out = (gt_frame){(gt_frame_kind)head.kind,  head.sequence, json, binary,
                      (size_t)head.binary_bytes, reader->data};
    reader->data = NULL;
    reader->have = reader->capacity = 0;
    return GT_READ_FRAME;
}

static gt_read receive(gt_frame_reader *reader, size_t need, int descriptor)
{
    if (!make_room(reader, need)) {
        gt_fail_memory();
        return GT_READ_FAILED;
    }
    size_t room = (need < reader->capacity ? need : reader->capacity) - reader->have;
    ssize_t got = recv(descriptor, reader->data + reader->have, room, 0);
    if (got > 0) {
        reader->have += (size_t)got;
        return GT_READ_FRAME;
    }
    if (got < 0 && errno == EINTR) {
        return GT_READ_FRAME;
    }
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? GT_READ_AGAIN : GT_READ_END;
}

gt_read gt_frame_read(gt_frame *out, gt_frame_reader *reader, int descriptor)
{
    for (;;) {
        size_t need = needed(reader);
        if (need == 0) {
            gt_fail(GPUTUNE_EWORKER, "the channel carries something that is not a gputune frame");
            return GT_READ_FAILED;
        }
        if (need == reader->have) {
            return take_frame(out, reader);
        }
        gt_read read = receive(reader, need, descriptor);
        if (read != GT_READ_FRAME) {
            return read;
        }
    }
}

gputune_status gt_frame_body(void *object, const gt_frame *frame, const gt_record *record)
{
    return gt_record_decode(object, record, json_object_get(frame->json, "body"), frame->binary,
                            frame->binary_bytes);
}

gputune_status gt_frame_answer(gt_answer *out, const gt_frame *frame)
{
    GT_TRY(gt_record_decode(out, &gt_record_answer, json_object_get(frame->json, "answer"),
                            frame->binary, frame->binary_bytes));
    if (out->status > 0 || gt_status_name(out->status)[0] == '?') {
        out->status = GPUTUNE_EWORKER;
    }
    return GPUTUNE_OK;
}
