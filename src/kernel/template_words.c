/* The words of pragmas: which there are, which a template needs, and in which order they are read.
 */
#include "kernel/axis_kind.h"
#include "kernel/settings.h"

#include <string.h>

typedef enum occurrence { ONCE, MANY, NEEDED, SOME } occurrence; /* SOME: one or more */

typedef struct pragma {
    const char *word;
    int phase;
    occurrence occurrence;
    gt_parse_fn *parse;
    const char *form; /* an example for messages; NULL: they need none */
} pragma;

/* The pragmas by the phase in which they are read: later ones use what earlier ones declare. Those
 * that declare axes are in axis_kind.c, and are read in the phase AXES; those that say how code is
 * compiled are in settings.c, and are read in the phase SETTINGS. */
enum { AXES = 1, SETTINGS = 3 };

static const pragma pragmas[] = {
    {"kernel", 0, NEEDED, gt_parse_kernel, NULL},
    {"problem", 0, MANY, gt_parse_problem, NULL},
    {"constant", 1, MANY, gt_parse_constant, "constant(weights : float[9])"},
    {"args", 3, SOME, gt_parse_args, NULL},
    {"scratch", 4, MANY, gt_parse_scratch, NULL},
    {"default", 3, MANY, gt_parse_default, NULL},
    {"block", 3, NEEDED, gt_parse_setting, NULL},
    {"grid", 3, NEEDED, gt_parse_setting, NULL},
    {"shared", 3, ONCE, gt_parse_setting, NULL},
    {"cooperative", 3, ONCE, gt_parse_cooperative, NULL},
    {"require", 3, MANY, gt_parse_require, NULL},
    {"work", 3, ONCE, gt_parse_work, NULL},
    {"reference", 5, ONCE, gt_parse_reference,
     "reference(KERNEL, block = 256, grid = ceil_div(n, 256), rtol = 1e-5)"},
    {"check", 3, ONCE, gt_parse_check, "check(KERNEL, block = 256, grid = ceil_div(n, 256))"},
    {"define", 2, MANY, gt_parse_define, NULL},
    {"options", 3, MANY, gt_parse_options,
     "options(\"--use_fast_math\", FAST ? \"--ftz=true\" : \"\")"},
    {"clear", 5, MANY, gt_parse_clear, NULL},
    {"prove", 5, MANY, gt_parse_prove, "prove(a = 0, -1)"},
    {"in_place", 6, MANY, gt_parse_in_place, "in_place(y : x)"}, /* behind clear() */
    {"tensormap", 5, MANY, gt_parse_tensormap, "tensormap(x, box = (64, 64), swizzle = 128)"},
    {"texture", 5, MANY, gt_parse_texture, "texture(image, filter = linear, address = border)"},
    {"expect", 6, ONCE, gt_parse_expect, "expect(y = file(\"y.npy\"), rtol = 1e-5)"},
    {"init", AXES, ONCE, gt_parse_init,
     "init(KERNEL, block = 256, grid = ceil_div(n, 256))"}, /* before args(), whose integers then
                                                               need no fill */
    {"for", 5, MANY, gt_parse_for, "for(i = 0; i < n; ++i)"},
    {"end", 5, MANY, gt_parse_end, "end(i)"},
    {"swap", 5, MANY, gt_parse_swap, "swap(next, now)"},
    {"launch", 5, MANY, gt_parse_launch,
     "launch(KERNEL, block = 256, grid = ceil_div(n, 256), args = (y, x, n))"},
};

enum { PRAGMA_COUNT = sizeof pragmas / sizeof *pragmas, PHASES = 7, WORD_MAX = 40 };

/* The index-th of all pragmas; behind the last its word is NULL, and it is read in no phase. */
static pragma pragma_at(int index)
{
    if (index < PRAGMA_COUNT) {
        return pragmas[index];
    }
    const gt_axis_traits *kind = gt_axis_traits_of((gt_axis_kind)(index - PRAGMA_COUNT));
    if (kind) {
        return (pragma){kind->name, AXES, kind->once ? ONCE : MANY, kind->parse, NULL};
    }
    const int others = (int)PRAGMA_COUNT + (int)GT_AXIS_KINDS;
    const gt_setting *setting = gt_setting_at((uint32_t)(index - others + GT_SETTINGS_OF_LAUNCH));
    return setting ? (pragma){setting->word, SETTINGS, ONCE, gt_parse_setting, NULL}
                   : (pragma){.phase = PHASES};
}

static int word_index(const char *word)
{
    for (int i = 0; pragma_at(i).word; i++) {
        if (strcmp(pragma_at(i).word, word) == 0) {
            return i;
        }
    }
    return -1;
}

bool gt_clause_is_single(const char *word)
{
    const int index = word_index(word);
    return index >= 0 && pragma_at(index).occurrence != MANY;
}

