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
    gt_token file;
    char name[GT_NAME_MAX];
    const int line = gt_line_at(&file, text, at);
    const bool named = file.length > 2 && file.length - 2 < sizeof name;
    memcpy(name, file.text + 1, named ? file.length - 2 : 0);
    name[named ? file.length - 2 : 0] = '\0';
    gt_line_mark_append(out, line, named ? name : path);
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
        at = function.next;
    }
    return false;
}

/* The definition of `kernel` once more, its name ending in the step's number. */
static gputune_status copy_function(char **text, const gt_kernel_name *kernel, uint32_t step,
                                    const char *path)
{
    gt_function function;
    gt_text out = {0};
    if (!gt_function_definition(&function, *text, kernel->name)) {
        return GPUTUNE_OK; /* as it was found, it can be found again */
    }
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

uint32_t gt_step_of(const gt_template_parts *parts, const char *name)
{
    uint32_t i = 0;
    while (i < parts->step_count && strcmp(parts->steps[i].kernel.name, name) != 0) {
        i++;
    }
    return i;
}

/* The first step that launches the same function with the same arguments. */
static uint32_t first_like(const gt_template_parts *parts, uint32_t step)
{
    const gt_kernel_name *own = &parts->steps[step].kernel;
    uint32_t i = gt_step_of(parts, own->name);
    while (i < step && (strcmp(parts->steps[i].kernel.name, own->name) != 0 ||
                        !same_arguments(&parts->steps[i].kernel, own))) {
        i++;
    }
    return i;
}

static bool needs_copy(const gt_template_parts *parts, uint32_t step)
{
    const gt_kernel_name *own = &parts->steps[step].kernel;
    return own->is_template && first_like(parts, step) == step &&
           gt_step_of(parts, own->name) != step;
}

gputune_status gt_instances_name(gt_template_parts *parts)
{
    for (uint32_t i = 0; i < parts->step_count; i++) {
        gt_kernel_name *kernel = &parts->steps[i].kernel;
        uint32_t first = kernel->is_template ? first_like(parts, i) : i;
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
