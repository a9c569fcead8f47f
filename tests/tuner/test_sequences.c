/* Tests random sequences of requests against a model of the correct answers: narrowed and widened
 * spaces, limits, cancels, killed processes, bad variants, and two processes with one database.
 * GPUTUNE_SEQUENCE=SEED runs and prints one sequence. GPUTUNE_SEQUENCES is the number of
 * sequences. */
#include "tuner/sequence_process.h"

#include "tuner/sequence_model.h"

#include "base/random.h"
#include "support/folder.h"
#include "support/test.h"

#include <sys/socket.h>

enum { SEQUENCES = 400, LINES_MAX = 8192 };

typedef struct sequence {
    gt_random random;
    char *folder, template[96], database[96];
    struct {
        pid_t id;
        int channel;
        bool outdated; /* true if the template was edited since its last request */
    } processes[PROCESSES];
    scripted_variant variants[SCENARIOS][CONFIGS];
    /* the current request; settings that are not drawn again stay as in the previous request */
    sequence_request next;
    model model;
    char lines[LINES_MAX];
    size_t length;
} sequence;

static bool one_in(sequence *s, uint64_t count)
{
    return gt_random_below(&s->random, count) == 0;
}

static void spoil_variant(sequence *s, scripted_variant *v)
{
    static const gputune_status failures[] = {GPUTUNE_EWRONG, GPUTUNE_ECRASHED, GPUTUNE_ETIMEOUT};
    gputune_status failure = failures[gt_random_below(&s->random, 3)];
    switch (gt_random_below(&s->random, 4)) {
    case 0:
        v->sample = failure == GPUTUNE_EWRONG ? GPUTUNE_ECRASHED : failure;
        break;
    case 1:
        v->recheck = GPUTUNE_EWRONG;
        break;
    default:
        v->verify = failure;
        break;
    }
}

/* Times are equal or at least 8% apart, so noise does not matter. In some scenarios many variants
 * are bad, sometimes also the default. A variant that does not compile fails in all scenarios. */
static void script_variants(sequence *s)
{
    bool compiles[CONFIGS];
    for (int c = 0; c < CONFIGS; c++) {
        compiles[c] = !one_in(s, 15);
    }
    for (int scenario = 0; scenario < SCENARIOS; scenario++) {
        uint64_t bad_one_in = one_in(s, 4) ? 2 : 6;
        for (int c = 0; c < CONFIGS; c++) {
            scripted_variant *v = &s->variants[scenario][c];
            v->time_ns = 1e5;
            for (uint64_t steps = gt_random_below(&s->random, 14); steps; steps--) {
                v->time_ns *= 1.08;
            }
            v->energy_nj = 2 * v->time_ns;
            v->hangs_once = one_in(s, 20);
            v->compile = compiles[c] ? GPUTUNE_OK : GPUTUNE_ECOMPILE;
            if (one_in(s, bad_one_in)) {
                spoil_variant(s, v);
            }
        }
    }
}

static void choose_space(sequence *s, sequence_request *r)
{
    static const int requires[] = {2048, 512, 256};
    if (one_in(s, 4)) {
        r->template_blocks = (uint32_t)gt_random_below(&s->random, ALL_BLOCKS + 1);
        r->template_blocks |= 1U << DEFAULT_BLOCK;
    }
    if (one_in(s, 5)) {
        r->require = requires[gt_random_below(&s->random, 3)];
    }
    r->only_blocks = 0;
    if (one_in(s, 3)) {
        r->only_blocks = r->template_blocks & (uint32_t)gt_random_below(&s->random, ALL_BLOCKS + 1);
    }
    r->max_variants = one_in(s, 4) ? 1 + (uint32_t)gt_random_below(&s->random, CONFIGS) : 0;
}

