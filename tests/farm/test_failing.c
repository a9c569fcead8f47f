/* Tests that no job is lost and nothing leaks if an allocation or a call of the channel fails.
 * Calls fail at every step between a struct in the host and its copy in the worker. */
#include "harness.h"
#include "wire_objects.h"

#include "support/each_failure.h"

#include <sys/socket.h>

typedef struct job {
    const gt_record *record;
    const void *object;
    void *copy;
} job;

/* Reads an answer with a body, as a worker does. */
static gputune_status take(const job *j, gt_frame *frame)
{
    gt_answer answer;
    GT_TRY(gt_frame_answer(&answer, frame));
    assert_string_equal(answer.message, "three");
    GT_TRY(gt_frame_body(j->copy, frame, j->record));
    gt_record_release(j->record, j->copy);
    return GPUTUNE_OK;
}

static gputune_status send_and_take(const job *j, const int pair[2])
{
    const gt_answer answer = {GPUTUNE_ECOMPILE, 2, "three"};
    gt_frame_reader reader = {.limit_bytes = GT_FRAME_HOST_BYTES};
    gt_frame frame;
    GT_SCOPED(gt_text_free) gt_text sent = {0};
    GT_TRY(gt_frame_append(&sent, GT_FRAME_VERIFY, 7, &answer, j->record, j->object));
    GT_TRY(gt_send_all(pair[1], sent.data, sent.length));
    gt_read read = gt_frame_read(&frame, &reader, pair[0]);
    gt_frame_reader_free(&reader);
    if (read == GT_READ_FAILED) {
        return GPUTUNE_ENOMEM;
    }
    if (read != GT_READ_FRAME) {
        return gt_fail(GPUTUNE_EIO, "the channel ended");
    }
    gputune_status status = take(j, &frame);
    gt_frame_release(&frame);
    return status;
}

static gputune_status travel(void *user)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    gputune_status status = send_and_take(user, pair);
    close(pair[0]);
    close(pair[1]);
    return status;
}

static void fail_each(const char *call, long step)
{
    gt_random random = {3};
    for (size_t i = 0; i < RECORDS; i++) {
        void *object = calloc(1, records[i]->size);
        job j = {records[i], object, malloc(records[i]->size)};
        assert_true(object && j.copy);
        fill(j.record, object, &random);
        assert_true(each_failure(call, step, travel, NULL, &j) > 0);
        gt_record_release(j.record, object);
        free(object);
        free(j.copy);
    }
}

TEST(memory_is_short_on_the_way)
{
    fail_each("allocation", 1);
}

TEST(the_channel_fails)
{
    fail_each("send", 1);
    fail_each("recv", 1);
}

/* Kills five workers together, each with two jobs. */
TEST(no_job_is_lost_if_memory_is_short)
{
    enum { WORKERS = 5, JOBS = 2 * WORKERS };
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.compile_workers = WORKERS});
    for (uint64_t i = 0; i < WORKERS; i++) {
        request_compile(farm, i, "text");
    }
    for (uint64_t i = 0; i < WORKERS; i++) {
        gt_event event;
        ASSERT_OK(farm->ops->wait(farm, &event, SOON_S));
        gt_event_free(&event);
    }
    for (uint64_t i = 0; i < JOBS; i++) {
        request_compile(farm, i, "killed");
    }
    failing_begin("allocation", 1, true);
    uint32_t told = 0;
    for (gt_event event; told < JOBS; told++) {
        if (farm->ops->wait(farm, &event, SOON_S) < 0 || event.status == GPUTUNE_OK) {
            break;
        }
        gt_event_free(&event);
    }
    failing_end();
    assert_int_equal(told, JOBS);
}
