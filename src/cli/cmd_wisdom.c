/* The commands wisdom and merge: copy winners between databases as text, and join databases. */
#include "cli/files.h"
#include "cli/scenarios.h"

#include "base/text.h"

#include <string.h>

static struct {
    bool trust, whole, rules;
} given;

static int export_wisdom(const char *kernel)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    gputune_record_filter filter = {.size = sizeof filter, .kernel = kernel, .rules = given.rules};
    bool any = cli_given.any_gpu || cli_given.gpu;
    uint32_t count;
    char *text;
    cli_given.read_only = true;
    CLI_TRY(cli_open(&session, any ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE));
    CLI_TRY(cli_stored_filter(&filter, &session));
    CLI_TRY(cli_passed(gputune_wisdom_export(&text, &count, session.tuner, &filter, given.whole)));
    int code = CLI_EXIT_NOTHING;
    if (count || !cli_given.output) { /* an empty export must not overwrite a file */
        code = cli_output_write(cli_given.output, true, text, strlen(text));
    }
    cli_note("%u result%s", count, gt_plural(count));
    if (count && given.whole && !strstr(text, "\ncode ") && !strstr(text, "\nvariant ")) {
        cli_note("no compiled code was exported: the database has none, or is not trusted because "
                 "other users may write to its folder");
    }
    return count ? code : CLI_EXIT_NOTHING;
}

static int import_file(const cli_session *session, const char *path,
                       const gputune_wisdom_options *options)
{
    uint32_t count;
    int status = gputune_wisdom_load(&count, session->tuner, path, options);
    if (status < 0) {
        return cli_fail(status);
    }
    cli_note("%s: %u result%s", path, count, gt_plural(count));
    return count ? CLI_EXIT_OK : CLI_EXIT_NOTHING;
}

static int import_all(const cli_list *files)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    gputune_wisdom_options options = GPUTUNE_WISDOM_OPTIONS_INIT;
    options.trust = given.trust ? GPUTUNE_TRUST_BOUND : GPUTUNE_TRUST_NOTHING;
    options.keep = true;
    const char *device = cli_given.device;
    bool none = device && strcmp(device, "none") == 0;
    CLI_TRY(cli_open(&session, given.trust && !none ? CLI_OPEN_DEVICE : CLI_OPEN_NO_DEVICE));
    int code = CLI_EXIT_OK;
    cli_catch_interrupt();
    for (size_t i = 0; i < files->count && !cli_canceled; i++) {
        code = cli_worse(code, import_file(&session, files->items[i], &options));
    }
    code = cli_canceled ? CLI_EXIT_CANCELED : code;
    return cli_check_database(&session, code);
}

static int carry_wisdom(const cli_list *arguments)
{
    static const char *const of_export[] = {"size", "gpu", "any-gpu", "output", "whole", "rules"};
    const char *verb = arguments->items[0];
    const bool imports = strcmp(verb, "import") == 0;
    const cli_list rest = {arguments->items + 1, arguments->count - 1};
    for (size_t i = 0; i < sizeof of_export / sizeof *of_export && imports; i++) {
        CLI_REFUSE(cli_is_given(of_export[i]), CLI_EXIT_USAGE,
                   "wisdom: --%s is for export; import takes all results of a file", of_export[i]);
    }
    if (strcmp(verb, "export") == 0 && rest.count < 2) {
        return export_wisdom(rest.count ? rest.items[0] : NULL);
    }
    if (imports && rest.count) {
        return import_all(&rest);
    }
    return cli_stop(CLI_EXIT_USAGE, "wisdom: expected 'export [KERNEL]' or 'import FILE...'");
}

static const cli_option options[] = {
    CLI_STORED_OPTIONS,
    {"output", 'o', CLI_OPTION_TEXT, &cli_given.output, "FILE", NULL,
     "export: write to this file [stdout]"},
    {"whole", 0, CLI_OPTION_FLAG, &given.whole, NULL, NULL,
     "export: also the code of winners and rules, which import --trust uses, and the fastest other "
     "trials, with which searches at other sizes begin"},
    {"rules", 0, CLI_OPTION_FLAG, &given.rules, NULL, NULL, "export: only rules (warm --sizes)"},
    {"trust", 0, CLI_OPTION_FLAG, &given.trust, NULL, NULL,
     "import: do not verify again what was measured with this driver, on this kind of GPU, from "
     "the same generated source"},
    CLI_TUNER_OPTIONS,
};

const cli_command cmd_wisdom = {
    "wisdom",
    "export and import winners and rules as text",
    "export [KERNEL] | import FILE...",
    "Copies winners and rules from one database to another, as text.",
    "Without --whole, the text has no code. Imported results are compiled and verified when they "
    "are first requested, unless --trust is given. Results that were measured here are kept. "
    "Programs read the text with gputune_wisdom_import().",
    {1, SIZE_MAX},
    options,
    carry_wisdom};

static const cli_option merge_options[] = {
    {"output", 'o', CLI_OPTION_TEXT, &cli_given.database, "FILE", NULL,
     "the database to merge into; created if it is missing"},
    CLI_MESSAGE_OPTIONS,
};

static int merge_databases(const cli_list *files)
{
    gputune_merged merged = GPUTUNE_MERGED_INIT;
    CLI_SCOPED(cli_close) cli_session session = {0};
    CLI_REFUSE(!cli_given.database || !cli_given.database[0], CLI_EXIT_USAGE,
               "merge: expected -o FILE, the database to merge into");
    CLI_TRY(cli_open(&session, CLI_OPEN_NO_DEVICE));
    CLI_TRY(cli_passed(gputune_merge(&merged, session.tuner, files->items, files->count)));
    cli_note(
        "merged into %s: %llu of %llu winners, %llu of %llu trials, %llu of %llu compiled sources",
        cli_given.database, (unsigned long long)merged.taken_winners,
        (unsigned long long)merged.winners, (unsigned long long)merged.taken_trials,
        (unsigned long long)merged.trials, (unsigned long long)merged.taken_codes,
        (unsigned long long)merged.codes);
    if (merged.rules) {
        cli_note("merged into %s: %llu of %llu rules", cli_given.database,
                 (unsigned long long)merged.taken_rules, (unsigned long long)merged.rules);
    }
    return merged.trials || merged.codes || merged.rules ? CLI_EXIT_OK : CLI_EXIT_NOTHING;
}

const cli_command cmd_merge = {
    "merge",
    "merge databases into one",
    "FILE... -o FILE",
    "Copies the winners, trials, rules and code of several databases into one.",
    "The merge is all or nothing, and only the database of -o is changed. If two winners cover the "
    "same space, the merge keeps the finished one; if that is equal, the verified one, then the "
    "one from the newer driver, with more effort, or the later one. If two trials have the same "
    "configuration, it keeps a finished one, then the later one. A database that other users may "
    "write is refused: 'gputune wisdom' transfers its winners, which are verified again.",
    {1, SIZE_MAX},
    merge_options,
    merge_databases};
