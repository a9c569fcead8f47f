/* Makes a draft: chooses the kernels to tune and writes the template for them. */
#include "draft/draft.h"

#include "draft/parts.h"

#include <string.h>

/* Returns the names of all kernels in the program, separated by commas. */
static const char *kernel_names(const draft_program *program)
{
    gt_text out = {0};
    for (size_t i = 0; i < program->kernels.count; i++) {
        gt_text_printf(&out, "%s%s", i ? ", " : "", draft_full_name(program->kernels.items[i]));
    }
    return gt_text_string(&out);
}

/* Ranks a kernel: 2 if the program's own file defines it, plus 1 if it is launched. */
static unsigned rank_of(const draft_program *program, draft_decl *kernel)
{
    bool is_here = strcmp(draft_extent_of(kernel->at).path, program->request->path) == 0;
    return 2 * is_here + draft_has_text(&program->launched, draft_signature(kernel));
}

static bool is_wanted(const draft_program *program, const draft_decl *kernel)
{
    const char *wanted = program->request->kernel;
    return !wanted || strcmp(kernel->name, wanted) == 0 ||
           strcmp(draft_full_name(kernel), wanted) == 0;
}

static gputune_status choose_kernels(draft_decls *out, const draft_program *program)
{
    const char *wanted = program->request->kernel, *path = program->request->path;
    GT_REFUSE(!program->kernels.count, GPUTUNE_ENOTFOUND,
              "%s: no __global__ function; expected a kernel's definition, or -D with the macro "
              "that enables it%s%s",
              path,
              program->missing.count ? ", or -I with the folder of a header that was not found: "
                                     : "",
              program->missing.count ? program->missing.items[0] : "");
    unsigned best = 0;
    gt_texts chosen = {0}; /* names of the kernels chosen so far, to skip other overloads */
    for (size_t i = 0; i < 2 * program->kernels.count; i++) {
        draft_decl *kernel = program->kernels.items[i % program->kernels.count];
        const char *name = draft_full_name(kernel);
        const unsigned rank = is_wanted(program, kernel) ? 1 + rank_of(program, kernel) : 0;
        if (i < program->kernels.count) {
            best = rank > best ? rank : best;
        } else if (rank && rank == best && !draft_has_text(&chosen, name)) {
            draft_add_text(&chosen, name);
            draft_add(out, kernel);
        }
    }
    GT_REFUSE(!out->count, GPUTUNE_ENOTFOUND, "%s: no kernel '%s'; expected one of %s", path,
              wanted ? wanted : "", kernel_names(program));
    return GPUTUNE_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_problems(gt_text *out, const draft_program *program, const gt_texts *problems)
{
    const size_t missing = problems->count ? program->missing.count : 0;
    for (size_t i = 0; i < problems->count; i++) {
        gt_text_printf(out, "// ? %s; this part of the kernel cannot be analysed\n",
                       problems->items[i]);
    }
    for (size_t i = 0; i < missing; i++) {
        gt_text_printf(out, "%s %s",
                       i ? ","
                         : "// ? headers that may have the missing declarations were not found:",
                       program->missing.items[i]);
    }
    gt_text_append(out, missing ? "; pass their folders with -I\n" : "");
}

static gputune_status write_kernel(gt_text *out, draft_program *program, const gt_texts *problems,
                                   draft_decl *kernel)
{
    draft_settled settled;
    draft_settle(&settled, program, kernel);
    settled.has_problems = problems->count > 0;
    GT_REFUSE(settled.instance->at.kind == CX_FUNCTION_TEMPLATE, GPUTUNE_EUNSUPPORTED,
              "%s: '%s' is a template whose arguments are not known; expected a launch of it, here "
              "or in a file given by --host",
              draft_place_of(kernel->at), kernel->name);
    return draft_write_clauses(out, &settled, program);
}

static gputune_status write_draft(gt_text *out, draft_program *program, const gt_texts *problems,
                                  const draft_decls *kernels)
{
    write_problems(out, program, problems);
    size_t written = 0;
    for (size_t i = 0; i < kernels->count; i++) {
        GT_SCOPED(gt_text_free) gt_text clauses = {0};
        gputune_status status = write_kernel(&clauses, program, problems, kernels->items[i]);
        GT_TRY(status == GPUTUNE_EUNSUPPORTED && (written || i + 1 < kernels->count) ? GPUTUNE_OK
                                                                                     : status);
        if (status == GPUTUNE_OK) {
            written++;
            gt_text_printf(out, "%s\n", gt_text_string(&clauses));
        } else {
            gt_text_printf(out, "// ? %s; this kernel is left out\n\n", gt_message());
        }
    }
    GT_SCOPED(gt_text_free) gt_text code = {0};
    draft_slice_write(&code);
    for (size_t i = 0; i < draft_includes.count; i++) {
        const char *line = draft_includes.items[i];
        gt_text_printf(out, strstr(gt_text_string(&code), line) ? "" : "%s\n", line);
    }
    gt_text_append(out, gt_text_string(&code));
    for (size_t i = 0; i < draft_usings.count; i++) {
        gt_text_printf(out, "%s\n", draft_usings.items[i]);
    }
    while (out->length && out->data[out->length - 1] == '\n') {
        out->length--;
    }
    out->data[out->length] = '\0';
    gt_text_append(out, "\n");
    return GPUTUNE_OK;
}

gputune_status gt_draft_make(char **out, const gt_draft_request *request, const char *const *clangs,
                             size_t clang_count)
{
    draft_program program = {0};
    gt_texts problems = {0};
    draft_decls kernels = {0};
    gt_text text = {0};
    GT_TRY(gt_clang_open(clangs, clang_count));
    GT_TRY(draft_program_read(&program, request));
    GT_TRY(choose_kernels(&kernels, &program));
    draft_slice_make(&problems, &program, &kernels);
    draft_host_read(&program);
    GT_TRY(write_draft(&text, &program, &problems, &kernels));
    return gt_text_take(out, &text);
}
