/* The commands wisdom and merge: carry winners between databases as text, and join databases. */
#include "cli/files.h"
#include "cli/scenarios.h"

#include "base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* A table, its signature, and the signature's name in messages. */
typedef struct cli_signed {
    const char *table, *signature, *name;
} cli_signed;

/* The purpose of ssh's signatures. A signature for another purpose is invalid. */
#define NAMESPACE "gputune"

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static int say_failure(const cli_tool *tool, int result, const char *what, const char *remedy)
{
    const char *name = tool->arguments[0];
    switch (result) {
    case CLI_TOOL_MISSING:
        return cli_stop(CLI_EXIT_PLATFORM, "%s: %s is not installed; %s", what, name, remedy);
    case CLI_TOOL_LATE:
        return cli_stop(CLI_EXIT_NOTHING, "%s: %s did not end within %.0f s", what, name,
                        tool->limit_s);
    case CLI_TOOL_TOO_LARGE:
        return cli_stop(CLI_EXIT_NOTHING,
                        "%s: larger than %d MB; expected a table of winners, which is smaller",
                        what, CLI_TOOL_MOST_BYTES >> 20);
    case CLI_TOOL_KILLED:
        return cli_stop(CLI_EXIT_CANCELED, "%s: %s was stopped", what, name);
    default:
        return cli_stop(CLI_EXIT_NOTHING, "%s: %s", what,
                        tool->said[0] ? tool->said
                                      : cli_format("%s failed (exit %d)", name, result));
    }
}

/* Downloads an https: or file: URL to the file `to` by curl, within a minute. Returns CLI_CONTINUE,
 * or an exit code after a message. */
static int table_fetch(const char *url, const char *to)
{
    bool is_file = begins_with(url, "file:");
    CLI_REFUSE(!is_file && !begins_with(url, "https:"), CLI_EXIT_USAGE,
               "%s: expected a URL that begins with https: or file:", url);
    const char *protocol = is_file ? "=file" : "=https";
    cli_tool curl = {{"curl", "--fail", "--silent", "--show-error", "--location", "--proto",
                      protocol, "--proto-redir", "=https", "--connect-timeout", "10", "--output",
                      to, "--", url},
                     .output = -1,
                     .limit_s = 60,
                     .grows = to};
    int result = cli_tool_run(&curl);
    return result == 0 ? CLI_CONTINUE
                       : say_failure(&curl, result, url,
                                     "download the table by other means, and import the file");
}

/* ---- signatures ------------------------------------------------------------------------------ */

typedef struct signer {
    const char *ending; /* suffix that makes the signature's file name from the table's */
    const char *remedy; /* printed if the program is not installed */
} signer;
static const signer minisign = {".minisig", "Debian's package is minisign"},
                    keygen = {".sig", "Debian's package is openssh-client"};

/* Returns the program that a key file belongs to; NULL after a message if the file cannot be
 * read. */
static const signer *signer_of(const char *key)
{
    size_t bytes;
    const char *text = cli_read_text(key, &bytes);
    if (!text) {
        cli_error("cannot read the key '%s': %s", key, strerror(errno));
        return NULL;
    }
    return begins_with(text, "untrusted comment:") ? &minisign : &keygen;
}

static int check_by_minisign(char **who, const cli_signed *what, const char *keys)
{
    static const char label[] = "Trusted comment: ";
    cli_tool tool = {{"minisign", "-V", "-p", keys, "-x", what->signature, "-m", what->table},
                     .output = -1,
                     .limit_s = 60};
    int result = cli_tool_run(&tool);
    if (result != 0) {
        return say_failure(&tool, result, what->name, minisign.remedy);
    }
    const char *comment = strstr(tool.told, label);
    comment = comment ? comment + sizeof label - 1 : "";
    *who =
        cli_format("%s%s%.*s", keys, comment[0] ? ", " : "", (int)strcspn(comment, "\n"), comment);
    return CLI_CONTINUE;
}

static int check_by_ssh(char **who, const cli_signed *what, const char *allowed)
{
    cli_tool finds = {{"ssh-keygen", "-Y", "find-principals", "-s", what->signature, "-f", allowed},
                      .output = -1,
                      .limit_s = 60};
    int result = cli_tool_run(&finds);
    if (result == CLI_TOOL_MISSING) {
        return say_failure(&finds, result, what->name, keygen.remedy);
    }
    char *signer = cli_copy_part(finds.told, strcspn(finds.told, "\n,"));
    CLI_REFUSE(result != 0 || !signer[0], CLI_EXIT_NOTHING,
               "%s: not signed by any of the allowed signers", what->name);
    cli_tool verifies = {{"ssh-keygen", "-Y", "verify", "-f", allowed, "-I", signer, "-n",
                          NAMESPACE, "-s", what->signature},
                         .input = what->table,
                         .output = -1,
                         .limit_s = 60};
    result = cli_tool_run(&verifies);
    CLI_REFUSE(result != 0, CLI_EXIT_NOTHING, "%s: the signature does not match this table: %s",
               what->name, verifies.said[0] ? verifies.said : "ssh-keygen rejects it");
    const char *key = strstr(verifies.told, " with ");
    *who = cli_format("%s%s%.*s", signer, key ? "," : "", key ? (int)strcspn(key + 5, "\n") : 0,
                      key ? key + 5 : "");
    return CLI_CONTINUE;
}