static void choose_effort(sequence *s, sequence_request *r)
{
    static const gputune_effort efforts[] = {
        GPUTUNE_MEASURE,     GPUTUNE_MEASURE,  GPUTUNE_MEASURE,   GPUTUNE_CACHED_ONLY,
        GPUTUNE_CACHED_ONLY, GPUTUNE_ESTIMATE, GPUTUNE_EXHAUSTIVE};
    r->effort = efforts[gt_random_below(&s->random, sizeof efforts / sizeof *efforts)];
    r->force = one_in(s, 8);
    (void)one_in(s, 8); /* without this unused draw, each seed would give another sequence */
    r->through_table = one_in(s, 2);
    r->disturbance = one_in(s, 3) ? (disturbance)(1 + gt_random_below(&s->random, DISTURBANCES - 1))
                                  : UNDISTURBED;
    r->at = 1 + (int)gt_random_below(&s->random, one_in(s, 2) ? 15 : 90);
}

/* Most requests are for the same scenario, so they affect each other. */
static void choose_scenario(sequence *s, sequence_request *r)
{
    if (one_in(s, 4)) {
        r->scenario = one_in(s, 2) ? r->scenario ^ 1 /* another size */
                                   : (int)gt_random_below(&s->random, SCENARIOS);
    }
    memcpy(r->variants, s->variants[r->scenario], sizeof r->variants);
}

static void start(sequence *s, int which)
{
    int channel[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, channel), 0);
    fflush(NULL);
    pid_t id = fork();
    assert_true(id >= 0);
    if (id == 0) {
        for (int p = 0; p < PROCESSES; p++) {
            if (s->processes[p].id) {
                close(s->processes[p].channel);
            }
        }
        close(channel[0]);
        run_process(channel[1], s->template, s->database);
    }
    close(channel[1]);
    s->processes[which].id = id;
    s->processes[which].channel = channel[0];
}

/* Ends a process and returns its status from waitpid(). */
static int end(sequence *s, int which)
{
    int status = 0;
    close(s->processes[which].channel);
    assert_int_equal(waitpid(s->processes[which].id, &status, 0), s->processes[which].id);
    s->processes[which].id = 0;
    memset(s->model.reported[which], 0, sizeof s->model.reported[which]);
    return status;
}

/* Returns false if the process ended without an answer, and sets *status to its exit status. */
static bool request_answer(sequence *s, sequence_answer *answer, int *status)
{
    int which = s->next.process;
    if (!s->processes[which].id) {
        start(s, which);
    }
    int channel = s->processes[which].channel;
    bool answered = write(channel, &s->next, sizeof s->next) == sizeof s->next &&
                    read(channel, answer, sizeof *answer) == sizeof *answer;
    *status = answered ? 0 : end(s, which);
    return answered;
}

static void __attribute__((format(printf, 2, 3))) note(sequence *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (s->length < LINES_MAX) {
        int more = vsnprintf(s->lines + s->length, LINES_MAX - s->length, format, list);
        s->length += more > 0 ? (size_t)more : 0;
    }
    va_end(list);
}

static void note_request(sequence *s)
{
    const sequence_request *r = &s->next;
    char blocks[64], only[64];
    list_blocks(blocks, r->template_blocks);
    list_blocks(only, r->only_blocks);
    note(s,
         "%d: process %d scenario %d BLOCK=(%s) only=(%s) require<=%d max=%u effort %d force %d "
         "table %d refresh %d emulated %d driver %d, %s at %d",
         r->number, r->process, r->scenario, blocks, only, r->require, r->max_variants, r->effort,
         r->force, r->through_table, r->refresh, r->emulated, r->driver_version,
         disturbance_names[r->disturbance], r->at);
}

static void note_answer(sequence *s, const sequence_answer *a)
{
    char config[32];
    config_name(config, a->config);
    note(s, "\n   -> %s: %s %s from %d, %.0f ns '%s' disturbed %d tried %x refuted %x\n",
         gt_status_name(a->status), config, gputune_source_name(a->source), a->made_by, a->time_ns,
         a->message, a->disturbed, a->tried, a->refuted);
}

static void note_variants(sequence *s, int scenario)
{
    for (int c = 0; c < CONFIGS; c++) {
        const scripted_variant *v = &s->variants[scenario][c];
        char config[32];
        config_name(config, c);
        note(s, "     %2d %-20s %6.0f ns %s%s%s\n", c, config, v->time_ns,
             failure_of(v) ? gt_status_name(failure_of(v)) : "", v->recheck ? " at the end" : "",
             v->hangs_once ? " hangs once" : "");
    }
}

