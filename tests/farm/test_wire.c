/* The channel between host and worker: every struct survives it, and whatever comes through it is
 * taken whole or refused with a name. */
#include "wire_objects.h"

#include "support/comma_locale.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Every member travels -------------------------------------------------------------------- */

static void mark(char *used, size_t offset, size_t size)
{
    memset(used + offset, 1, size);
}

/* No hole of a member's size may be left over: padding is at most 7 bytes. */
static void check_gaps(const gt_record *record)
{
    char *used = calloc(1, record->size);
    assert_non_null(used);
    for (size_t i = 0; i < record->count; i++) {
        const gt_member *member = &record->members[i];
        bool many = member->repeat == GT_REPEAT_FIXED || member->repeat == GT_REPEAT_INLINE;
        size_t size = member->repeat == GT_REPEAT_HEAP ? sizeof(void *) : member->size;
        mark(used, member->offset, many ? size * member->limit : size);
        mark(used, member->count_offset, member->count_size);
        if (member->record) {
            check_gaps(member->record);
        }
    }
    size_t hole = 0;
    for (size_t i = 0; i < record->size; i++) {
        hole = used[i] ? 0 : hole + 1;
        if (hole > 7) {
            fail_msg("%s has a member at byte %zu that its table lacks", record->name, i);
        }
    }
    free(used);
}

static void tables_are_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < RECORDS; i++) {
        check_gaps(records[i]);
    }
}

/* ---- Round trips ----------------------------------------------------------------------------- */

static gt_text encode(const gt_record *record, const void *object)
{
    gt_text text = {0};
    assert_int_equal(gt_frame_append(&text, GT_FRAME_VERIFY, 7, NULL, record, object), GPUTUNE_OK);
    return text;
}

/* Through a socket, in pieces of `piece` bytes. */
static gt_read transfer(gt_frame *out, const char *data, size_t bytes, size_t piece)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    gt_frame_reader reader = {.limits = gt_limits_host};
    gt_read read = GT_READ_AGAIN;
    for (size_t at = 0; at < bytes && read == GT_READ_AGAIN; at += piece) {
        size_t count = bytes - at < piece ? bytes - at : piece;
        assert_int_equal(gt_send_all(pair[1], data + at, count), GPUTUNE_OK);
        read = gt_frame_read(out, &reader, pair[0]);
    }
    close(pair[1]);
    if (read == GT_READ_AGAIN) {
        read = gt_frame_read(out, &reader, pair[0]);
    }
    gt_frame_reader_free(&reader);
    close(pair[0]);
    return read;
}

static void every_struct_survives_the_way(void **state)
{
    (void)state;
    gt_random random = {1};
    for (size_t i = 0; i < RECORDS * 4; i++) {
        const gt_record *record = records[i % RECORDS];
        void *object = calloc(1, record->size), *copy = malloc(record->size);
        fill(record, object, &random);
        gt_text sent = encode(record, object);
        gt_frame frame;
        assert_int_equal(transfer(&frame, sent.data, sent.length, 1000 + i * 7), GT_READ_FRAME);
        assert_int_equal(frame.kind, GT_FRAME_VERIFY);
        assert_int_equal(frame.sequence, 7);
        assert_int_equal(gt_frame_body(copy, &frame, record), GPUTUNE_OK);
        gt_text again = encode(record, copy);
        assert_int_equal(sent.length, again.length);
        assert_memory_equal(sent.data, again.data, sent.length);
        gt_frame_release(&frame);
        gt_text_free(&sent);
        gt_text_free(&again);
        gt_record_release(record, object);
        gt_record_release(record, copy);
        free(object);
        free(copy);
    }
}

static void samples_keep_nan_and_order(void **state)
{
    (void)state;
    double values[] = {1.5, (double)NAN, 1e-300, 0.1};
    gt_sampled sampled = {.values = values, .count = 4, .throttle = UINT64_MAX, .other = "x 12"};
    gt_text sent = encode(&gt_record_sampled, &sampled);
    gt_frame frame;
    gt_sampled got;
    assert_int_equal(transfer(&frame, sent.data, sent.length, 4096), GT_READ_FRAME);
    assert_int_equal(gt_frame_body(&got, &frame, &gt_record_sampled), GPUTUNE_OK);
    assert_int_equal(got.count, 4);
    assert_true(got.values[0] == 1.5 && isnan(got.values[1]));
    assert_true(got.values[2] == 1e-300 && got.values[3] == 0.1);
    assert_true(got.throttle == UINT64_MAX);
    assert_string_equal(got.other, "x 12");
    gt_record_release(&gt_record_sampled, &got);
    gt_frame_release(&frame);
    gt_text_free(&sent);
}

