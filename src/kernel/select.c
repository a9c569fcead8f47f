/* Chooses one of the kernels of a file: its clauses stay, and the others' clauses and functions go.
 */
#include "kernel/body.h"

#include <stdlib.h>
#include <string.h>

/* Whether it begins with the name of a function. */
static bool is_kernel(const gt_clause *clause)
{
    return strcmp(clause->word, "kernel") == 0;
}

static bool names_function(const gt_clause *clause)
{
    return gt_is_any(clause->word, strlen(clause->word), "kernel reference check launch init");
}

/* The name that a clause begins with. */
static gputune_status read_name(gt_kernel_name *out, const gt_clause *clause)
{
    gt_lexer body = clause->body;
    return gt_read_kernel_name(out, &body,
                               is_kernel(clause) ? "the kernel function's name"
                                                 : "a __global__ function's name");
}

/* A span of the clauses: those of one kernel, its kernel() first. */
typedef struct group {
    size_t begin, end;
    gt_kernel_name kernel;
} group;

typedef GT_ARRAY(group) groups;

static gputune_status add_group(groups *out, const gt_reader *reader, size_t at)
{
    const gt_clause *clause = &reader->clauses.items[at];
    group added = {.begin = at, .end = reader->clauses.count};
    GT_TRY(read_name(&added.kernel, clause));
    for (size_t i = 0; i < out->count; i++) {
        const group *other = &out->items[i];
        if (strcmp(other->kernel.name, added.kernel.name) == 0) {
            return gt_fail_at(clause->place,
                              "'kernel' given twice for '%s'; expected it once (first "
                              "on line %d)",
                              added.kernel.name, reader->clauses.items[other->begin].place.line);
        }
    }
    if (out->count > 0) {
        out->items[out->count - 1].end = at;
    }
    return gt_array_push(out, added);
}

static gputune_status read_groups(groups *out, const gt_reader *reader)
{
    gputune_status status = GPUTUNE_OK;
    for (size_t c = 0; c < reader->clauses.count && status == GPUTUNE_OK; c++) {
        if (is_kernel(&reader->clauses.items[c])) {
            status = add_group(out, reader, c);
        }
    }
    return status;
}

static gputune_status find_group(const group **out, const groups *all, const gt_reader *reader,
                                 const char *kernel)
{
    for (size_t i = 0; i < all->count; i++) {
        if (!kernel || strcmp(all->items[i].kernel.name, kernel) == 0) {
            *out = &all->items[i];
            return GPUTUNE_OK;
        }
    }
    return gt_fail(GPUTUNE_ENOTFOUND, "no kernel '%s' in %s", kernel, reader->parts->files[0].path);
}

static bool is_used(const gt_reader *reader, const char *name)
{
    for (size_t c = 0; c < reader->clauses.count; c++) {
        gt_kernel_name used;
        const gt_clause *clause = &reader->clauses.items[c];
        if (names_function(clause) && read_name(&used, clause) == GPUTUNE_OK &&
            strcmp(used.name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Cuts out the functions that the dropped clauses name, unless what is left names them too. */
static gputune_status cut_functions(gt_reader *reader, const gt_clause *dropped, size_t count)
{
    char *text;
    gt_kernel_name other;
    GT_TRY(gt_text_take(&text, &reader->body));
    gputune_status status = GPUTUNE_OK;
    for (size_t c = 0; c < count && status == GPUTUNE_OK; c++) {
        status = names_function(&dropped[c]) ? read_name(&other, &dropped[c]) : GPUTUNE_OK;
        if (status == GPUTUNE_OK && names_function(&dropped[c]) && !is_used(reader, other.name)) {
            status = gt_functions_cut(&text, other.name);
        }
    }
    gt_text_append(&reader->body, text);
    free(text);
    return status;
}

/* Leaves the clauses in front of the first group, and those of `own`. */
static gputune_status keep_group(gt_reader *reader, const groups *all, const group *own)
{
    GT_ARRAY(gt_clause) dropped = {0};
    gt_clause *clauses = reader->clauses.items;
    size_t kept = all->items[0].begin;
    gputune_status status = GPUTUNE_OK;
    for (size_t c = kept; c < reader->clauses.count && status == GPUTUNE_OK; c++) {
        if (c >= own->begin && c < own->end) {
            clauses[kept++] = clauses[c];
        } else {
            status = gt_array_push(&dropped, clauses[c]);
        }
    }
    if (status == GPUTUNE_OK) {
        reader->clauses.count = kept;
        status = cut_functions(reader, dropped.items, dropped.count);
    }
    gt_array_free(&dropped);
    return status;
}

gputune_status gt_select_kernel(gt_reader *reader, const char *kernel)
{
    groups all = {0};
    const group *own = NULL;
    gputune_status status = read_groups(&all, reader);
    if (status == GPUTUNE_OK && (all.count > 1 || (all.count == 1 && kernel))) {
        status = find_group(&own, &all, reader, kernel);
    }
    if (status == GPUTUNE_OK && all.count > 1) {
        status = keep_group(reader, &all, own);
    }
    gt_array_free(&all);
    return status;
}

gputune_status gt_template_names(const char *path, const char *text, gt_include_fn include,
                                 void *user, gputune_status (*each)(void *to, const char *name),
                                 void *to)
{
    gt_template_parts *parts = calloc(1, sizeof *parts);
    GT_TRY(gt_allocated(parts));
    gt_reader reader = {.parts = parts, .include = include, .user = user};
    gputune_status status = gt_reader_run(&reader, path, text);
    groups all = {0};
    GT_THEN(status, read_groups(&all, &reader));
    for (size_t i = 0; i < all.count && status == GPUTUNE_OK; i++) {
        status = each(to, all.items[i].kernel.name);
    }
    gt_array_free(&all);
    gt_reader_free(&reader);
    gt_parts_free(parts);
    return status;
}
