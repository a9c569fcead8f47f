/* Tests the channel between host and worker. Every struct must arrive unchanged, and malformed data
 * must be refused with a message that names the member. */
#include "wire_objects.h"

#include "support/comma_locale.h"
#include "support/test.h"

#include <locale.h>
#include <stdatomic.h>
#include <sys/socket.h>

static void mark(char *used, size_t offset, size_t size)
{
    memset(used + offset, 1, size);
}

/* Checks that the table lists all members. A gap of more than 7 bytes is a missing member. */
static void check_gaps(const gt_record *record)
{
    GT_FREED char *used = calloc(1, record->size);
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
}

TEST(tables_are_complete)
{
    for (size_t i = 0; i < RECORDS; i++) {
        check_gaps(records[i]);
    }
}

static gt_text encode(const gt_record *record, const void *object)
{
    gt_text text = {0};
    ASSERT_OK(gt_frame_append(&text, GT_FRAME_VERIFY, 7, NULL, record, object));
    return text;
}

static gt_read transfer(gt_frame *out, const char *data, size_t bytes, size_t piece)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    gt_frame_reader reader = {.limit_bytes = GT_FRAME_HOST_BYTES};
    gt_read read = GT_READ_AGAIN;
    for (size_t at = 0; at < bytes && read == GT_READ_AGAIN; at += piece) {
        size_t count = bytes - at < piece ? bytes - at : piece;
        ASSERT_OK(gt_send_all(pair[1], data + at, count));
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

TEST(every_struct_survives_the_way)
{
    gt_random random = {1};
    for (size_t i = 0; i < RECORDS * 4; i++) {
        const gt_record *record = records[i % RECORDS];
        GT_FREED void *object = calloc(1, record->size), *copy = malloc(record->size);
        fill(record, object, &random);
        gt_text sent = encode(record, object);
        gt_frame frame;
        assert_int_equal(transfer(&frame, sent.data, sent.length, 1000 + i * 7), GT_READ_FRAME);
        assert_int_equal(frame.kind, GT_FRAME_VERIFY);
        assert_int_equal(frame.sequence, 7);
        ASSERT_OK(gt_frame_body(copy, &frame, record));
        gt_text again = encode(record, copy);
        assert_int_equal(sent.length, again.length);
        assert_memory_equal(sent.data, again.data, sent.length);
        gt_frame_release(&frame);
        gt_text_free(&sent);
        gt_text_free(&again);
        gt_record_release(record, object);
        gt_record_release(record, copy);
    }
}

TEST_WITHIN(every_struct_survives_with_a_comma, comma_locale_set, comma_locale_reset)
{
    every_struct_survives_the_way(NULL);
}

TEST(samples_keep_nan_and_order)
{
    double values[] = {1.5, (double)NAN, 1e-300, 0.1};
    gt_sampled sampled = {
        .values = values, .count = 4, .sharing = GT_SHARING_FELT, .other = "x 12"};
    GT_SCOPED(gt_text_free) gt_text sent = encode(&gt_record_sampled, &sampled);
    GT_SCOPED(gt_frame_release) gt_frame frame;
    gt_sampled got;
    assert_int_equal(transfer(&frame, sent.data, sent.length, 4096), GT_READ_FRAME);
    ASSERT_OK(gt_frame_body(&got, &frame, &gt_record_sampled));
    assert_int_equal(got.count, 4);
    assert_true(got.values[0] == 1.5 && isnan(got.values[1]));
    assert_true(got.values[2] == 1e-300 && got.values[3] == 0.1);
    assert_true(got.sharing == GT_SHARING_FELT);
    assert_string_equal(got.other, "x 12");
    gt_record_release(&gt_record_sampled, &got);
}

TEST(answers_carry_any_message)
{
    gt_answer answer = {GPUTUNE_ECOMPILE, 3, "caf\xe9 is undefined"}, got;
    GT_SCOPED(gt_text_free) gt_text sent = {0};
    ASSERT_OK(gt_frame_append(&sent, GT_FRAME_COMPILE, 1, &answer, NULL, NULL));
    GT_SCOPED(gt_frame_release) gt_frame frame;
    assert_int_equal(transfer(&frame, sent.data, sent.length, 4096), GT_READ_FRAME);
    ASSERT_OK(gt_frame_answer(&got, &frame));
    assert_int_equal(got.status, GPUTUNE_ECOMPILE);
    assert_int_equal(got.culprit, 3);
    assert_string_equal(got.message, "caf? is undefined");
}

typedef struct head {
    uint32_t magic, kind;
    uint64_t sequence, bytes, answer_bytes;
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

TEST(wrong_headers_are_refused)
{
    head heads[5];
    for (size_t i = 0; i < 5; i++) {
        heads[i] = good_head();
    }
    heads[0].magic = 0x20544547;
    heads[1].kind = GT_FRAME_KINDS;
    heads[2].kind = 0;
    heads[3].bytes = UINT64_MAX - 8;
    heads[4].answer_bytes = heads[4].bytes + 1;
    for (size_t i = 0; i < 5; i++) {
        gt_frame frame;
        assert_int_equal(transfer(&frame, (char *)&heads[i], sizeof heads[i], 4096),
                         GT_READ_FAILED);
        assert_non_null(strstr(gt_message(), "not a frame of gputune"));
    }
}

TEST(a_large_claim_costs_no_memory)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    head claim = good_head();
    claim.bytes = UINT64_C(1) << 29;
    ASSERT_OK(gt_send_all(pair[1], &claim, sizeof claim));
    gt_frame_reader reader = {.limit_bytes = GT_FRAME_HOST_BYTES};
    gt_frame frame;
    assert_int_equal(gt_frame_read(&frame, &reader, pair[0]), GT_READ_AGAIN);
    assert_true(reader.capacity <= 2 << 20);
    gt_frame_reader_free(&reader);
    close(pair[0]);
    close(pair[1]);
}

TEST(a_cut_frame_is_an_end)
{
    gt_recheck_job job = {1, 2, 0.5};
    GT_SCOPED(gt_text_free) gt_text text = encode(&gt_record_recheck_job, &job);
    gt_frame frame;
    assert_int_equal(transfer(&frame, text.data, text.length - 1, 4096), GT_READ_END);
}

static void refused(const gt_record *record, const void *data, size_t bytes, const char *member)
{
    GT_FREED char *object = malloc(record->size);
    assert_non_null(object);
    ASSERT_FAILS(gt_record_decode(object, record, data, bytes), GPUTUNE_EWORKER, member);
    for (size_t i = 0; i < record->size; i++) {
        assert_int_equal(object[i], 0);
    }
}

static void refused_object(const gt_record *record, const void *object, const char *member)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    assert_true(gt_record_encode(&text, record, object));
    refused(record, text.data, text.length, member);
}

