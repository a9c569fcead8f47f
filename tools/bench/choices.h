/* What another tuner chose, read from a file: a line for each choice, with tabs between
 *
 *   kernel   sizes   configuration   how often   settings that it cannot vary
 *
 * as in "gather", "n=65536 entries=4096", "TABLE_IN=l1 CARVEOUT=auto VEC=1", "3", "CARVEOUT=auto".
 * Sizes and configurations are written as gputune writes them; the last field may be empty. */
#ifndef BENCH_CHOICES_H
#define BENCH_CHOICES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_choice {
    char *kernel, *sizes, *configuration, *fixed; /* parts of one line, which is never freed */
    int times;
} bench_choice;

typedef struct bench_choices {
    bench_choice *items;
    size_t count;
} bench_choices;

static inline bool bench_has_word(const char *text, const char *word, size_t length)
{
    for (; *text; text += strspn(text, " ")) {
        size_t here = strcspn(text, " ");
        if (here == length && memcmp(text, word, length) == 0) {
            return true;
        }
        text += here;
    }
    return false;
}

/* Whether every word of `words` is one of `text`'s: a configuration's settings, a record's sizes.
 */
static inline bool bench_has_words(const char *text, const char *words)
{
    for (; *words; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        if (length && !bench_has_word(text, words, length)) {
            return false;
        }
        words += length;
    }
    return true;
}

/* False where the line has not five fields, or no count of at least 1. */
static inline bool bench_parse_choice(bench_choice *out, char *line)
{
    char *times, *end;
    line[strcspn(line, "\n")] = '\0';
    out->kernel = strsep(&line, "\t");
    out->sizes = strsep(&line, "\t");
    out->configuration = strsep(&line, "\t");
    times = strsep(&line, "\t");
    out->fixed = strsep(&line, "\t");
    if (!out->fixed) {
        return false;
    }
    out->times = (int)strtol(times, &end, 10);
    return end > times && *end == '\0' && out->times > 0;
}

/* Reads all of a file. Ends the program with a message on any mistake. */
static inline bench_choices bench_read_choices(const char *path)
{
    bench_choices choices = {0};
    char *line = NULL;
    size_t capacity = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    while (getline(&line, &capacity, file) > 0) {
        choices.items = realloc(choices.items, (choices.count + 1) * sizeof *choices.items);
        if (!choices.items || !bench_parse_choice(&choices.items[choices.count++], line)) {
            fprintf(stderr,
                    "%s:%zu: expected kernel, sizes, configuration, how often and fixed "
                    "settings with tabs between\n",
                    path, choices.count);
            exit(2);
        }
        line = NULL;
        capacity = 0;
    }
    free(line);
    fclose(file);
    return choices;
}

#endif
