/* Fuzzes the wire format: frames and structs that a faulty or hostile worker might send. */
#include "fuzz/fuzz.h"

#include "farm/wire_objects.h"

#include <sys/socket.h>
#include <unistd.h>

const char *const fuzz_seeds[] = {"1.0.0/1234", "sm_90a", "\1\1\1\1\1\1\1\1", NULL};
const char *const fuzz_words[] = {"\1", "\377\377\377\377\377\377\377\377", "\177", "gtW2", NULL};

/* Encoding a decoded struct must produce bytes that can be decoded again. */
static void decode_all(const void *data, size_t bytes)
{
    for (size_t i = 0; i < RECORDS; i++) {
        void *object = malloc(records[i]->size), *second = malloc(records[i]->size);
        FUZZ_REQUIRE(object && second);
        if (gt_record_decode(object, records[i], data, bytes) == 0) {
            gt_text again = {0};
            FUZZ_REQUIRE(gt_record_encode(&again, records[i], object) && !again.failed);
            FUZZ_REQUIRE(gt_record_decode(second, records[i], again.data, again.length) == 0);
            gt_record_release(records[i], second);
            gt_record_release(records[i], object);
            gt_text_free(&again);
        }
        free(object);
        free(second);
    }
}

static void read_frames(const void *data, size_t bytes)
{
    int pair[2];
    FUZZ_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    ssize_t sent = send(pair[1], data, bytes, 0);
    FUZZ_REQUIRE(sent >= 0 && shutdown(pair[1], SHUT_WR) == 0);
    gt_frame_reader reader = {.limit_bytes = GT_FRAME_HOST_BYTES};
    gt_frame frame;
    for (int i = 0; i < 4 && gt_frame_read(&frame, &reader, pair[0]) == GT_READ_FRAME; i++) {
        gt_answer answer;
        (void)gt_frame_answer(&answer, &frame);
        decode_all(frame.storage + frame.start + frame.answer_bytes, frame.body_bytes);
        gt_frame_release(&frame);
    }
    gt_frame_reader_free(&reader);
    close(pair[0]);
    close(pair[1]);
}

/* Builds a valid frame and changes some of its bytes. The first byte of the input selects the
 * struct in the frame, the second its values, and the other bytes select the changes. */
static void read_changed(const uint8_t *data, size_t bytes)
{
    const gt_record *record = records[data[0] % RECORDS];
    gt_random random = {data[1]};
    const gt_answer answer = {-1, 2, "three"};
    gt_text whole = {0};
    GT_FREED char *object = calloc(1, record->size);
    FUZZ_REQUIRE(object);
    fill(record, object, &random);
    FUZZ_REQUIRE(gt_frame_append(&whole, GT_FRAME_SAMPLE, 1, &answer, record, object) == 0);
    for (size_t i = 2; i + 2 < bytes && i < 32; i += 3) {
        whole.data[(data[i] * 256u + data[i + 1]) % whole.length] ^= (char)data[i + 2];
    }
    read_frames(whole.data, whole.length);
    gt_text_free(&whole);
    gt_record_release(record, object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    decode_all(data, bytes);
    read_frames(data, bytes);
    if (bytes >= 2) {
        read_changed(data, bytes);
    }
    return 0;
}
