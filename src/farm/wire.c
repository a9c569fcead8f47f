/* Sends and receives the frames of the channel. */
#include "farm/wire.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* On the wire: this header, then so many bytes, which begin with the envelope of an answer. */
typedef struct header {
    uint32_t magic, kind;
    uint64_t sequence, bytes, answer_bytes;
} header;

enum { MAGIC = 0x32577467, STEP_BYTES = 1 << 20 };

/* ---- Writing --------------------------------------------------------------------------------- */

gputune_status gt_frame_append(gt_text *out, gt_frame_kind kind, uint64_t sequence,
                               const gt_answer *answer, const gt_record *record, const void *object)
{
    size_t start = out->length;
    header head = {MAGIC, (uint32_t)kind, sequence, 0, 0};
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

void gt_frame_number(char *data, uint64_t sequence)
{
    memcpy(data + offsetof(header, sequence), &sequence, sizeof sequence);
}

gputune_status gt_send_all(int descriptor, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t sent = send(descriptor, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == ENOTSOCK) {
            sent = write(descriptor, at, bytes);
        }
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
    GT_SCOPED(gt_text_free) gt_text out = {0};
    GT_TRY(gt_frame_append(&out, kind, sequence, answer, record, object));
    return gt_send_all(descriptor, out.data, out.length);
}

size_t gt_frame_find_hello(const char *data, size_t bytes)
{
    const uint32_t begin[] = {MAGIC, GT_FRAME_HELLO};
    const char *found = memmem(data, bytes, begin, sizeof begin);
    return found ? (size_t)(found - data) : bytes;
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

static bool header_ok(const header *head, uint64_t limit_bytes)
{
    return head->magic == MAGIC && head->kind > 0 && head->kind < GT_FRAME_KINDS &&
           head->bytes <= limit_bytes && head->answer_bytes <= head->bytes;
}

/* Bytes of the frame that is being read, header included; 0 when its header is malformed. */
static size_t needed(const gt_frame_reader *reader)
{
    header head;
    if (reader->have < sizeof head) {
        return sizeof head;
    }
    memcpy(&head, reader->data, sizeof head);
    return header_ok(&head, reader->limit_bytes) ? sizeof head + (size_t)head.bytes : 0;
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

static gt_read receive(gt_frame_reader *reader, size_t need, int descriptor)
{
    if (!make_room(reader, need)) {
        gt_fail_memory();
        return GT_READ_FAILED;
    }
    size_t room = (need < reader->capacity ? need : reader->capacity) - reader->have;
    ssize_t got = recv(descriptor, reader->data + reader->have, room, 0);
    if (got < 0 && errno == ENOTSOCK) {
        got = read(descriptor, reader->data + reader->have, room);
    }
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
            gt_fail(GPUTUNE_EWORKER,
                    "the channel carries something that is not a gputune frame; install worker and "
                    "library from one build");
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
