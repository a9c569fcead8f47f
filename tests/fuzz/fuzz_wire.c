/* Frames and the structs in them, as a broken or hostile worker might send them. */
#include "fuzz/fuzz.h"

#include "base/json.h"
#include "farm/wire.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const fuzz_seeds[] = {
    "{}", "{\"version\": \"0.1.0/1234\"}", "{\"status\": 0, \"culprit\": 1, \"message\": \"\"}",
    "{\"id\": 18446744073709551615, \"launches\": [{\"grid\": [1, 1, 1]}]}", NULL};
const char *const fuzz_words[] = {
    "\"id\": ", "\"status\": ", "\"count\": ", "\"image\": ", "[",  "]",  "{",     "}",    ",",
    ":",        "null",         "true",        "1e999",       "-1", "\"", "\\u00", "GPTW", NULL};

static const gt_record *const records[] = {
    &gt_record_compile_job, &gt_record_compiled, &gt_record_setup,      &gt_record_prepared,
    &gt_record_verify_job,  &gt_record_verified, &gt_record_sample_job, &gt_record_sampled,
    &gt_record_recheck_job, &gt_record_drop,     &gt_record_hello,      &gt_record_answer,
};
enum { RECORDS = sizeof records / sizeof *records };

/* Any struct that decodes must encode again to the same JSON. */
static void decode_all(const json_t *json, const void *binary, size_t bytes)
{
    for (size_t i = 0; i < RECORDS; i++) {
        void *object = malloc(records[i]->size), *second = malloc(records[i]->size);
        FUZZ_REQUIRE(object && second);
        if (gt_record_decode(object, records[i], json, binary, bytes) == 0) {
            gt_text parts = {0};
            json_t *first;
            FUZZ_REQUIRE(gt_record_encode(&first, &parts, 0, records[i], object) == 0);
            FUZZ_REQUIRE(gt_record_decode(second, records[i], first, gt_text_string(&parts),
                                          parts.length) == 0);
            gt_record_release(records[i], second);
            gt_record_release(records[i], object);
            json_decref(first);
            gt_text_free(&parts);
        }
        free(object);
        free(second);
    }
}

static void read_frames(const void *data, size_t bytes)
{
    int file = memfd_create("fuzz", 0);
    FUZZ_REQUIRE(file >= 0 && write(file, data, bytes) == (ssize_t)bytes);
    FUZZ_REQUIRE(lseek(file, 0, SEEK_SET) == 0);
    gt_frame_reader reader = {.limits = gt_limits_host};
    gt_frame frame;
    for (int i = 0; i < 4 && gt_frame_read(&frame, &reader, file) == GT_READ_FRAME; i++) {
        gt_answer answer;
        (void)gt_frame_answer(&answer, &frame);
        decode_all(frame.json, frame.binary, frame.binary_bytes);
        gt_frame_release(&frame);
    }
    gt_frame_reader_free(&reader);
    close(file);
}

/* A right frame around the input's JSON, with bytes of its header changed by the input's end. */
static void read_wrapped(const uint8_t *data, size_t bytes)
{
    gt_text whole = {0};
    gt_hello hello = {"0.1.0/x"};
    FUZZ_REQUIRE(gt_frame_append(&whole, GT_FRAME_HELLO, 1, NULL, &gt_record_hello, &hello) == 0);
    for (size_t i = 0; i + 1 < bytes && i < 8; i += 2) {
        whole.data[data[i] % whole.length] ^= (char)data[i + 1];
    }
    read_frames(whole.data, whole.length);
    gt_text_free(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    json_t *json;
    int line;
    if (gt_json_parse(&json, &line, (const char *)data, bytes) == 0) {
        decode_all(json, data, bytes);
        json_decref(json);
    }
    read_frames(data, bytes);
    read_wrapped(data, bytes);
    return 0;
}