static void open_sequence(sequence *s, uint64_t seed)
{
    s->random.state = seed;
    s->folder = folder_make_in_memory();
    snprintf(s->template, sizeof s->template, "%s/scale.cu", s->folder);
    snprintf(s->database, sizeof s->database, "%s/x.db", s->folder);
    model_start(&s->model);
    script_variants(s);
    s->next = (sequence_request){.template_blocks = ALL_BLOCKS,
                                 .require = 2048,
                                 .driver_version = 13000,
                                 .emulated = one_in(s, 2),
                                 .scenario = (int)gt_random_below(&s->random, SCENARIOS)};
}

static void close_sequence(sequence *s)
{
    for (int p = 0; p < PROCESSES; p++) {
        if (s->processes[p].id) {
            end(s, p);
        }
    }
    folder_remove(s->folder);
}

static void choose(sequence *s, int number)
{
    sequence_request *r = &s->next, before = s->next;
    r->number = number;
    r->process = one_in(s, 4) ? !r->process : r->process;
    choose_scenario(s, r);
    choose_space(s, r);
    choose_effort(s, r);
    bool edited = r->template_blocks != before.template_blocks || r->require != before.require;
    if (one_in(s, 15)) { /* start new processes, as after a driver update */
        r->driver_version += 10;
        for (int p = 0; p < PROCESSES; p++) {
            if (s->processes[p].id) {
                end(s, p);
            }
        }
    }
    if (!number || edited) {
        write_sequence_template(s->template, r);
        s->processes[0].outdated = s->processes[1].outdated = true;
    }
    /* a plan table notices edits only when it is refreshed */
    r->refresh = s->processes[r->process].outdated || one_in(s, 6);
    s->processes[r->process].outdated = false;
}

/* Returns what is wrong with the answer, or NULL. */
static const char *run_request(sequence *s)
{
    const sequence_request *r = &s->next;
    sequence_answer answer = {.config = NO_CONFIG};
    int status;
    note_request(s);
    if (!request_answer(s, &answer, &status)) {
        bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && r->disturbance == KILL;
        note(s, "\n   -> ended with status %d\n", status);
        return killed ? NULL : "the process ended by itself";
    }
    note_answer(s, &answer);
    const char *mistake = judge(&s->model, r, &answer);
    learn(&s->model, r, &answer);
    return mistake;
}

static const char *run_sequence(sequence *s)
{
    const char *mistake = NULL;
    int count = 5 + (int)gt_random_below(&s->random, 8);
    for (int number = 0; number < count && !mistake; number++) {
        choose(s, number);
        mistake = run_request(s);
    }
    return mistake;
}

static bool agrees(uint64_t seed, bool always_print)
{
    sequence *s = calloc(1, sizeof *s);
    assert_non_null(s);
    open_sequence(s, seed);
    const char *mistake = run_sequence(s);
    if (mistake || always_print) {
        note_variants(s, s->next.scenario);
        fprintf(stderr, "%s\n", s->lines); /* fail_msg() would truncate the lines */
    }
    if (mistake) {
        print_error("sequence %llu: %s; GPUTUNE_SEQUENCE=%llu repeats it\n",
                    (unsigned long long)seed, mistake, (unsigned long long)seed);
    }
    close_sequence(s);
    free(s);
    return !mistake;
}

TEST(test_answers_are_the_right_ones)
{
    const char *one = getenv("GPUTUNE_SEQUENCE");
    const char *more = getenv("GPUTUNE_SEQUENCES");
    uint64_t count = more ? strtoull(more, NULL, 10) : SEQUENCES;
    int wrong = 0;
    if (one) {
        assert_true(agrees(strtoull(one, NULL, 10), true));
        return;
    }
    for (uint64_t seed = 1; seed <= count; seed++) {
        wrong += !agrees(seed, false);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    setenv("GPUTUNE_TEMPLATES", "templates", 0);
    return tests_run(NULL, NULL);
}
