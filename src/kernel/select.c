/* Chooses one of the kernels of a file: its clauses stay, and the others' clauses and functions go.
 */
#include "kernel/body.h"

#include <stdlib.h>
#include <string.h>

static bool is_kernel(const gt_clause *clause)
{
    return strcmp(clause->word, "kernel") == 0;
}

/* The function's name that a clause begins with; "": it begins with none. */
static gputune_status read_name(gt_kernel_name *out, const gt_clause *clause)
{
    gt_lexer body = clause->body;
    out->name[0] = '\0';
    return gt_is_any(clause->word, strlen(clause->word), "kernel reference check launch init")
               ? gt_read_kernel_name(out, &body,
                                     is_kernel(clause) ? "the kernel function's name"
                                                       : "a __global__ function's name")
               : GPUTUNE_OK;
}

/* A span of the clauses: those of one kernel, its kernel() first. */
typedef struct group {
    size_t begin, end;
    gt_kernel_name kernel;
} group;

typedef GT_ARRAY(group) groups;

static const group *find_group(const groups *all, const char *kernel)
{
    size_t i = 0;
    while (i < all->count && strcmp(all->items[i].kernel.name, kernel) != 0) {
        i++;
    }
    return i < all->count ? &all->items[i] : NULL;
}

static gputune_status read_groups(groups *out, const gt_reader *reader)
{
    for (size_t c = 0; c < reader->clauses.count; c++) {
        const gt_clause *clause = &reader->clauses.items[c];
        group added = {.begin = c, .end = reader->clauses.count};
        if (!is_kernel(clause)) {
            continue;
        }
        GT_TRY(read_name(&added.kernel, clause));
        const group *other = find_group(out, added.kernel.name);
        GT_REFUSE_AT(other, clause->place,
                     "'kernel' given twice for '%s'; expected it once (first on line %d)",
                     added.kernel.name, reader->clauses.items[other->begin].place.line);
        if (out->count > 0) {
            out->items[out->count - 1].end = c;
        }
        GT_TRY(gt_array_push(out, added));
    }
    return GPUTUNE_OK;
}

/* Whether a clause stays: it stands in `own`, or in front of the first group, and gives way to none
 * of `own`. */
static bool stays(const gt_reader *reader, const groups *all, const group *own, size_t clause)
{
    const char *word = reader->clauses.items[clause].word;
    bool gives_way = false;
    if (clause >= all->items[0].begin) {
        return clause >= own->begin && clause < own->end;
    }
    for (size_t c = own->begin; c < own->end && gt_clause_is_single(word); c++) {
        gives_way |= strcmp(reader->clauses.items[c].word, word) == 0;
    }
    return !gives_way;
}

/* Whether a clause that stays names the function. */
static bool is_used(const gt_reader *reader, const groups *all, const group *own, const char *name)
{
    bool used = false;
    for (size_t c = 0; c < reader->clauses.count && !used; c++) {
        gt_kernel_name other;
        used = stays(reader, all, own, c) &&
               read_name(&other, &reader->clauses.items[c]) == GPUTUNE_OK &&
               strcmp(other.name, name) == 0;
    }
    return used;
}

/* Drops the clauses of the other groups, and the functions that they alone name. */
static gputune_status keep_group(gt_reader *reader, const groups *all, const group *own)
{
    GT_FREED char *text = NULL;
    gt_clause *clauses = reader->clauses.items;
    size_t kept = 0;
    GT_TRY(gt_text_take(&text, &reader->body));
    for (size_t c = 0; c < reader->clauses.count; c++) {
        gt_kernel_name other = {.name = ""};
        GT_TRY(stays(reader, all, own, c) ? GPUTUNE_OK : read_name(&other, &clauses[c]));
        if (other.name[0] && !is_used(reader, all, own, other.name)) {
            GT_TRY(gt_functions_cut(&text, other.name, false));
        }
    }
    for (size_t c = 0; c < reader->clauses.count; c++) {
        if (stays(reader, all, own, c)) {
            clauses[kept++] = clauses[c];
        }
    }
    reader->clauses.count = kept;
    gt_text_append(&reader->body, text);
    return GPUTUNE_OK;
}

gputune_status gt_select_kernel(gt_reader *reader, const char *kernel)
{
    GT_FREED groups all = {0};
    GT_TRY(read_groups(&all, reader));
    const group *own = kernel ? find_group(&all, kernel) : all.items;
    GT_REFUSE(!own && all.count > 0, GPUTUNE_ENOTFOUND, "no kernel '%s' in %s", kernel,
              reader->parts->files[0].path);
    return all.count > 1 ? keep_group(reader, &all, own) : GPUTUNE_OK;
}

gputune_status gt_template_names(const char *path, const char *text, gt_include_fn include,
                                 void *user, gputune_status (*each)(void *to, const char *name),
                                 void *to)
{
    GT_SCOPED(gt_reader_free) gt_reader reader = {.include = include, .user = user};
    gputune_status status = gt_reader_run(&reader, path, text);
    GT_FREED groups all = {0};
    GT_THEN(status, read_groups(&all, &reader));
    for (size_t i = 0; i < all.count && status == GPUTUNE_OK; i++) {
        status = each(to, all.items[i].kernel.name);
    }
    return status;
}
