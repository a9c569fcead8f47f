/* The table of compiler options, and the options of a variant. */
#include "kernel/compiler_options.h"

#include "kernel/symbols.h"
#include "kernel/template_parts.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an option may have behind its name. */
typedef enum gt_option_value { BARE, VALUE, EITHER } gt_option_value;

typedef struct option {
    const char *name; /* without dashes */
    gt_option_value value;
    bool meaning; /* it changes what the source says, so that the reference needs it too */
} option;

static const option allowed[] = {
    {"use_fast_math", EITHER, false},
    {"fmad", VALUE, false},
    {"ftz", VALUE, false},
    {"prec-sqrt", VALUE, false},
    {"prec-div", VALUE, false},
    {"extra-device-vectorization", BARE, false},
    {"restrict", BARE, false},
    {"generate-line-info", BARE, false},
    {"lineinfo", BARE, false},
    {"device-debug", BARE, false},
    {"G", BARE, false},
    {"dopt", VALUE, false},
    {"Ofast-compile", VALUE, false},
    {"Ofc", VALUE, false},
    {"split-compile", VALUE, false},
    {"device-stack-protector", VALUE, false},
    {"jump-table-density", VALUE, false},
    {"ptxas-options", VALUE, false},
    {"Xptxas", VALUE, false},
    {"std", VALUE, true},
    {"define-macro", VALUE, true},
    {"D", VALUE, true},
    {"undefine-macro", VALUE, true},
    {"U", VALUE, true},
    {"device-int128", BARE, true},
    {"device-float128", BARE, true},
    {"diag-suppress", VALUE, true},
    {"disable-warnings", BARE, true},
    {"w", BARE, true},
};

/* Of the assembler, behind --ptxas-options=. The others read and write files. */
static const char *const assembler[] = {
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-dlcm=",
    "-dscm=",
    "--def-load-cache=",
    "--def-store-cache=",
    "--opt-level=",
    "--allow-expensive-optimizations=",
    "-allow-expensive-optimizations=",
    "-v",
    "--verbose",
    "--warn-on-spills",
    "-warn-spills",
    "--warn-on-local-memory-usage",
};

static const char folders[] = "it opens folders; expected -I on the command line, include_paths or "
                              "GPUTUNE_INCLUDE";
static const char files[] = "it reads or writes files; expected it to be left out";
static const char link_step[] = "its code needs a link step; expected whole-program code";
static const char engine[] = "the engine sets it; expected it to be left out";

/* By how the names begin. */
static const struct refusal {
    const char *begins, *why;
} refused[] = {
    {"I", folders},
    {"include-path", folders},
    {"pre-include", "it opens a file; expected #pragma gputune include(\"file\")"},
    {"include", "it opens a file; expected #pragma gputune include(\"file\")"},
    {"gpu-architecture", "the target is the GPU at hand; expected it to be left out"},
    {"arch", "the target is the GPU at hand; expected it to be left out"},
    {"maxrregcount", "the space would not know of it; expected maxreg(COUNT)"},
    {"relocatable-device-code", link_step},
    {"rdc", link_step},
    {"dc", link_step},
    {"dw", link_step},
    {"device-c", link_step},
    {"device-w", link_step},
    {"dlto", link_step},
    {"dlink-time-opt", link_step},
    {"gen-opt-lto", link_step},
    {"extensible-whole-program", link_step},
    {"ewp", link_step},
    {"optix-ir", "it makes no machine code; expected it to be left out"},
    {"device-syntax-only", "it makes no machine code; expected it to be left out"},
    {"fdevice-syntax-only", "it makes no machine code; expected it to be left out"},
    {"pch", files},
    {"create-pch", files},
    {"use-pch", files},
    {"time", files},
    {"device-time-trace", files},
    {"fdevice-time-trace", files},
    {"options-file", files},
    {"optf", files},
    {"keep", files},
    {"no-cache", engine},
    {"default-device", engine},
    {"device-as-default-execution-space", engine},
    {"frandom-seed", engine},
    {"no-source-include", engine},
    {"minimal", "the prelude needs what it leaves out; expected it to be left out"},
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static const option *find(const char *name)
{
    /* -D and -U have their value without '=' */
    size_t length = name[0] == 'D' || name[0] == 'U' ? 1 : strcspn(name, "=");
    for (size_t i = 0; i < COUNT(allowed); i++) {
        if (strlen(allowed[i].name) == length && strncmp(allowed[i].name, name, length) == 0) {
            return &allowed[i];
        }
    }
    return NULL;
}

static const char *why_refused(const char *name)
{
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < COUNT(refused); i++) {
        size_t own = strlen(refused[i].begins);
        if (strncmp(refused[i].begins, name, own) == 0 && (own == length || own == 1)) {
            return refused[i].why;
        }
    }
    return NULL;
}

