/* Feeds a fuzzer with mutations of its seeds and of earlier mutations. The same seed number gives
 * the same inputs. The compiler need not support fuzzing.
 *
 *   fuzz_X [-t SECONDS] [-n INPUTS] [-s SEED] [-o LAST-INPUT-FILE] [SEED-FILE...]
 *   fuzz_X -r FILE...      tries the files as they are
 *
 * The current input is written to LAST-INPUT-FILE (default: fuzz-input), so it is there after a
 * crash. */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 1 << 16, POPULATION = 256 };

typedef struct input {
    uint8_t *data;
    size_t bytes;
} input;

static input population[POPULATION];
static size_t population_count, seed_count; /* seeds come first in `population` and stay */
static uint64_t random_state;
static int shown_file = -1; /* the file that contains the current input */

static uint64_t next_random(void)
{
    random_state += 0x9E3779B97F4A7C15u; /* splitmix64 */
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static size_t below(size_t limit)
{
    return limit ? (size_t)(next_random() % limit) : 0;
}

static void add_to_population(const void *data, size_t bytes)
{
    bytes = bytes < LARGEST ? bytes : LARGEST;
    size_t at = population_count < POPULATION ? population_count++
                                              : seed_count + below(POPULATION - seed_count);
    free(population[at].data);
    population[at].data = malloc(bytes + 1);
    FUZZ_REQUIRE(population[at].data);
    memcpy(population[at].data, data, bytes);
    population[at].bytes = bytes;
}

static uint8_t work[LARGEST];
static size_t work_bytes;

static void insert(size_t at, const void *data, size_t bytes)
{
    if (work_bytes + bytes > LARGEST) {
        return;
    }
    memmove(work + at + bytes, work + at, work_bytes - at);
    memcpy(work + at, data, bytes);
    work_bytes += bytes;
}

static void flip_bit(void)
{
    if (work_bytes) {
        work[below(work_bytes)] ^= (uint8_t)(1u << below(8));
    }
}

static void set_byte(void)
{
    static const uint8_t interesting[] = {0,   1,   0x7F, 0x80, 0xFF, '0',
                                          '9', ' ', '\n', '(',  ')',  '"'};
    if (work_bytes) {
        work[below(work_bytes)] =
            below(2) ? interesting[below(sizeof interesting)] : (uint8_t)next_random();
    }
}

static void delete_part(void)
{
    if (work_bytes) {
        size_t at = below(work_bytes), longest = work_bytes - at;
        size_t bytes = 1 + below(below(4) ? (longest < 8 ? longest : 8) : longest);
        memmove(work + at, work + at + bytes, work_bytes - at - bytes);
        work_bytes -= bytes;
    }
}

static void duplicate_part(void)
{
    if (work_bytes) {
        uint8_t part[256];
        size_t at = below(work_bytes), longest = work_bytes - at;
        size_t bytes = 1 + below(longest < sizeof part ? longest : sizeof part);
        memcpy(part, work + at, bytes);
        size_t to = below(work_bytes + 1);
        for (size_t times = below(16) ? 1 : 1 + below(64); times; times--) {
            insert(to, part, bytes);
        }
    }
}

static void insert_word(void)
{
    size_t count = 0;
    while (fuzz_words[count]) {
        count++;
    }
    if (count) {
        const char *word = fuzz_words[below(count)];
        insert(below(work_bytes + 1), word, strlen(word));
    }
}

static void change_number(void)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "4294967296",
                                          "2147483647",
                                          "2147483648",
                                          "1e308",
                                          "0x7fffffff",
                                          "65536",
                                          "99999999999",
                                          "1000000000000000000000",
                                          "9223372036854775807",
                                          "-9223372036854775808"};
    for (size_t tries = 0; tries < 64 && work_bytes; tries++) {
        size_t at = below(work_bytes), end = at;
        while (end < work_bytes && work[end] >= '0' && work[end] <= '9') {
            end++;
        }
        if (end > at) {
            const char *number = numbers[below(sizeof numbers / sizeof *numbers)];
            memmove(work + at, work + end, work_bytes - end);
            work_bytes -= end - at;
            insert(at, number, strlen(number));
            return;
        }
    }
}