static void answers_carry_any_message(void **state)
{
    (void)state;
    gt_answer answer = {GPUTUNE_ECOMPILE, 3, "caf\xe9 is undefined"}, got;
    gt_text sent = {0};
    assert_int_equal(gt_frame_append(&sent, GT_FRAME_COMPILE, 1, &answer, NULL, NULL), GPUTUNE_OK);
    gt_frame frame;
    assert_int_equal(transfer(&frame, sent.data, sent.length, 4096), GT_READ_FRAME);
    assert_int_equal(gt_frame_answer(&got, &frame), GPUTUNE_OK);
    assert_int_equal(got.status, GPUTUNE_ECOMPILE);
    assert_int_equal(got.culprit, 3);
    assert_string_equal(got.message, "caf? is undefined");
    gt_frame_release(&frame);
    gt_text_free(&sent);
}

/* ---- Malformed input ------------------------------------------------------------------------- */

typedef struct head {
    uint32_t magic, kind;
    uint64_t sequence, binary_bytes;
    uint32_t json_bytes, reserved;
} head;

static head good_head(void)
{
    gt_recheck_job job = {1, 2, 0.5};
    gt_text text = encode(&gt_record_recheck_job, &job);
    head good;
    memcpy(&good, text.data, sizeof good);
    gt_text_free(&text);
    return good;
}

static void wrong_headers_are_refused(void **state)
{
    (void)state;
    head heads[6];
    for (size_t i = 0; i < 6; i++) {
        heads[i] = good_head();
    }
    heads[0].magic = 0x20544547;
    heads[1].kind = GT_FRAME_KINDS;
    heads[2].json_bytes = UINT32_MAX;
    heads[3].binary_bytes = UINT64_MAX - 8;
    heads[4].json_bytes = 0;
    heads[5].reserved = 1;
    for (size_t i = 0; i < 6; i++) {
        gt_frame frame;
        assert_int_equal(transfer(&frame, (char *)&heads[i], sizeof heads[i], 4096),
                         GT_READ_FAILED);
        assert_non_null(strstr(gt_message(), "not a gputune frame"));
    }
}

static void a_large_claim_costs_no_memory(void **state)
{
    (void)state;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    head claim = good_head();
    claim.binary_bytes = UINT64_C(1) << 29;
    assert_int_equal(gt_send_all(pair[1], &claim, sizeof claim), GPUTUNE_OK);
    gt_frame_reader reader = {.limits = gt_limits_host};
    gt_frame frame;
    assert_int_equal(gt_frame_read(&frame, &reader, pair[0]), GT_READ_AGAIN);
    assert_true(reader.capacity <= 2 << 20);
    gt_frame_reader_free(&reader);
    close(pair[0]);
    close(pair[1]);
}

static void a_cut_frame_is_an_end(void **state)
{
    (void)state;
    gt_recheck_job job = {1, 2, 0.5};
    gt_text text = encode(&gt_record_recheck_job, &job);
    gt_frame frame;
    assert_int_equal(transfer(&frame, text.data, text.length - 1, 4096), GT_READ_END);
    text.data[text.length - 1] = 'x';
    assert_int_equal(transfer(&frame, text.data, text.length, 4096), GT_READ_FAILED);
    gt_text_free(&text);
}

/* A setup without workloads, whose one input has these members behind its numbers. */
#define INPUT(members)                                                                             \
    "{\"objective\":0,\"cache\":0,\"seed\":1,\"workloads\":[],\"reference\":[0,0],"                \
    "\"service\":[0,0],\"inputs\":[{\"workload\":0,\"buffer\":0,\"expected\":false," members "}]}"

