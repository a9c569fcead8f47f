/* Tests that the proof refuses a faulty variant of tests/faulty/ if, and only if, its comment says
 * that the proof catches the fault. Arguments select kernels; without arguments, every twelfth
 * kernel runs. GPUTUNE_TEST_LONG=1 runs all and prints a table. */
#include "faulty.h"

enum { CLASSES_MAX = 32 };

typedef struct faulty {
    faulty_kernel kernel;
    bool by_proof, by_check, sometimes; /* true if the proof may miss the fault */
    char status[24], message[512];
    int alarms; /* number of correct variants that were refused */
} faulty;

typedef struct tally {
    char class[24];
    int all, proof, check, neither;
} tally;

static tally tallies[CLASSES_MAX];

static faulty declared(const faulty_kernel *kernel)
{
    const char *by = kernel->caught;
    bool is_caught = strncmp(by, "neither", strlen("neither")) != 0;
    return (faulty){.kernel = *kernel,
                    .by_proof = strncmp(by, "proof", strlen("proof")) == 0,
                    .sometimes = strstr(by, "sometimes proof") != NULL,
                    .by_check = is_caught && strstr(by, "check") != NULL};
}

static void count(const faulty *f)
{
    tally *t = tallies;
    while (t->class[0] && strcmp(t->class, f->kernel.class) != 0) {
        t++;
    }
    assert_true(t < tallies + CLASSES_MAX - 1);
    memcpy(t->class, f->kernel.class, sizeof t->class);
    t->all++;
    t->proof += f->by_proof;
    t->check += f->by_check;
    t->neither += !f->by_proof && !f->by_check;
}

static void print_tallies(void)
{
    print_message("%-12s %9s %6s %6s %8s\n", "class", "kernels", "proof", "check", "neither");
    for (const tally *t = tallies; t->class[0]; t++) {
        print_message("%-12s %9d %6d %6d %8d\n", t->class, t->all, t->proof, t->check, t->neither);
    }
}

static int on_trial(void *user, const gputune_record *record)
{
    faulty *f = user;
    if (strstr(record->configuration, "BAD=1")) {
        snprintf(f->status, sizeof f->status, "%s", record->status);
        snprintf(f->message, sizeof f->message, "%s", record->message);
    } else if (strcmp(record->status, "ok") != 0 && strcmp(record->status, "eliminated") != 0) {
        print_error("%s: the right variant is %s: %s\n", record->kernel, record->status,
                    record->message);
        f->alarms++;
    }
    return 0;
}

static bool is_refuted(const faulty *f)
{
    return !strcmp(f->status, "wrong") || !strcmp(f->status, "crashed") ||
           !strcmp(f->status, "hung");
}

/* Returns true if the outcome may differ from the kernel's comment, which describes the emulator
 * without sanitizers. On a GPU, the faulty variant may be slower than the correct one or read other
 * garbage, and a race or a write past scratch memory may not change results. With sanitizers, a
 * proof may have no time to try other scalars, or for a thousand launches. */
static bool may_differ(const faulty *f, bool crowned)
{
    if (getenv("GPUTUNE_SANITIZED") &&
        (!strcmp(f->kernel.class, "scalar") || !strcmp(f->kernel.name, "from_launch_1000"))) {
        return true;
    }
    return strncmp(world_driver(), "emu", 3) != 0 && (!crowned || !f->by_proof || f->by_check);
}

static bool is_as_declared(gputune *tuner, faulty *f)
{
    char kernel[160];
    gputune_plan *plan;
    snprintf(kernel, sizeof kernel, "tests/faulty/%s.cu:%s", f->kernel.class, f->kernel.name);
    count(f);
    if (tune_kernel(&plan, tuner, kernel, (gputune_sizes){0}, &OPTIONS()) < 0) {
        print_error("%s: %s\n", f->kernel.name, gputune_error());
        return false;
    }
    gputune_info info = info_of(plan);
    bool crowned = strstr(info.configuration, "BAD=1") != NULL;
    gputune_plan_release(plan);
    OK(gputune_records(tuner, &FILTER(.kernel = f->kernel.name, .all_trials = true), on_trial, f));
    bool refuted = f->by_proof || (f->sometimes && !crowned);
    bool as_declared = is_refuted(f) == refuted && crowned == !refuted;
    if (f->alarms == 0 && (as_declared || may_differ(f, crowned))) {
        return true;
    }
    print_error("%s (%s): %s by the proof%s%s, declared is that it is %s\n", f->kernel.name,
                f->kernel.class,
                is_refuted(f) ? "caught"
                : crowned     ? "not caught"
                              : "not caught, but slower",
                f->message[0] ? ": " : "", f->message, f->by_proof ? "caught" : "not caught");
    return false;
}

TEST(proof_finds_faulty_variants)
{
    static faulty_kernel all[KERNELS_MAX];
    int found = read_faulty(all), wrong = 0;
    setenv("GPUTUNE_EMU_DEADLINE", "2", 0); /* a short deadline, for kernels that wait forever */
    gputune *tuner = tuner_open(world.database);
    for (int i = 0; i < found; i++) {
        faulty f = declared(&all[i]);
        wrong += is_wanted(all[i].name, i, 12) && !is_as_declared(tuner, &f);
    }
    gputune_close(tuner);
    print_tallies();
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    wanted = argv + 1;
    wanted_count = argc - 1;
    return tests_run(open_device, world_close);
}
