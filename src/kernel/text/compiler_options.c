/* The table of compiler options. */
#include "kernel/text/compiler_options.h"

#include "kernel/text/types.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

typedef enum gt_option_value { BARE, VALUE, EITHER } gt_option_value;

typedef struct option {
    const char *names; /* names without dashes, separated by blanks */
    gt_option_value value;
    bool meaning;    /* true if the reference needs the same options */
    const char *why; /* why the options are refused, or NULL if they are allowed */
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
    {"gpu-architecture arch", .why = "the current GPU is the target; leave it out"},
    {"maxrregcount", .why = "gputune must know this limit; expected maxreg(COUNT)"},
    {"relocatable-device-code rdc dc dw device-c device-w dlto dlink-time-opt gen-opt-lto "
     "extensible-whole-program ewp",
     .why = "its code needs a link step; expected whole-program code"},
    {"optix-ir device-syntax-only fdevice-syntax-only",
     .why = "it makes no machine code; leave it out"},
    {"pch create-pch use-pch time device-time-trace fdevice-time-trace options-file optf keep",
     .why = "it reads or writes files; leave it out"},
    {"no-cache default-device device-as-default-execution-space frandom-seed no-source-include",
     .why = "gputune sets it itself; leave it out"},
    {"minimal", .why = "gputune's prelude would not compile with it; leave it out"}};

/* The assembler options that --ptxas-options= may pass. All others read or write files. */
static const char assembler[] =
    "-O0 -O1 -O2 -O3 -v --verbose --warn-on-spills -warn-spills --warn-on-local-memory-usage "
    "-dlcm= -dscm= --def-load-cache= --def-store-cache= --opt-level= "
    "--allow-expensive-optimizations= -allow-expensive-optimizations=";

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Finds an option and sets *length to the length of its name. After -D, -U and -I, the value
 * follows the letter without a '='. */
static const option *find_option(size_t *length, const char *name)
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
                 "found '%s'; expected one option per string, such as \"--fmad=false\"", option);
    size_t length;
    const struct option *known = find_option(&length, name);
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
    /* ptxas accepts a comma-separated list here, but gputune accepts only one option */
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

bool gt_compiler_option_has_meaning(const char *option)
{
    size_t length;
    const struct option *known = find_option(&length, option + strspn(option, "-"));
    return known && known->meaning;
}