static void wrong_fields_are_named(void **state)
{
    (void)state;
    static const struct {
        const gt_record *record;
        const char *json, *member;
    } cases[] = {
        {&gt_record_recheck_job, "{\"id\": 1}", "'seed'"},
        {&gt_record_recheck_job, "{\"id\": \"1\", \"seed\": 2}", "'id'"},
        {&gt_record_recheck_job, "[]", "'id'"},
        {&gt_record_sample_job, "{\"id\":1,\"variants\":[],\"objective\":9,\"quick\":true}",
         "'objective'"},
        {&gt_record_sample_job, "{\"id\":1,\"variants\":[1,null]}", "'variants'"},
        {&gt_record_prepared, "{\"reference_ns\":\"1,5\"}", "'reference_ns'"},
        {&gt_record_prepared, "{\"reference_ns\":\"\"}", "'reference_ns'"},
        {&gt_record_compiled, "{\"image\":[0,10]}", "'image'"},
        {&gt_record_compiled, "{\"image\":[-1,1]}", "'image'"},
        {&gt_record_compiled, "{\"image\":[4,9223372036854775807]}", "'image'"},
        {&gt_record_compiled, "{\"image\":[0,4],\"ptx\":[0,2],\"log\":[]}", "'log'"},
        {&gt_record_verify_job, "{\"id\":1,\"image\":[0,0],\"launches\":[{}]}", "'launches'"},
        {&gt_record_verify_job, "{\"id\":1,\"image\":[0,0],\"launches\":[{},{}]}", "'steps'"},
        {&gt_record_recheck_job, "{\"id\": 1, \"seed\": null}", "'seed'"},
        {&gt_record_answer, "{\"status\": \"-1\"}", "'status'"},
        {&gt_record_answer, "{\"status\": 2147483648}", "'status'"},
        {&gt_record_answer, "{\"status\": -3, \"culprit\": 0, \"message\": 5}", "'message'"},
        {&gt_record_sample_job, "{\"id\":1,\"variants\":3}", "'variants'"},
        {&gt_record_sample_job, "{\"id\":1,\"variants\":[],\"objective\":\"0\"}", "'objective'"},
        {&gt_record_sample_job, "{\"id\":1,\"variants\":[],\"objective\":-1}", "'objective'"},
        {&gt_record_sample_job, "{\"id\":1,\"variants\":[],\"objective\":0,\"length\":3}",
         "'length'"},
        {&gt_record_prepared, "{\"reference_ns\":1.5}", "'reference_ns'"},
        {&gt_record_prepared, "{\"reference_ns\":\"1\",\"copy_bytes_per_s\":\"x\"}",
         "'copy_bytes_per_s'"},
        {&gt_record_compiled, "{\"image\":[\"0\",1]}", "'image'"},
        {&gt_record_compiled, "{\"image\":[0]}", "'image'"},
        {&gt_record_compiled, "{\"image\":[5,0]}", "'image'"},
        {&gt_record_compiled, "{\"image\":[0,-1]}", "'image'"},
        {&gt_record_compile_job, "{\"id\":1,\"text\":7}", "'text'"},
        {&gt_record_setup,
         "{\"objective\":0,\"cache\":0,\"seed\":1,\"workloads\":[{},{},{},{},{},{},{},{},{}]}",
         "'workloads'"},
        {&gt_record_setup, INPUT("\"is_ipc\":1"), "'is_ipc'"},
        {&gt_record_setup, INPUT("\"is_ipc\":true,\"handle\":[0,3]"), "'handle'"},
        {&gt_record_setup, INPUT("\"is_ipc\":true,\"handle\":7"), "'handle'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json = json_loads(cases[i].json, 0, NULL);
        char *object = malloc(cases[i].record->size);
        assert_int_equal(gt_record_decode(object, cases[i].record, json, "abcd", 4),
                         GPUTUNE_EWORKER);
        if (!strstr(gt_message(), cases[i].member)) {
            fail_msg("'%s' does not name %s", gt_message(), cases[i].member);
        }
        free(object);
        json_decref(json);
    }
}

/* Written by hand: a good head with this text behind it. */
static gt_read transfer_json(gt_frame *out, const char *json)
{
    gt_text text = {0};
    head claim = good_head();
    claim.json_bytes = (uint32_t)strlen(json);
    claim.binary_bytes = 0;
    gt_text_append_bytes(&text, &claim, sizeof claim);
    gt_text_append(&text, json);
    gt_read read = transfer(out, text.data, text.length, 4096);
    gt_text_free(&text);
    return read;
}

static void what_is_no_object_is_refused(void **state)
{
    (void)state;
    gt_frame frame;
    assert_int_equal(transfer_json(&frame, "[1]"), GT_READ_FAILED);
    assert_non_null(strstr(gt_message(), "JSON that is not an object"));
    assert_int_equal(transfer_json(&frame, "{\"body\""), GT_READ_FAILED);
    assert_non_null(strstr(gt_message(), "malformed JSON: the text ends; expected ':'"));
}

/* A worker's answer is a failure if its status is none that this library knows. */
static void an_unknown_status_is_the_workers_mistake(void **state)
{
    static const char *const statuses[] = {"1", "-9999"};
    (void)state;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        char json[128];
        gt_frame frame;
        gt_answer answer;
        snprintf(json, sizeof json, "{\"answer\":{\"status\":%s,\"culprit\":0,\"message\":\"\"}}",
                 statuses[i]);
        assert_int_equal(transfer_json(&frame, json), GT_READ_FRAME);
        assert_int_equal(gt_frame_answer(&answer, &frame), GPUTUNE_OK);
        assert_int_equal(answer.status, GPUTUNE_EWORKER);
        gt_frame_release(&frame);
    }
}

