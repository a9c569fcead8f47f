/* Gives a C++ kernel that two launch() of a pipeline instantiate a function for each of them: in an
 * image instances of one template cannot be told apart by their names. */
#include "kernel/body.h"

#include "kernel/functions.h"
#include "kernel/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends `#line` for a place of the text, which has marks of that kind itself. */
static void append_mark(gt_text *out, const char *text, size_t at, const char *path)
{
    int line = 1;
    const char *file = path;
    char *name = NULL;
    for (const char *begin = text, *end; (end = strchr(begin, '\n')) && end < text + at;
         begin = end + 1) {
        const char *open = memchr(begin, '"', (size_t)(end - begin));
        const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
        line++;
        if (strncmp(begin, "#line ", 6) == 0 && close) {
            free(name);
            name = strndup(open + 1, (size_t)(close - open - 1));
            file = name ? name : path;
            line = (int)strtol(begin + 6, NULL, 10);
        }
    }
    gt_line_mark_append(out, line, file);
    free(name);
}

/* The step's number, as an ending of a name. */
static void append_number(gt_text *out, uint32_t step)
{
    gt_text_printf(out, "_launch%u", step + 1);
}

static bool is_specialised(const char *text, const char *name)
{
    gt_function function;
    for (size_t at = 0; gt_function_find(&function, text, name, at);) {
        if (function.is_specialisation) {
            return true;
        }
        at = function.plain ? function.end : function.parameters_end;
    }
    return false;
}

/* The definition of `kernel` once more, its name ending in the step's number. */
static gputune_status copy_function(char **text, const gt_kernel_name *kernel, uint32_t step,
                                    const char *path)
{
    gt_function function;
    gt_text out = {0};
    size_t at = 0;
    do {
        if (!gt_function_find(&function, *text, kernel->name, at)) {
            return GPUTUNE_OK; /* as it was found, it can be found again */
        }
        at = function.plain ? function.end : function.parameters_end;
    } while (!function.is_definition || function.is_specialisation);
    if (is_specialised(*text, kernel->name)) {
        return gt_fail_at(kernel->place,
                          "'%s' has other arguments in another launch(), and specialisations; "
                          "expected a launch() of one instance alone",
                          kernel->name);
    }
    if (!function.plain) {
        return gt_fail_at(
            kernel->place,
            "'%s' has other arguments in another launch(), and directives that its "
            "braces do not pair with; expected #if and #endif around whole statements",
            kernel->name);
    }
    size_t named = function.name;
    while (isalnum((unsigned char)(*text)[named]) || (*text)[named] == '_') {
        named++;
    }
    gt_text_append_bytes(&out, *text, function.end);
    gt_text_append(&out, "\n");
    append_mark(&out, *text, function.begin, path);
    gt_text_append_bytes(&out, *text + function.begin, named - function.begin);
    append_number(&out, step);
    gt_text_append_bytes(&out, *text + named, function.end - named);
    gt_text_append(&out, "\n");
    append_mark(&out, *text, function.end, path);
    gt_text_append(&out, *text + function.end);
    char *more;
    GT_TRY(gt_text_take(&more, &out));
    free(*text);
    *text = more;
    return GPUTUNE_OK;
}

static bool same_arguments(const gt_kernel_name *a, const gt_kernel_name *b)
{
    size_t length = (size_t)(a->arguments.end - a->arguments.token.text);
    return length == (size_t)(b->arguments.end - b->arguments.token.text) &&
           memcmp(a->arguments.token.text, b->arguments.token.text, length) == 0;
}

/* The first step that launches the same function, with the same arguments where `instance`. */
static uint32_t first_of(const gt_template_parts *parts, uint32_t step, bool instance)
{
    const gt_kernel_name *own = &parts->steps[step].kernel;
    for (uint32_t i = 0; i < step; i++) {
        const gt_kernel_name *other = &parts->steps[i].kernel;
        if (strcmp(other->name, own->name) == 0 && (!instance || same_arguments(other, own))) {
            return i;
        }
    }
    return step;
}

static bool needs_copy(const gt_template_parts *parts, uint32_t step)
{
    return parts->steps[step].kernel.is_template && first_of(parts, step, true) == step &&
           first_of(parts, step, false) != step;
}

gputune_status gt_instances_name(gt_template_parts *parts)
{
    for (uint32_t i = 0; i < parts->step_count; i++) {
        gt_kernel_name *kernel = &parts->steps[i].kernel;
        uint32_t first = kernel->is_template ? first_of(parts, i, true) : i;
        if (first != i) {
            memcpy(kernel->entry, parts->steps[first].kernel.entry, sizeof kernel->entry);
        } else if (needs_copy(parts, i)) {
            gt_text name = {0};
            gt_text_append(&name, kernel->entry);
            append_number(&name, i);
            const bool failed = name.failed, fits = name.length < sizeof kernel->entry;
            memcpy(kernel->entry, gt_text_string(&name), fits ? name.length + 1 : 0);
            gt_text_free(&name);
            if (failed) {
                return gt_fail_memory();
            }
            if (!fits) {
                return gt_fail_at(kernel->place, "'%s' is too long; expected a shorter name",
                                  kernel->name);
            }
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_instances_part(char **text, const gt_template_parts *parts)
{
    for (uint32_t i = 0; i < parts->step_count; i++) {
        if (needs_copy(parts, i)) {
            GT_TRY(copy_function(text, &parts->steps[i].kernel, i, parts->files[0].path));
        }
    }
    return GPUTUNE_OK;
}