static gputune_status unknown_option(const char *option, const char *name, gt_place place)
{
    const char *names[COUNT(allowed)];
    char word[GT_NAME_MAX] = "";
    for (size_t i = 0; i < COUNT(allowed); i++) {
        names[i] = allowed[i].name;
    }
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
    const char *nearest = gt_nearest(word, names, COUNT(allowed));
    return gt_fail_at(place, "unknown compiler option '%s'; expected %s%s", option,
                      nearest ? "--" : "one of NVRTC's such as --use_fast_math",
                      nearest ? nearest : "");
}

/* One option of the assembler at a time. */
static gputune_status check_assembler(const char *value, gt_place place)
{
    for (size_t i = 0; i < COUNT(assembler); i++) {
        size_t length = strlen(assembler[i]);
        bool open = assembler[i][length - 1] == '=';
        if (strncmp(value, assembler[i], length) == 0 && (open || !value[length]) &&
            !strchr(value, ',')) {
            return GPUTUNE_OK;
        }
    }
    return gt_fail_at(place,
                      "the assembler's option '%s' may open files; expected one such as -O2, "
                      "-dlcm=cg or --def-load-cache=ca",
                      value);
}

/* The prelude is C++17. */
static gputune_status check_standard(const char *value, gt_place place)
{
    GT_REFUSE_AT(!gt_is_any(value, strlen(value), "c++17 c++20 c++23"), place,
                 "--std=%s; expected c++17, c++20 or c++23, which the prelude needs", value);
    return GPUTUNE_OK;
}

gputune_status gt_compiler_option_check(const char *option, gt_place place)
{
    const char *name = option + strspn(option, "-");
    GT_REFUSE_AT(name == option || !*name || strpbrk(option, " \t\r\n"), place,
                 "found '%s'; expected one option a string, such as \"--fmad=false\"", option);
    const struct option *known = find(name);
    const char *why = known ? NULL : why_refused(name);
    GT_REFUSE_AT(why, place, "the compiler option '%s' is refused: %s", option, why);
    if (!known) {
        return unknown_option(option, name, place);
    }
    const char *value = name + strlen(known->name);
    value += *value == '=';
    GT_REFUSE_AT(known->value != EITHER && (*value != '\0') != (known->value == VALUE), place,
                 "the compiler option '%s' %s", option,
                 *value ? "has a value; expected none" : "has no value; expected '=' and one");
    return strcmp(known->name, "std") == 0 ? check_standard(value, place)
           : strcmp(known->name, "ptxas-options") == 0 || strcmp(known->name, "Xptxas") == 0
               ? check_assembler(value, place)
               : GPUTUNE_OK;
}

const char *gt_compiler_option_macro(const char *option, bool undefines)
{
    static const char *const begins[] = {"-D", "--define-macro=", "-U", "--undefine-macro="};
    for (size_t i = 0; i < (undefines ? COUNT(begins) : COUNT(begins) / 2); i++) {
        size_t length = strlen(begins[i]);
        if (strncmp(option, begins[i], length) == 0) {
            return option + length;
        }
    }
    return NULL;
}

/* ---- of a variant ---------------------------------------------------------------------------- */

_Static_assert((int)GT_OPTION_MAX + 1 <= (int)GT_SOURCE_OPTIONS, "options() and maxreg()");

static gputune_status add_maxreg(gt_source *out, const gt_binding *binding)
{
    int64_t value;
    gt_text text = {0};
    const gt_expression *maxreg = binding->template->parts->maxreg;
    if (!maxreg) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_expression_integer(&value, maxreg, binding->slots));
    GT_REFUSE_AT(value < 0 || value > 255, gt_expression_place(maxreg),
                 "maxreg is %lld; expected 0 (no limit) to 255", (long long)value);
    if (value == 0) {
        return GPUTUNE_OK;
    }
    gt_text_printf(&text, "--maxrregcount=%lld", (long long)value);
    return gt_text_take(&out->options[out->option_count++], &text);
}

gputune_status gt_compiler_options_make(gt_source *out, const gt_binding *binding, bool kernel)
{
    const gt_template_parts *parts = binding->template->parts;
    for (uint32_t i = 0, decided = UINT32_MAX; i < parts->option_count; i++) {
        const gt_option *option = &parts->options[i];
        int64_t holds = 1;
        if (option->item == decided) {
            continue; /* an earlier branch was taken */
        }
        if (option->condition) {
            GT_TRY(gt_expression_integer(&holds, option->condition, binding->slots));
        }
        decided = holds ? option->item : decided;
        const struct option *known = find(option->text + strspn(option->text, "-"));
        if (holds && *option->text && (kernel || (known && known->meaning))) {
            GT_TRY(gt_strdup(&out->options[out->option_count++], option->text));
        }
    }
    return kernel ? add_maxreg(out, binding) : GPUTUNE_OK;
}

bool gt_compiler_options_use(const gt_template *template, uint32_t axis)
{
    const gt_template_parts *parts = template->parts;
    bool uses = false;
    for (uint32_t i = 0; i < parts->option_count; i++) {
        const gt_expression *condition = parts->options[i].condition;
        uses |= condition && gt_expression_uses(condition, GT_SLOT_AXIS + (int)axis);
    }
    return uses;
}
