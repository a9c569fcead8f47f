/* Fuzzes databases. The image of a valid database is changed as the input specifies. Each group of
 * four input bytes is an offset of three bytes and a byte that is combined with the byte at that
 * offset. If the fourth byte is 0, the image is truncated at the offset. A lookup must find only
 * results that were stored. */
#include "fuzz/fuzz.h"

#include "store/store.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATCH = 4 };
static const char environment[] = "00112233445566778899aabbccddeeff", code_text[] = "the code";

const char *const fuzz_seeds[] = {"abc1", "\1\2\3\4\5\6\7\10", "aaa1bbb2ccc3ddd4", NULL};
const char *const fuzz_words[] = {"\1", "\20", "\1\1\1\1", "\177", NULL};

static struct {
    char path[64], *bytes;
    size_t count;
} base;

static gt_scenario scenario(void)
{
    return (gt_scenario){.environment = environment,
                         .kernel = "axpy",
                         .problem = "n=1024",
                         .fixed = "",
                         .objective = GPUTUNE_OBJECTIVE_KERNEL,
                         .alignment = "16",
                         .inputs = "seed=1",
                         .identity = {1, 2},
                         .work_bytes = 1,
                         .work_flops = 2};
}

static void put(void)
{
    gt_store *store;
    const gt_scenario asked = scenario();
    const gt_trial trials[] = {
        {.hash = {1, 1},
         .source = {7, 7},
         .config = "VEC=4",
         .time = {9, 100, 100, 2, 97, 103, 96}},
        {.hash = {2, 2}, .config = "VEC=8", .status = GT_TRIAL_CRASHED, .message = "crashed"}};
    gt_winner winner = {.config = (char *)"VEC=4",
                        .default_config = (char *)"VEC=4",
                        .trial = {1, 1},
                        .default_trial = {1, 1},
                        .terms = {.effort = GPUTUNE_MEASURE, .final = true, .proved = true},
                        .stop_reason = (char *)"",
                        .code = {.source = {7, 7},
                                 .arch = "sm_90",
                                 .image = {(void *)(uintptr_t)code_text, sizeof code_text}}};
    const gt_site site = {.scenario = asked};
    const gt_outcome outcome = {
        .site = &site, .trials = trials, .trial_count = 2, .winner = &winner};
    FUZZ_REQUIRE(gt_store_open(&store, base.path, NULL, NULL, false) == GPUTUNE_OK);
    FUZZ_REQUIRE(gt_store_put_winner(store, &outcome, NULL) == GPUTUNE_OK);
    gt_store_close(store);
}

static void make_base(void)
{
    struct stat facts;
    snprintf(base.path, sizeof base.path, "/tmp/gputune-fuzz-XXXXXX");
    int file = mkstemp(base.path);
    FUZZ_REQUIRE(file >= 0);
    close(file);
    put();
    file = open(base.path, O_RDONLY | O_CLOEXEC);
    FUZZ_REQUIRE(file >= 0 && fstat(file, &facts) == 0);
    base.count = (size_t)facts.st_size;
    base.bytes = malloc(base.count);
    FUZZ_REQUIRE(base.bytes && read(file, base.bytes, base.count) == (ssize_t)base.count);
    close(file);
    unlink(base.path);
}

static void write_changed(const uint8_t *data, size_t bytes)
{
    GT_FREED char *image = malloc(base.count);
    size_t count = base.count;
    FUZZ_REQUIRE(image);
    memcpy(image, base.bytes, base.count);
    for (; bytes >= PATCH; data += PATCH, bytes -= PATCH) {
        size_t place = ((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % base.count;
        image[place] ^= (char)data[3];
        count = data[3] ? count : place;
    }
    int file = open(base.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FUZZ_REQUIRE(file >= 0 && write(file, image, count) == (ssize_t)count);
    close(file);
}

static void judge(const gt_winner_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const gt_winner *winner = &list->items[i];
        FUZZ_REQUIRE(strcmp(winner->config, "VEC=4") == 0);
        FUZZ_REQUIRE(!winner->code.image.bytes ||
                     (winner->code.image.bytes == sizeof code_text &&
                      memcmp(winner->code.image.data, code_text, sizeof code_text) == 0));
    }
}

static int take_record(void *user, const gputune_record *record)
{
    bool right = strcmp(record->configuration, "VEC=4") == 0;
    FUZZ_REQUIRE(right || strcmp(record->configuration, "VEC=8") == 0);
    FUZZ_REQUIRE(strcmp(record->status, right ? "ok" : "crashed") == 0);
    return 0;
}

static void read_all(gt_store *store)
{
    const gt_scenario asked = scenario();
    const gt_records_filter filter = {.all_trials = true};
    gt_winner_list winners;
    gt_trial_list trials;
    if (gt_store_winners(&winners, store, &asked, NULL) == GPUTUNE_OK) {
        judge(&winners);
        gt_winner_list_free(&winners);
    }
    if (gt_store_trials(&trials, store, &asked, 0, NULL) == GPUTUNE_OK) {
        FUZZ_REQUIRE(trials.count <= 2);
        gt_trial_list_free(&trials);
    }
    (void)gt_store_records(store, &filter, take_record, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    gt_store *store;
    if (!base.bytes) {
        make_base();
    }
    write_changed(data, bytes);
    if (gt_store_open(&store, base.path, NULL, NULL, true) == GPUTUNE_OK) {
        read_all(store);
        gt_store_close(store);
    }
    unlink(base.path);
    return 0;
}