TEST(values_out_of_range_are_named)
{
    gt_sample_job sample = {.objective = (gputune_objective)9};
    refused_object(&gt_record_sample_job, &sample, "'objective'");
    sample = (gt_sample_job){.length = (gt_sample_length)-1};
    refused_object(&gt_record_sample_job, &sample, "'length'");
    sample = (gt_sample_job){.sharing = GT_SHARING_FELT + 1};
    refused_object(&gt_record_sample_job, &sample, "'sharing'");
    gt_device device = {.name = "a"};
    memset(&device.cluster_launch, 2, 1);
    refused_object(&gt_record_device, &device, "'cluster_launch'");
    gt_answer answer = {.status = GPUTUNE_EIO};
    memset(answer.message, 'x', sizeof answer.message);
    refused_object(&gt_record_answer, &answer, "'message'");
    static gt_measure_setup setup;
    setup.workload_count = 1;
    setup.workloads[0].buffer_count = 1;
    setup.workloads[0].buffers[0].fill = GT_FILL_FILE + 1;
    refused_object(&gt_record_measure_setup, &setup, "'fill'");
}

/* Encodes numbers, lengths and counts without the library. */
TEST(lengths_beyond_the_received_data_are_refused)
{
    static const struct {
        const gt_record *record;
        uint64_t words[5];
        size_t bytes;
        const char *member;
    } cases[] = {
        {&gt_record_compile_job, {1, 9}, 16, "'text'"},
        {&gt_record_compile_job, {1, UINT64_MAX}, 24, "'text'"},
        {&gt_record_compile_job, {1, 0, UINT64_MAX}, 32, "'arch'"},
        {&gt_record_compile_job, {1, 0, 0, UINT64_MAX}, 40, "'options'"},
        {&gt_record_compile_job, {1, 0, 0, 3, 0}, 40, "'options'"},
        {&gt_record_compile_job, {1, 0, 0, 2, 0}, 40, "'options'"},
        {&gt_record_compiled, {17}, 24, "'image'"},
        {&gt_record_compiled, {0, UINT64_MAX - 7}, 24, "'log'"},
        {&gt_record_sample_job, {1, UINT64_C(1) << 61}, 32, "'variants'"},
        {&gt_record_sample_job, {1, 3}, 32, "'variants'"},
        {&gt_record_measure_setup, {0, 1, GT_WORKLOAD_MAX + 1}, 24, "'workloads'"},
        {&gt_record_id_job, {1, 2}, 16, "8 bytes too many"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refused(cases[i].record, cases[i].words, cases[i].bytes, cases[i].member);
    }
}

TEST(wire_refuses_cut_structs)
{
    gt_random random = {4};
    for (size_t i = 0; i < RECORDS; i++) {
        const gt_record *record = records[i];
        GT_FREED void *object = calloc(1, record->size);
        gt_text text = {0};
        fill(record, object, &random);
        assert_true(gt_record_encode(&text, record, object));
        for (size_t bytes = 0; bytes < text.length; bytes += 1 + bytes / 64) {
            refused(record, text.data, bytes, "member '");
        }
        gt_text_append_bytes(&text, "", 1);
        refused(record, text.data, text.length, "1 bytes too many");
        gt_text_free(&text);
        gt_record_release(record, object);
    }
}

/* An answer with an unknown status counts as a failure of the worker. */
TEST(an_unknown_status_is_the_workers_mistake)
{
    static const int32_t statuses[] = {1, -9999};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        gt_answer answer = {.status = statuses[i]};
        GT_SCOPED(gt_text_free) gt_text sent = {0};
        gt_frame frame;
        ASSERT_OK(gt_frame_append(&sent, GT_FRAME_READY, 0, &answer, NULL, NULL));
        assert_int_equal(transfer(&frame, sent.data, sent.length, 4096), GT_READ_FRAME);
        ASSERT_OK(gt_frame_answer(&answer, &frame));
        assert_int_equal(answer.status, GPUTUNE_EWORKER);
        gt_frame_release(&frame);
    }
}

