/* Allocation that ends the program when memory runs out, and files read whole. Every block is a
 * malloc() of its own, so that checkers of memory see where it ends. */
#include "cli/memory.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stands before what is handed out, which begins as aligned as this ends. */
typedef struct block {
    struct block *older, *newer;
} block;
_Static_assert(sizeof(block) % _Alignof(max_align_t) == 0, "what follows a block is aligned");

static block ring = {&ring, &ring}; /* its `older` is the newest block */

void *cli_present(void *memory)
{
    if (!memory) {
        fputs("gputune: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* Like realloc; a block that moves keeps its place in the ring, and a new one is the newest. */
static void *resize(void *memory, size_t bytes)
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
    return memset(resize(NULL, count * bytes), 0, count * bytes);
}

void *cli_grow(void *array, size_t count, size_t bytes)
{
    if (count & (count - 1)) {
        return array; /* the capacity is the next power of two */
    }
    return resize(array, (count ? count * 2 : 1) * bytes);
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

void cli_copy_texts(void *item, const void *like, const size_t *offsets, size_t count)
{
    static char none[] = "";
    for (size_t i = 0; i < count; i++) {
        char **text = (char **)((char *)item + offsets[i]);
        char *known = like ? *(char *const *)((const char *)like + offsets[i]) : NULL;
        const char *given = *text ? *text : none;
        *text = !*given ? none : known && strcmp(known, given) == 0 ? known : cli_copy(given);
    }
}

static void append_arguments(char **text, const char *format, va_list args)
{
    gt_text more = {0};
    size_t length = *text ? strlen(*text) : 0;
    gt_text_vprintf(&more, format, args);
    cli_present(more.failed ? NULL : &more);
    *text = resize(*text, length + more.length + 1);
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

void cli_append(char **text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append_arguments(text, format, args);
    va_end(args);
}

char *cli_read_text(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t count = 0, room = 4096, got;
    if (!file) {
        return NULL;
    }
    char *text = resize(NULL, room);
    while ((got = fread(text + count, 1, room - 1 - count, file)) > 0) {
        count += got;
        if (count == room - 1) {
            room *= 2;
            text = resize(text, room);
        }
    }
    text[count] = '\0';
    *bytes = count;
    bool good = !ferror(file);
    fclose(file);
    return good ? text : NULL;
}

void *cli_mark(void)
{
    return resize(NULL, 0);
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
