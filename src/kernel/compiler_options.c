/* The table of compiler options, and the options of a variant. */
#include "kernel/compiler_options.h"

#include "kernel/symbols.h"
#include "kernel/template_parts.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* What an option may have behind its name. */
typedef enum gt_option_value { BARE, VALUE, EITHER } gt_option_value;

typedef struct option {
    const char *names; /* without dashes, with blanks between them */
    gt_option_value value;
    bool meaning;    /* they change what the source says, so that the reference needs them too */
    const char *why; /* they are refused; NULL: they are allowed */
} option;

static const option options[] = {
    {"use_fast_math", EITHER, false, NULL},
    {"fmad ftz prec-sqrt prec-div dopt Ofast-compile Ofc split-compile device-stack-protector "
     "jump-table-density ptxas-options Xptxas",
     VALUE, false, NULL},
    {"extra-device-vectorization restrict generate-line-info lineinfo device-debug G", BARE, false,
     NULL},
    {"std define-macro D undefine-macro U diag-suppress", VALUE, true, NULL},
    {"device-int128 device-float128 disable-warnings w", BARE, true, NULL},
    {"I include-path",
     .why = "it opens folders; expected -I on the command line, include_paths or GPUTUNE_INCLUDE"},
    {"pre-include include", .why = "it opens a file; expected #pragma gputune include(\"file\")"},
    {"gpu-architecture arch", .why = "the target is the GPU at hand; expected it to be left out"},
    {"maxrregcount", .why = "the space would not know of it; expected maxreg(COUNT)"},
    {"relocatable-device-code rdc dc dw device-c device-w dlto dlink-time-opt gen-opt-lto "
     "extensible-whole-program ewp",
     .why = "its code needs a link step; expected whole-program code"},
    {"optix-ir device-syntax-only fdevice-syntax-only",
     .why = "it makes no machine code; expected it to be left out"},
    {"pch create-pch use-pch time device-time-trace fdevice-time-trace options-file optf keep",
     .why = "it reads or writes files; expected it to be left out"},
    {"no-cache default-device device-as-default-execution-space frandom-seed no-source-include",
     .why = "the engine sets it; expected it to be left out"},
    {"minimal", .why = "the prelude needs what it leaves out; expected it to be left out"}};

/* Of the assembler, behind --ptxas-options=. The others read and write files. */
static const char assembler[] =
    "-O0 -O1 -O2 -O3 -v --verbose --warn-on-spills -warn-spills --warn-on-local-memory-usage "
    "-dlcm= -dscm= --def-load-cache= --def-store-cache= --opt-level= "
    "--allow-expensive-optimizations= -allow-expensive-optimizations=";

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The option's kind, and the length of its name: -D, -U and -I have their value without '='. */
static const option *find(size_t *length, const char *name)
{
    *length = *name && strchr("DUI", *name) ? 1 : strcspn(name, "=");
    for (size_t i = 0; i < COUNT(options); i++) {
        if (gt_is_any(name, *length, options[i].names)) {
            return &options[i];
        }
    }
    return NULL;
}

static gputune_status unknown_option(const char *option, const char *name, gt_place place)
{
    char word[GT_NAME_MAX] = "";
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
    gt_near near = gt_near_to(word);
    for (size_t i = 0; i < COUNT(options); i++) {
        gt_near_words(&near, options[i].why ? "" : options[i].names);
    }
    return gt_fail_at(place, "unknown compiler option '%s'; expected %s%s", option,
                      near.name[0] ? "--" : "one of NVRTC's such as --use_fast_math", near.name);
}

gputune_status gt_compiler_option_check(const char *option, gt_place place)
{
    const char *name = option + strspn(option, "-");
    GT_REFUSE_AT(name == option || !*name || strpbrk(option, " \t\r\n"), place,
                 "found '%s'; expected one option a string, such as \"--fmad=false\"", option);
    size_t length;
    const struct option *known = find(&length, name);
    if (!known) {
        return unknown_option(option, name, place);
    }
    GT_REFUSE_AT(known->why, place, "the compiler option '%s' is refused: %s", option, known->why);
    const char *value = name + length;
    value += *value == '=';
    GT_REFUSE_AT(known->value != EITHER && (*value != '\0') != (known->value == VALUE), place,
                 "the compiler option '%s' %s", option,
                 *value ? "has a value; expected none" : "has no value; expected '=' and one");
    GT_REFUSE_AT(gt_is_any(name, length, "std") &&
                     !gt_is_any(value, strlen(value), "c++17 c++20 c++23"),
                 place, "--std=%s; expected c++17, c++20 or c++23, which the prelude needs", value);
    /* one option of the assembler at a time */
    const size_t own = strcspn(value, "=") + (strchr(value, '=') != NULL);
    GT_REFUSE_AT(gt_is_any(name, length, "ptxas-options Xptxas") &&
                     (!gt_is_any(value, own, assembler) || strchr(value, ',')),
                 place,
                 "the assembler's option '%s' may open files; expected one such as -O2, -dlcm=cg "
                 "or --def-load-cache=ca",
                 value);
    return GPUTUNE_OK;
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
    GT_REFUSE_AT(value < 0 || value > 255, maxreg->place,
                 "maxreg is %lld; expected 0 (no limit) to 255", (long long)value);
    if (value == 0) {
        return GPUTUNE_OK;
    }
    gt_text_printf(&text, "--maxrregcount=%lld", (long long)value);
    return gt_text_take(&out->options[out->option_count++], &text);
}

/* The threads of a judge's block. An extent that is wrong is reported where its launch is bound. */
static int64_t threads_of(const gt_binding *binding, const gt_judge *judge)
{
    int64_t threads = judge->present ? 1 : 0;
    for (uint32_t i = 0; i < judge->block.count && judge->present; i++) {
        int64_t extent = 1;
        if (gt_expression_integer(&extent, judge->block.items[i], binding->slots) < 0 ||
            extent < 1 || extent > binding->device->max_threads_per_block) {
            return 0;
        }
        threads *= extent;
    }
    return threads;
}

/* Lets the reference, check and init kernels have no more registers than their blocks can have. */
static gputune_status limit_registers(gt_source *out, const gt_binding *binding)
{
    enum { MOST = 255, UNIT = 8 };
    const gt_template_parts *parts = binding->template->parts;
    const gt_judge *const judges[] = {&parts->reference, &parts->check, &parts->init};
    int64_t threads = 1;
    gt_text text = {0};
    for (size_t i = 0; i < COUNT(judges); i++) {
        int64_t its = threads_of(binding, judges[i]);
        threads = its > threads ? its : threads;
    }
    const int64_t registers = binding->device->registers_per_block / threads / UNIT * UNIT;
    if (registers < UNIT || registers > MOST) {
        return GPUTUNE_OK;
    }
    gt_text_printf(&text, "--maxrregcount=%lld", (long long)registers);
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
        size_t length;
        const struct option *known = find(&length, option->text + strspn(option->text, "-"));
        if (holds && *option->text && (kernel || (known && known->meaning))) {
            GT_TRY(gt_strdup(&out->options[out->option_count++], option->text));
        }
    }
    return kernel ? add_maxreg(out, binding) : limit_registers(out, binding);
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