TEST(the_other_end_is_gone)
{
    int pair[2];
    const gt_recheck_job job = {1, 2, 0.5};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    close(pair[0]);
    ASSERT_FAILS(gt_frame_send(pair[1], GT_FRAME_RECHECK, 1, NULL, &job), GPUTUNE_EIO,
                 "cannot send to the other end of the channel");
    close(pair[1]);
}

static void *speak_otherwise(void *stop)
{
    locale_t comma = newlocale(LC_NUMERIC_MASK, "comma", (locale_t)0);
    locale_t before = uselocale(comma);
    while (!atomic_load((atomic_bool *)stop)) {
        localeconv(); /* localeconv() writes static data that all threads share */
    }
    uselocale(before);
    freelocale(comma);
    return NULL;
}

TEST_WITHIN(another_threads_locale_does_not_matter, comma_locale_set, comma_locale_reset)
{
    atomic_bool stop = false;
    pthread_t thread;
    comma_locale_needed();
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(pthread_create(&thread, NULL, speak_otherwise, &stop), 0);
    for (int i = 0; i < 200; i++) {
        every_struct_survives_the_way(NULL);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

TEST(a_count_above_its_array_is_refused)
{
    static gt_verify_job job;
    job.launches[0].parameter_count = GT_PARAMETER_MAX + 1;
    GT_SCOPED(gt_text_free) gt_text text = {0};
    assert_true(gt_frame_append(&text, GT_FRAME_VERIFY, 1, NULL, &gt_record_verify_job, &job) < 0);
    assert_int_equal(text.length, 0);
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

TEST(mutated_frames_do_no_harm)
{
    gt_random random = {5};
    for (size_t i = 0; i < 3000; i++) {
        const gt_record *record = records[i % RECORDS];
        GT_FREED char *object = calloc(1, record->size);
        fill(record, object, &random);
        gt_answer answer = {-1, 2, "three"};
        gt_text text = {0};
        ASSERT_OK(gt_frame_append(&text, GT_FRAME_SAMPLE, i, &answer, record, object));
        for (uint64_t k = gt_random_below(&random, 6) + 1; k > 0; k--) {
            text.data[gt_random_below(&random, text.length)] = (char)gt_random_next(&random);
        }
        read_mutated(record, text.data, text.length);
        gt_text_free(&text);
        gt_record_release(record, object);
    }
}
