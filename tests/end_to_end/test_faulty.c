/* Templates of tests/faulty/, each with a right and a faulty variant, of which the faulty one is
 * the faster: the proof finds those that their second line gives to it, and no other. Those that
 * are named as arguments, or every twelfth; with GPUTUNE_TEST_LONG=1 all, and a table by class. */
#include "world.h"

#include <dirent.h>

enum { NAMES_MAX = 256, CLASSES_MAX = 32 };

typedef struct faulty {
    char class[24];
    bool by_proof, by_check, sometimes; /* declared; sometimes: by luck, and by the proof */
    char status[24], message[512];
    int alarms; /* right variants that are refuted */
} faulty;

typedef struct tally {
    char class[24];
    int all, proof, check, neither;
} tally;

static tally tallies[CLASSES_MAX];
static char **wanted;
static int wanted_count;

/* ---- What a template says -------------------------------------------------------------------- */

static void read_head(faulty *out, const char *path)
{
    char first[512] = "", second[512] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(first, sizeof first, file));
    assert_non_null(fgets(second, sizeof second, file));
    fclose(file);
    const char *by = second + strlen("// caught: ");
    if (sscanf(first, "// %23[^:]:", out->class) != 1 || strncmp(second, "// caught: ", 11) != 0) {
        fail_msg("%s: no class or no '// caught:' in its first two lines", path);
    }
    out->by_proof = strncmp(by, "proof", strlen("proof")) == 0;
    out->sometimes = strstr(by, "sometimes proof") != NULL;
    out->by_check = strstr(by, "check") != NULL && strncmp(by, "neither", strlen("neither")) != 0;
}

static void count(const faulty *f)
{
    tally *t = tallies;
    while (t->class[0] && strcmp(t->class, f->class) != 0) {
        t++;
    }
    assert_true(t < tallies + CLASSES_MAX - 1);
    memcpy(t->class, f->class, sizeof t->class);
    t->all++;
    t->proof += f->by_proof;
    t->check += f->by_check;
    t->neither += !f->by_proof && !f->by_check;
}

static void print_tallies(void)
{
    print_message("%-12s %9s %6s %6s %8s\n", "class", "templates", "proof", "check", "neither");
    for (const tally *t = tallies; t->class[0]; t++) {
        print_message("%-12s %9d %6d %6d %8d\n", t->class, t->all, t->proof, t->check, t->neither);
    }
}

/* ---- What becomes of it ---------------------------------------------------------------------- */

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

/* What is declared holds for the emulator. On a GPU the faulty variant may be the slower one, the
 * garbage that it reads is another, and what `gputune check` finds need not show: a race, or a
 * write behind scratch memory. */
static bool may_differ(const faulty *f, bool crowned)
{
    return strncmp(world_driver(), "emu", 3) != 0 && (!crowned || !f->by_proof || f->by_check);
}

static bool is_as_declared(gputune *tuner, const char *name)
{
    char path[300];
    faulty f = {0};
    gputune_plan *plan;
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    options.time_limit_s = 60;
    snprintf(path, sizeof path, "tests/faulty/%s.cu", name);
    read_head(&f, path);
    count(&f);
    if (tune_kernel(&plan, tuner, path, (gputune_sizes){0}, &options) < 0) {
        print_error("%s: %s\n", name, gputune_error());
        return false;
    }
    gputune_info info = info_of(plan);
    bool crowned = strstr(info.configuration, "BAD=1") != NULL;
    gputune_plan_release(plan);
    filter.kernel = name;
    filter.all_trials = true;
    OK(gputune_records(tuner, &filter, on_trial, &f));
    bool refuted = f.by_proof || (f.sometimes && !crowned);
    bool as_declared = is_refuted(&f) == refuted && crowned == !refuted;
    if (f.alarms == 0 && (as_declared || may_differ(&f, crowned))) {
        return true;
    }
    print_error("%s (%s): %s by the proof%s%s, declared is that it is %s\n", name, f.class,
                is_refuted(&f) ? "caught"
                : crowned      ? "not caught"
                               : "not caught, but slower",
                f.message[0] ? ": " : "", f.message, f.by_proof ? "caught" : "not caught");
    return false;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list(char **names)
{
    int found = 0;
    const struct dirent *entry;
    DIR *folder = opendir("tests/faulty");
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        size_t length = strlen(entry->d_name);
        if (length > 3 && !strcmp(entry->d_name + length - 3, ".cu")) {
            assert_true(found < NAMES_MAX);
            names[found] = strdup(entry->d_name);
            names[found++][length - 3] = '\0';
        }
    }
    closedir(folder);
    qsort(names, (size_t)found, sizeof *names, by_name);
    return found;
}

static bool is_wanted(const char *name, int index)
{
    for (int i = 0; i < wanted_count; i++) {
        if (!strcmp(wanted[i], name)) {
            return true;
        }
    }
    return wanted_count == 0 && (index % 12 == 0 || getenv("GPUTUNE_TEST_LONG"));
}

TEST(test_faulty_variants)
{
    char *names[NAMES_MAX];
    int found = list(names), wrong = 0;
    gputune *tuner = tuner_open(world.database);
    for (int i = 0; i < found; i++) {
        wrong += is_wanted(names[i], i) && !is_as_declared(tuner, names[i]);
        free(names[i]);
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