static gputune_status unknown_word(const gt_clause *clause)
{
    gt_near near = gt_near_to(clause->word);
    GT_REFUSE_AT(strcmp(clause->word, "surface") == 0, clause->place,
                 "'surface' is not supported yet; expected a buffer");
    gt_near_try(&near, "include");
    for (int i = 0; pragma_at(i).word; i++) {
        gt_near_try(&near, pragma_at(i).word);
    }
    return gt_fail_at(clause->place, "unknown pragma '%s'; expected %s", clause->word,
                      gt_near_or(&near, "one such as tune or require"));
}

/* What to write beside launch() in place of a clause that is for a template with one kernel; NULL:
 * the clause has its place there too. */
static const char *beside_launch(const char *word)
{
    static const struct {
        const char *word, *instead;
    } of_one_kernel[] = {
        {"block", "it in each launch(), as in launch(KERNEL, block = 256, …)"},
        {"grid", "it in each launch(), as in launch(KERNEL, grid = ceil_div(n, 256), …)"},
        {"shared", "it in a launch(), as in launch(KERNEL, shared = 4 * BLOCK, …)"},
        {"cluster", "it in a launch(), as in tune(SIZE = 1, 2) launch(KERNEL, cluster = SIZE, …)"},
        {"cooperative", "it in a launch(), as in launch(KERNEL, cooperative = 1, …)"},
        {"preferred_cluster", "it left out, or a template with one kernel"},
        {"launch_bounds", "__launch_bounds__(BLOCK) in the kernels' definitions"},
        {"pass", "constant(NAME : TYPE[COUNT]), or a buffer in args()"},
        {"tensormap", "a buffer in args(), or a template with one kernel"}};
    enum { COUNT = sizeof of_one_kernel / sizeof *of_one_kernel };
    const size_t i = gt_index_of(word, of_one_kernel, COUNT);
    return i < COUNT ? of_one_kernel[i].instead : NULL;
}

/* Unknown words, words that came twice, and words that are missing. */
static gputune_status check_words(const gt_reader *reader)
{
    const gt_clause *first[WORD_MAX] = {NULL};
    for (size_t c = 0; c < reader->clauses.count; c++) {
        const gt_clause *clause = &reader->clauses.items[c];
        int i = word_index(clause->word);
        if (i < 0) {
            return unknown_word(clause);
        }
        GT_REFUSE_AT(first[i] &&
                         (pragma_at(i).occurrence == ONCE || pragma_at(i).occurrence == NEEDED),
                     clause->place, "'%s' given twice; expected it once (first on line %d)",
                     clause->word, first[i]->place.line);
        first[i] = first[i] ? first[i] : clause;
    }
    for (size_t c = 0; c < reader->clauses.count && first[word_index("launch")]; c++) {
        const gt_clause *clause = &reader->clauses.items[c];
        const char *instead = beside_launch(clause->word);
        GT_REFUSE_AT(instead, clause->place, "'%s' beside launch(); expected %s", clause->word,
                     instead);
    }
    for (int i = 0; i < PRAGMA_COUNT; i++) {
        bool in_launch = first[word_index("launch")] && beside_launch(pragmas[i].word);
        if (pragmas[i].occurrence >= NEEDED && !first[i] && !in_launch) {
            const char *path = reader->parts->files[0].path;
            GT_REFUSE(!reader->clauses.count, GPUTUNE_ETEMPLATE,
                      "%s:1:1: no #pragma gputune; 'gputune template %s' writes those of a first "
                      "template",
                      path, path);
            return gt_fail(GPUTUNE_ETEMPLATE, "%s:1:1: no '%s'; expected #pragma gputune %s(%s",
                           path, pragmas[i].word, pragmas[i].word,
                           first[word_index("launch")] ? "NAME), a name for all that is launched"
                                                       : "…)");
        }
    }
    return GPUTUNE_OK;
}

/* Whether such a clause has several items with commas between them, which are parsed one by one. */
static bool is_list(const char *word)
{
    const gt_axis_traits *kind = gt_axis_traits_of(gt_axis_kind_of(word));
    return kind ? kind->parse == gt_parse_axis && !kind->once
                : gt_is_any(word, strlen(word),
                            "args scratch default define clear prove in_place options");
}

static gputune_status parse_phase(gt_parse *p, const gt_reader *reader, int phase)
{
    for (size_t c = 0; c < reader->clauses.count; c++) {
        const gt_clause *clause = &reader->clauses.items[c];
        pragma found = pragma_at(word_index(clause->word));
        if (found.phase != phase) {
            continue;
        }
        p->clause = clause;
        p->at = clause->body;
        p->at.form = found.form;
        do {
            GT_TRY(found.parse(p));
        } while (is_list(clause->word) && gt_lexer_accept(&p->at, ","));
        GT_TRY(gt_read_end(p));
    }
    return GPUTUNE_OK;
}

gputune_status gt_parse_clauses(gt_parse *p, const gt_reader *reader)
{
    GT_TRY(check_words(reader));
    for (int phase = 0; phase < PHASES; phase++) {
        GT_TRY(parse_phase(p, reader, phase));
    }
    return GPUTUNE_OK;
}