/* Signs a file with a secret key of minisign or ssh, which may ask for a pass phrase. Writes
 * TABLE.minisig or TABLE.sig. Returns CLI_EXIT_OK, or an exit code after a message. */
static int table_sign(const char *table, const char *key)
{
    const signer *by = signer_of(key);
    if (!by) {
        return CLI_EXIT_USAGE;
    }
    const cli_tool by_minisign = {{"minisign", "-S", "-s", key, "-m", table}, .output = -1};
    const cli_tool by_ssh = {{"ssh-keygen", "-Y", "sign", "-f", key, "-n", NAMESPACE, table},
                             .output = -1};
    cli_tool tool = by == &minisign ? by_minisign : by_ssh;
    (void)unlink(cli_format("%s%s", table, by->ending));
    int result = cli_tool_run(&tool);
    return result == 0 ? CLI_EXIT_OK : say_failure(&tool, result, table, by->remedy);
}

/* The options. */
static struct {
    const char *key, *signed_by;
    cli_list urls;
    bool trust, whole, rules;
} given;

static int export_wisdom(const char *kernel)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    gputune_record_filter filter = {.size = sizeof filter, .kernel = kernel, .rules = given.rules};
    bool any = cli_given.any_gpu || cli_given.gpu;
    uint32_t count;
    char *text;
    cli_given.read_only = cli_given.records_only = true;
    CLI_TRY(cli_open(&session, any ? CLI_OPEN_NO_DEVICE : CLI_OPEN_DEVICE));
    CLI_TRY(cli_stored_filter(&filter, &session));
    CLI_TRY(cli_passed(gputune_wisdom_export(&text, &count, session.tuner, &filter, given.whole)));
    int code = CLI_EXIT_NOTHING;
    if (count || !cli_given.output) { /* an empty table does not replace a file */
        code = cli_output_write(cli_given.output, true, text, strlen(text));
    }
    if (code == CLI_EXIT_OK && given.key) {
        code = table_sign(cli_given.output, given.key);
    }
    cli_note("%u result%s", count, gt_plural(count));
    if (count && given.whole && !strstr(text, "\ncode ") && !strstr(text, "\nvariant ")) {
        cli_note("no compiled code was exported: the database has none, or is not trusted because "
                 "other users may write to its folder");
    }
    return count ? code : CLI_EXIT_NOTHING;
}

/* Copies a file before it is checked, so nobody can change it between the check and the import. */
static int copy_file(const char *from, const char *to)
{
    size_t bytes;
    const char *text = cli_read_text(from, &bytes);
    CLI_REFUSE(!text, CLI_EXIT_NOTHING, "cannot read '%s': %s", from, strerror(errno));
    int code = cli_output_write(to, true, text, bytes);
    return code == CLI_EXIT_OK ? CLI_CONTINUE : code;
}

/* Copies a table into a private folder; with --signed-by also its signature, which is checked. Sets
 * *who to the signer. */
static int bring(char **who, const char *source, bool is_url, const char *table)
{
    int (*const take)(const char *, const char *) = is_url ? table_fetch : copy_file;
    CLI_TRY(take(source, table));
    if (!given.signed_by) {
        return CLI_CONTINUE;
    }
    const signer *by = signer_of(given.signed_by);
    if (!by) {
        return CLI_EXIT_USAGE;
    }
    const cli_signed what = {table, cli_format("%s%s", table, by->ending),
                             cli_format("%s%s", source, by->ending)};
    CLI_TRY(take(what.name, what.signature));
    return (by == &minisign ? check_by_minisign : check_by_ssh)(who, &what, given.signed_by);
}

static int load(const cli_session *session, const char *path, const char *source, const char *who,
                const gputune_wisdom_options *options)
{
    uint32_t count;
    int status = gputune_wisdom_load(&count, session->tuner, path, options);
    if (status < 0) {
        const char *message = gputune_error(), *named = strstr(message, path);
        size_t before = named ? (size_t)(named - message) : 0;
        cli_error("%.*s%s%s", (int)before, message, named ? source : "",
                  named ? named + strlen(path) : message);
        return cli_exit_code(status);
    }
    cli_note("%s: %u result%s%s%s", source, count, gt_plural(count), who ? ", signed by " : "",
             who ? who : "");
    return count ? CLI_EXIT_OK : CLI_EXIT_NOTHING;
}

