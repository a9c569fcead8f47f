/* Allocation that ends the program when memory runs out, and files read whole. */
#include "cli/memory.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (!memory) {
        fputs("gputune: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

void *cli_allocate(size_t count, size_t bytes)
{
    return checked(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *cli_grow(void *array, size_t count, size_t bytes)
{
    if (count & (count - 1)) {
        return array; /* the capacity is the next power of two */
    }
    return checked(realloc(array, (count ? count * 2 : 1) * bytes));
}

char *cli_copy(const char *string)
{
    return string ? checked(strdup(string)) : NULL;
}

char *cli_copy_part(const char *string, size_t count)
{
    return checked(strndup(string, count));
}

static char *format_arguments(const char *format, va_list args)
{
    gt_text text = {0};
    char *out = NULL;
    gt_text_vprintf(&text, format, args);
    return checked(gt_text_take(&out, &text) == GPUTUNE_OK ? out : NULL);
}

char *cli_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = format_arguments(format, args);
    va_end(args);
    return text;
}

void cli_append(char **text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *more = format_arguments(format, args);
    va_end(args);
    if (!*text) {
        *text = more;
        return;
    }
    char *joined = cli_format("%s%s", *text, more);
    free(*text);
    free(more);
    *text = joined;
}

char *cli_read_text(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t count = 0, room = 4096, got;
    if (!file) {
        return NULL;
    }
    char *text = cli_allocate(room, 1);
    while ((got = fread(text + count, 1, room - 1 - count, file)) > 0) {
        count += got;
        if (count == room - 1) {
            room *= 2;
            text = checked(realloc(text, room));
        }
    }
    text[count] = '\0';
    bool good = !ferror(file);
    fclose(file);
    if (!good) {
        free(text);
        return NULL;
    }
    *bytes = count;
    return text;
}
