/* What the tests of drafts share: a kernel of drafts/, and the clauses that it gets. */
#pragma once

#include "draft/draft.h"
#include "kernel/kernel_support.h"

/* A file of drafts/, its kernel (NULL: the only one), and the clauses that it gets, one a line. */
typedef struct gt_drafted {
    const char *file, *kernel, *clauses;
} gt_drafted;

/* A program, and the clauses that all its kernels get. */
typedef struct gt_drafted_program {
    const char *name, *text, *clauses;
} gt_drafted_program;

/* The usual program, which copies, and its clauses. */
#define COPY                                                                                       \
    "__global__ void k(float *y, const float *x, int n)\n{\n"                                      \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = x[i];\n}\n"
#define ALLOCATED "float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc((void **)&b, n * sizeof(float));"
#define COPY_CLAUSES(SIZE, BLOCKS, DEFAULT)                                                        \
    "kernel(k)\nproblem(n = " SIZE ")\n"                                                           \
    "args(out float y[n], in float x[n], int n)\n"                                                 \
    "tune(BLOCK = " BLOCKS ")\ndefault(BLOCK = " DEFAULT ")\nblock(BLOCK)\n"                       \
    "grid(ceil_div(n, BLOCK))\nwork(bytes = 8 * n)\nreference(self)\n"
#define USUAL "64, 128, 256, 512, 1024"

static const char clause[] = "#pragma gputune ";

static inline bool is_clause(const char *line)
{
    return strncmp(line, clause, sizeof clause - 1) == 0;
}

/* Whether the text has that line. */
static inline bool has_line(const char *text, const char *line, size_t length)
{
    for (const char *at = text; (at = strstr(at, clause)); at++) {
        if (strncmp(at, line, length) == 0 && at[length] == '\n') {
            return true;
        }
    }
    return false;
}

/* The clauses that `text` has and `before` has not, without the pragma; lines are joined. */
static inline char *new_clauses(const char *text, const char *before)
{
    gt_text out = {0};
    char *taken;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");
        if (!is_clause(line) || has_line(before, line, length)) {
            continue;
        }
        const char *rest = line + sizeof clause - 1;
        for (; rest[strcspn(rest, "\n") - 1] == '\\'; rest += strspn(rest, " ")) {
            size_t part = strcspn(rest, "\n");
            gt_text_append_bytes(&out, rest, part - 1);
            rest += part + 1;
        }
        gt_text_append_bytes(&out, rest, strcspn(rest, "\n"));
        gt_text_append(&out, "\n");
    }
    ASSERT_OK(gt_text_take(&taken, &out));
    return taken;
}

static inline char *draft_of(const char *text, const char *kernel)
{
    char *draft;
    ASSERT_OK(gt_draft_template(&draft, "kernel.cu", text, kernel, NULL, NULL, NULL));
    return draft;
}

/* The draft has these clauses, is a template, and lacks nothing. */
static inline void check_draft(const gt_drafted *drafted)
{
    char path[128];
    (void)snprintf(path, sizeof path, "tests/draft/drafts/%s.cu", drafted->file);
    char *text = read_text(path);
    char *draft = draft_of(text, drafted->kernel);
    char *clauses = new_clauses(draft, text);
    if (strcmp(clauses, drafted->clauses) != 0) {
        fail_msg("%s: has\n%sexpected\n%s", drafted->file, clauses, drafted->clauses);
    }
    gt_template_free(parse(draft)); /* it is a template */
    char *again = draft_of(draft, drafted->kernel);
    assert_string_equal(again, draft); /* that lacks nothing */
    free(again);
    free(clauses);
    free(draft);
    free(text);
}

/* The drafts of these programs have their clauses, and are templates. */
static inline void check_programs(const gt_drafted_program *programs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *draft = draft_of(programs[i].text, NULL);
        char *clauses = new_clauses(draft, "");
        if (strcmp(clauses, programs[i].clauses) != 0) {
            fail_msg("%s: has\n%sexpected\n%s", programs[i].name, clauses, programs[i].clauses);
        }
        gt_template_free(parse(draft));
        free(clauses);
        free(draft);
    }
}