static int import(const cli_session *session, const char *source, bool is_url,
                  const gputune_wisdom_options *options)
{
    char *who = NULL;
    if (!is_url && !given.signed_by) {
        return load(session, source, source, NULL, options);
    }
    char *folder = cli_tool_make_folder();
    if (!folder) {
        return CLI_EXIT_NOTHING;
    }
    const char *table = cli_format("%s/table", folder);
    int code = bring(&who, source, is_url, table);
    code = code == CLI_CONTINUE ? load(session, table, source, who, options) : code;
    cli_tool_remove_folder(folder);
    return code;
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
    const cli_list *urls = &given.urls;
    cli_catch_interrupt();
    for (size_t i = 0; i < files->count + urls->count && !cli_is_canceled(); i++) {
        bool is_url = i >= files->count;
        const char *source = is_url ? urls->items[i - files->count] : files->items[i];
        code = cli_worse(code, import(&session, source, is_url, &options));
    }
    code = cli_is_canceled() ? CLI_EXIT_CANCELED : code;
    return cli_check_database(&session, code);
}

static int carry(const cli_list *arguments)
{
    const char *verb = arguments->items[0];
    const cli_list rest = {arguments->items + 1, arguments->count - 1};
    CLI_REFUSE(
        given.key && (!cli_given.output || strcmp(verb, "export") != 0), CLI_EXIT_USAGE,
        "wisdom: --sign needs export and --output FILE; the signature is written next to FILE");
    if (strcmp(verb, "export") == 0 && rest.count < 2) {
        return export_wisdom(rest.count ? rest.items[0] : NULL);
    }
    if (strcmp(verb, "import") == 0 && rest.count + given.urls.count) {
        return import_all(&rest);
    }
    return cli_stop(CLI_EXIT_USAGE,
                    "wisdom: expected 'export [KERNEL]' or 'import FILE...', or --from URL");
}

static const cli_option options[] = {
    CLI_STORED_OPTIONS,
    {"output", 'o', CLI_OPTION_TEXT, &cli_given.output, "FILE", NULL,
     "export: write to this file [stdout]"},
    {"whole", 0, CLI_OPTION_FLAG, &given.whole, NULL, NULL,
     "export: also the code of winners and rules, which import --trust uses, and the fastest other "
     "trials, with which searches at other sizes begin"},
    {"rules", 0, CLI_OPTION_FLAG, &given.rules, NULL, NULL, "export: only rules (warm --sizes)"},
    {"sign", 0, CLI_OPTION_TEXT, &given.key, "KEY", NULL,
     "export: sign the file with this secret key of minisign or ssh; the signature, .minisig or "
     ".sig, is written beside it"},
    {"signed-by", 0, CLI_OPTION_TEXT, &given.signed_by, "KEYS", NULL,
     "import: only files with a signature beside them by one of these: a public key of minisign, "
     "or a file of allowed signers (ssh-keygen)"},
    {"from", 0, CLI_OPTION_LIST, &given.urls, "URL", NULL,
     "import: download the table with curl (https: or file:); may be repeated"},
    {"trust", 0, CLI_OPTION_FLAG, &given.trust, NULL, NULL,
     "import: do not verify again what was measured with this driver, on this kind of GPU, from "
     "the same generated source"},
    CLI_TUNER_OPTIONS,
};

const cli_command cmd_wisdom = {
    "wisdom",
    "export and import winners and rules as text",
    "export [KERNEL] | import FILE... [--from URL]",
    "Copies winners and rules from one database to another, as text.",
    "Without --whole, the text has no code. Imported results are compiled and verified when they "
    "are first requested, unless --trust is given. Results that were measured here are kept. "
    "Programs read the text with gputune_wisdom_import().",
    {1, SIZE_MAX},
    options,
    carry};

/* ---- merge ----------------------------------------------------------------------------------- */

static const cli_option merge_options[] = {
    {"output", 'o', CLI_OPTION_TEXT, &cli_given.database, "FILE", NULL,
     "the database to merge into; created if it is missing"},
    CLI_MESSAGE_OPTIONS,
};

static int merge(const cli_list *files)
{
    gputune_merged merged = GPUTUNE_MERGED_INIT;
    CLI_SCOPED(cli_close) cli_session session = {0};
    CLI_REFUSE(!cli_given.database, CLI_EXIT_USAGE,
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
    "one from the newer driver, with more effort, or the later one. Of two trials of a "
    "configuration, it keeps a finished one, then the later one. A database that other users may "
    "write is refused: 'gputune wisdom' transfers its winners, which are verified again.",
    {1, SIZE_MAX},
    merge_options,
    merge};
