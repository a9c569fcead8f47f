/* Allocates memory that lives until the program ends, reads whole files, and formats numbers. */
#include "cli/memory.h"

#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    struct block *older, *newer;
} block;
_Static_assert(sizeof(block) % _Alignof(max_align_t) == 0, "memory after a block is aligned");

static block ring = {&ring, &ring}; /* head of a circular list; ring.older is the newest block */

void *cli_present(void *memory)
{
    if (!memory) {
        fputs("gputune: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* Like realloc(). A moved block keeps its position in the ring; a new block becomes the newest. */
static void *resize_memory(void *memory, size_t bytes)
{
    block *one = cli_present(realloc(memory ? (block *)memory - 1 : NULL, sizeof *one + bytes));
    if (!memory) {
        *one = (block){ring.older, &ring};
    }
    one->older->newer = one->newer->older = one;
    return one + 1;
}

void *cli_allocate(size_t count, size_t bytes)
{
    return memset(resize_memory(NULL, count * bytes), 0, count * bytes);
}

void *cli_grow(void *array, size_t count, size_t bytes)
{
    if (count & (count - 1)) {
        return array; /* full arrays have 0 items or a power of two */
    }
    return resize_memory(array, (count ? count * 2 : 1) * bytes);
}

char *cli_copy(const char *string)
{
    return string ? cli_copy_part(string, strlen(string)) : NULL;
}

char *cli_copy_part(const char *string, size_t count)
{
    size_t length = strnlen(string, count);
    char *copy = cli_allocate(length + 1, 1);
    return memcpy(copy, string, length);
}

char *cli_clean(char *text, bool lines)
{
    const char *end = text + strlen(text);
    char *to = text;
    for (const char *at = text; at < end;) {
        int length = gt_utf8_length(at, end);
        const unsigned char first = (unsigned char)at[0], second = (unsigned char)at[length > 1];
        bool is_space = first == '\n' || first == '\t' || first == '\r';
        bool is_control = first < ' ' || first == 0x7f || (first == 0xc2 && second < 0xa0);
        if (is_space) {
            *to++ = (char)(lines && first != '\r' ? first : ' ');
        } else if (length && !is_control) {
            memmove(to, at, (size_t)length);
            to += length;
        }
        at += length ? length : 1;
    }
    *to = '\0';
    return text;
}

static void append_arguments(char **text, const char *format, va_list args)
{
    gt_text more = {0};
    size_t length = *text ? strlen(*text) : 0;
    gt_text_vprintf(&more, format, args);
    cli_present(more.failed ? NULL : &more);
    *text = resize_memory(*text, length + more.length + 1);
    memcpy(*text + length, gt_text_string(&more), more.length + 1);
    gt_text_free(&more);
}

char *cli_format(const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    append_arguments(&text, format, args);
    va_end(args);
    return text;
}

const char *cli_shell_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:=,+@%";
    if (!word[strspn(word, plain)]) {
        return word;
    }
    char *text = cli_copy("'");
    for (; *word; word++) {
        cli_append(&text, "%s%c", *word == '\'' ? "'\\'" : "", *word);
    }
    cli_append(&text, "'");
    return text;
}

void cli_append(char **text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append_arguments(text, format, args);
    va_end(args);
}

void cli_join(char **text, const char *separator, const char *item)
{
    cli_append(text, "%s%s", *text && **text ? separator : "", item);
}

char *cli_read_text(const char *path, size_t *bytes)
{
    enum { STEP = 1 << 16 };
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t got = 1;
    if (!file) {
        return NULL;
    }
    for (*bytes = 0; got; *bytes += got) {
        text = resize_memory(text, *bytes + STEP + 1);
        got = fread(text + *bytes, 1, STEP, file);
    }
    text[*bytes] = '\0';
    bool good = !ferror(file);
    fclose(file);
    return good ? text : NULL;
}

void *cli_mark(void)
{
    return resize_memory(NULL, 0);
}

void cli_release(void *mark)
{
    const block *last = (block *)mark - 1;
    block *one;
    do {
        one = ring.older;
        one->older->newer = one->newer;
        one->newer->older = one->older;
        free(one);
    } while (one != last);
}

/* ---- figures --------------------------------------------------------------------------------- */

static char *format_scaled(double value, const char *const units[4])
{
    size_t unit = 0;
    while (unit < 3 && fabs(value) >= 999.95) {
        value /= 1e3;
        unit++;
    }
    int decimals = 3;
    for (double limit = 9.9995; decimals > 0 && fabs(value) >= limit; limit *= 10) {
        decimals--;
    }
    return cli_format("%.*f %s", decimals, value, units[unit]);
}

char *cli_value(double value, gputune_objective objective)
{
    static const char *const times[] = {"ns", "µs", "ms", "s"};
    static const char *const energies[] = {"nJ", "µJ", "mJ", "J"};
    return format_scaled(value, objective == GPUTUNE_OBJECTIVE_ENERGY ? energies : times);
}

const char *cli_speedup(double speedup, double low, double high)
{
    return !(speedup > 0) ? ""
           : low > 0      ? cli_format("%.3fx [%.3f, %.3f]", speedup, low, high)
                          : cli_format("%.3fx", speedup);
}

char *cli_rate(double bytes_per_s)
{
    double gigabytes = bytes_per_s / 1e9;
    return cli_format("%.*f GB/s", gigabytes >= 100 ? 0 : gigabytes >= 10 ? 1 : 2, gigabytes);
}

char *cli_bytes(double bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (unit < 4 && bytes >= 1024) {
        bytes /= 1024;
        unit++;
    }
    return cli_format("%.*f %s", bytes == floor(bytes) ? 0 : 1, bytes, units[unit]);
}

/* Returns "64M" for 67108864, or the text itself if no suffix fits. */
static const char *short_number(const char *text)
{
    int64_t value;
    if (text[strspn(text, "0123456789")] || gt_read_int(&value, text) != GT_INT_READ) {
        return text;
    }
    int suffix = -1;
    while (value && value % 1024 == 0 && suffix < 3) {
        value /= 1024;
        suffix++;
    }
    return suffix < 0 ? text : cli_format("%" PRId64 "%c", value, "KMGT"[suffix]);
}

bool cli_next_pair(const char **text, char **name, char **value)
{
    const char *word = *text + strspn(*text, " ");
    size_t end = strcspn(word, "= ");
    size_t length = word[end] == '=' ? gt_setting_length(word, false) : end;
    *text = word + length;
    *name = cli_copy_part(word, end);
    *value = cli_copy_part(word + end + (end < length), length - end - (end < length));
    return length > 0;
}

char *cli_short_sizes(const char *sizes)
{
    char *out = cli_copy(""), *name, *value;
    while (cli_next_pair(&sizes, &name, &value)) {
        cli_append(&out, "%s%s%s%s", out[0] ? " " : "", name, value[0] ? "=" : "",
                   short_number(value));
    }
    return out;
}

char *cli_label(const char *kernel, const char *sizes)
{
    const char *brief = cli_short_sizes(sizes);
    return cli_format("%s%s%s", kernel, brief[0] ? " " : "", brief);
}

long cli_take_number(const char **text, long most)
{
    char *end;
    long number = isdigit((unsigned char)**text) ? strtol(*text, &end, 10) : -1;
    bool is_taken = number >= 0 && number <= most;
    *text = is_taken ? end : *text;
    return is_taken ? number : -1;
}

char *cli_bar(double share, size_t cells)
{
    static const char *const ends[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t eighths = share > 0 ? (size_t)ceil(fmin(share, 1) * (double)cells * 8 - 1e-9) : 0;
    char *out = cli_copy("");
    for (size_t i = 0; i < eighths / 8; i++) {
        cli_append(&out, "█");
    }
    cli_append(&out, "%s", ends[eighths % 8]);
    return out;
}

size_t cli_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++) {
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return columns;
}