static void insert_other(void)
{
    const input *other = &population[below(population_count)];
    if (other->bytes) {
        size_t from = below(other->bytes), longest = other->bytes - from;
        insert(below(work_bytes + 1), other->data + from, 1 + below(longest));
    }
}

static void (*const mutations[])(void) = {flip_bit,    set_byte,       delete_part,
                                          delete_part, duplicate_part, insert_word,
                                          insert_word, change_number,  insert_other};

static void mutate(void)
{
    const input *parent = &population[below(population_count)];
    memcpy(work, parent->data, parent->bytes);
    work_bytes = parent->bytes;
    for (size_t times = 1 + below(below(4) ? 3 : 16); times; times--) {
        mutations[below(sizeof mutations / sizeof *mutations)]();
    }
}

static void try_input(const uint8_t *data, size_t bytes)
{
    if (shown_file >= 0) {
        FUZZ_REQUIRE(pwrite(shown_file, data, bytes, 0) == (ssize_t)bytes);
        FUZZ_REQUIRE(ftruncate(shown_file, (off_t)bytes) == 0);
    }
    uint8_t *exact = malloc(bytes ? bytes : 1); /* exact size, so sanitizers notice overruns */
    FUZZ_REQUIRE(exact);
    memcpy(exact, data, bytes);
    LLVMFuzzerTestOneInput(exact, bytes);
    free(exact);
}

static void read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    work_bytes = fread(work, 1, LARGEST, file);
    fclose(file);
    add_to_population(work, work_bytes);
}

static void open_shown(const char *path)
{
    shown_file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    FUZZ_REQUIRE(shown_file >= 0);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct settings {
    double seconds;
    size_t inputs;
    const char *last;
    bool replay;
} settings;

static bool read_options(settings *out, int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "t:n:s:o:r")) != -1) {
        switch (option) {
        case 't':
            out->seconds = strtod(optarg, NULL);
            break;
        case 'n':
            out->inputs = strtoul(optarg, NULL, 10);
            break;
        case 's':
            random_state = strtoul(optarg, NULL, 10);
            break;
        case 'o':
            out->last = optarg;
            break;
        case 'r':
            out->replay = true;
            break;
        default:
            return false;
        }
    }
    return true;
}

static size_t try_mutations(const settings *settings, size_t tried)
{
    double end = now_s() + settings->seconds;
    while (tried < settings->inputs && now_s() < end) {
        mutate();
        try_input(work, work_bytes);
        if (below(8) == 0) {
            add_to_population(work, work_bytes);
        }
        tried++;
    }
    return tried;
}

int main(int argc, char **argv)
{
    settings settings = {10, SIZE_MAX, "fuzz-input", false};
    if (!read_options(&settings, argc, argv)) {
        return 2;
    }
    if (!settings.replay) {
        open_shown(settings.last);
        for (size_t i = 0; fuzz_seeds[i]; i++) {
            add_to_population(fuzz_seeds[i], strlen(fuzz_seeds[i]));
        }
    }
    for (int i = optind; i < argc; i++) {
        read_file(argv[i]);
    }
    seed_count = population_count < POPULATION / 2 ? population_count : POPULATION / 2;
    size_t tried = 0;
    for (; tried < population_count; tried++) {
        try_input(population[tried].data, population[tried].bytes);
    }
    if (!settings.replay) {
        tried = try_mutations(&settings, tried);
        unlink(settings.last);
    }
    printf("%zu inputs, no failure\n", tried);
    for (size_t i = 0; i < population_count; i++) {
        free(population[i].data);
    }
    return 0;
}