static void a_long_message_is_refused(void **state)
{
    (void)state;
    char json[1024],
        *at = json + snprintf(json, sizeof json, "{\"status\":0,\"culprit\":0,\"message\":\"");
    gt_answer answer;
    memset(at, 'x', sizeof answer.message);
    memcpy(at + sizeof answer.message, "\"}", 3);
    json_t *object = json_loads(json, 0, NULL);
    assert_int_equal(gt_record_decode(&answer, &gt_record_answer, object, "", 0), GPUTUNE_EWORKER);
    assert_non_null(strstr(gt_message(), "'message'"));
    json_decref(object);
}

static void the_other_end_is_gone(void **state)
{
    (void)state;
    int pair[2];
    const gt_recheck_job job = {1, 2, 0.5};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    close(pair[0]);
    assert_int_equal(
        gt_frame_send(pair[1], GT_FRAME_RECHECK, 1, NULL, &gt_record_recheck_job, &job),
        GPUTUNE_EIO);
    assert_non_null(strstr(gt_message(), "cannot send to the other end of the channel"));
    close(pair[1]);
}

static void *speak_otherwise(void *stop)
{
    locale_t comma = newlocale(LC_NUMERIC_MASK, "comma", (locale_t)0);
    locale_t before = uselocale(comma);
    while (!atomic_load((atomic_bool *)stop)) {
        localeconv(); /* into one place for all threads */
    }
    uselocale(before);
    freelocale(comma);
    return NULL;
}

/* Numbers keep their value whatever locale another thread of the host has set for itself. */
static void another_threads_locale_does_not_matter(void **state)
{
    atomic_bool stop = false;
    pthread_t thread;
    comma_locale_needed();
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(pthread_create(&thread, NULL, speak_otherwise, &stop), 0);
    for (int i = 0; i < 200; i++) {
        every_struct_survives_the_way(state);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

static void a_count_above_its_array_is_refused(void **state)
{
    (void)state;
    static gt_verify_job job; /* large */
    job.launches[0].parameter_count = GT_PARAMETER_MAX + 1;
    gt_text text = {0};
    assert_true(gt_frame_append(&text, GT_FRAME_VERIFY, 1, NULL, &gt_record_verify_job, &job) < 0);
    assert_int_equal(text.length, 0);
    gt_text_free(&text);
}

static void read_mutated(const gt_record *record, const char *data, size_t bytes)
{
    gt_frame frame;
    if (transfer(&frame, data, bytes, 4096) != GT_READ_FRAME) {
        return;
    }
    void *object = malloc(record->size);
    gt_answer answer;
    if (gt_frame_body(object, &frame, record) == GPUTUNE_OK) {
        gt_record_release(record, object);
    }
    if (gt_frame_answer(&answer, &frame) == GPUTUNE_OK) {
        assert_true(answer.status <= 0);
    }
    free(object);
    gt_frame_release(&frame);
}

static void mutated_frames_do_no_harm(void **state)
{
    (void)state;
    gt_random random = {5};
    for (size_t i = 0; i < 3000; i++) {
        const gt_record *record = records[i % RECORDS];
        char *object = calloc(1, record->size);
        fill(record, object, &random);
        gt_answer answer = {-1, 2, "three"};
        gt_text text = {0};
        assert_int_equal(gt_frame_append(&text, GT_FRAME_SAMPLE, i, &answer, record, object),
                         GPUTUNE_OK);
        for (uint64_t k = gt_random_below(&random, 6) + 1; k > 0; k--) {
            text.data[gt_random_below(&random, text.length)] = (char)gt_random_next(&random);
        }
        read_mutated(record, text.data, text.length);
        gt_text_free(&text);
        gt_record_release(record, object);
        free(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_complete),
        cmocka_unit_test(every_struct_survives_the_way),
        cmocka_unit_test(samples_keep_nan_and_order),
        cmocka_unit_test(answers_carry_any_message),
        cmocka_unit_test(wrong_headers_are_refused),
        cmocka_unit_test(a_large_claim_costs_no_memory),
        cmocka_unit_test(a_cut_frame_is_an_end),
        cmocka_unit_test(wrong_fields_are_named),
        cmocka_unit_test(what_is_no_object_is_refused),
        cmocka_unit_test(an_unknown_status_is_the_workers_mistake),
        cmocka_unit_test(a_long_message_is_refused),
        cmocka_unit_test(the_other_end_is_gone),
        cmocka_unit_test(a_count_above_its_array_is_refused),
        cmocka_unit_test(mutated_frames_do_no_harm),
        cmocka_unit_test_setup_teardown(every_struct_survives_the_way, comma_locale_set,
                                        comma_locale_reset),
        cmocka_unit_test_setup_teardown(another_threads_locale_does_not_matter, comma_locale_set,
                                        comma_locale_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
