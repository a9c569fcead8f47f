/* Fetches, checks and signs tables by other programs. */
#include "cli/tables.h"

#include "cli/console.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/tool.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* What ssh's signatures are for: one that was made for something else does not count. */
#define NAMESPACE "gputune"

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Says why a program did not do its work. */
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
        return cli_stop(CLI_EXIT_NOTHING, "%s: it has more than %d MiB; no table has", what,
                        CLI_TOOL_MOST_BYTES >> 20);
    case CLI_TOOL_KILLED:
        return cli_stop(CLI_EXIT_CANCELED, "%s: %s was stopped", what, name);
    default:
        return cli_stop(CLI_EXIT_NOTHING, "%s: %s", what,
                        tool->said[0] ? tool->said
                                      : cli_format("%s failed (exit %d)", name, result));
    }
}

/* ---- fetching -------------------------------------------------------------------------------- */

int cli_table_fetch(const char *url, const char *to)
{
    bool is_file = begins_with(url, "file:");
    if (!is_file && !begins_with(url, "https:")) {
        return cli_stop(CLI_EXIT_USAGE, "%s: expected a URL that begins with https: or file:", url);
    }
    const char *const arguments[] = {"curl",
                                     "--fail",
                                     "--silent",
                                     "--show-error",
                                     "--location",
                                     "--proto",
                                     is_file ? "=file" : "=https",
                                     "--proto-redir",
                                     "=https",
                                     "--connect-timeout",
                                     "10",
                                     "--output",
                                     to,
                                     "--",
                                     url,
                                     NULL};
    cli_tool curl = {.arguments = arguments, .output = -1, .limit_s = 60, .grows = to};
    int result = cli_tool_run(&curl);
    return result == 0 ? CLI_CONTINUE
                       : say_failure(&curl, result, url,
                                     "fetch the table by other means, and import the file");
}

/* ---- signatures ------------------------------------------------------------------------------ */

/* Whether a file has a key of minisign, or one of ssh. False after a message: it cannot be read. */
static bool read_key(bool *is_minisign, const char *key)
{
    size_t bytes;
    const char *text = cli_read_text(key, &bytes);
    if (!text) {
        cli_error("cannot read the key '%s': %s", key, strerror(errno));
        return false;
    }
    *is_minisign = begins_with(text, "untrusted comment:");
    return true;
}

const char *cli_table_signature(const char *key)
{
    bool is_minisign;
    return !read_key(&is_minisign, key) ? NULL : is_minisign ? ".minisig" : ".sig";
}

static const char minisign_remedy[] = "Debian's package is minisign",
                  keygen_remedy[] = "Debian's package is openssh-client";

static int check_by_minisign(char **who, const cli_signed *what, const char *keys)
{
    static const char label[] = "Trusted comment: ";
    const char *const arguments[] = {"minisign",      "-V", "-p",        keys, "-x",
                                     what->signature, "-m", what->table, NULL};
    cli_tool tool = {.arguments = arguments, .output = -1, .limit_s = 60};
    int result = cli_tool_run(&tool);
    if (result != 0) {
        return say_failure(&tool, result, what->name, minisign_remedy);
    }
    const char *comment = strstr(tool.told, label);
    comment = comment ? comment + sizeof label - 1 : "";
    *who =
        cli_format("%s%s%.*s", keys, comment[0] ? ", " : "", (int)strcspn(comment, "\n"), comment);
    return CLI_CONTINUE;
}

/* Who of the allowed signers made the what->signature, if it is right. */
static int check_by_ssh(char **who, const cli_signed *what, const char *allowed)
{
    const char *const find[] = {"ssh-keygen",    "-Y", "find-principals", "-s",
                                what->signature, "-f", allowed,           NULL};
    cli_tool finds = {.arguments = find, .output = -1, .limit_s = 60};
    int result = cli_tool_run(&finds);
    if (result == CLI_TOOL_MISSING) {
        return say_failure(&finds, result, what->name, keygen_remedy);
    }
    char *signer = cli_copy_part(finds.told, strcspn(finds.told, "\n,"));
    if (result != 0 || !signer[0]) {
        return cli_stop(CLI_EXIT_NOTHING, "%s: none of the allowed signers made it", what->name);
    }
    const char *const verify[] = {"ssh-keygen", "-Y", "verify",  "-f", allowed,         "-I",
                                  signer,       "-n", NAMESPACE, "-s", what->signature, NULL};
    cli_tool verifies = {.arguments = verify, .input = what->table, .output = -1, .limit_s = 60};
    result = cli_tool_run(&verifies);
    if (result != 0) {
        return cli_stop(CLI_EXIT_NOTHING, "%s: it is not the signature of this table: %s",
                        what->name, verifies.said[0] ? verifies.said : "ssh-keygen refuses it");
    }
    const char *key = strstr(verifies.told, " with ");
    *who = cli_format("%s%s%.*s", signer, key ? "," : "", key ? (int)strcspn(key + 5, "\n") : 0,
                      key ? key + 5 : "");
    return CLI_CONTINUE;
}

int cli_table_check(char **who, const cli_signed *what, const char *keys)
{
    bool is_minisign;
    if (!read_key(&is_minisign, keys)) {
        return CLI_EXIT_USAGE;
    }
    return is_minisign ? check_by_minisign(who, what, keys) : check_by_ssh(who, what, keys);
}

int cli_table_sign(const char *table, const char *key)
{
    bool is_minisign;
    if (!read_key(&is_minisign, key)) {
        return CLI_EXIT_USAGE;
    }
    const char *const by_minisign[] = {"minisign", "-S", "-s", key, "-m", table, NULL};
    const char *const by_ssh[] = {"ssh-keygen", "-Y",      "sign", "-f", key,
                                  "-n",         NAMESPACE, table,  NULL};
    cli_tool tool = {.arguments = is_minisign ? by_minisign : by_ssh, .output = -1};
    (void)unlink(cli_format("%s%s", table, is_minisign ? ".minisig" : ".sig"));
    int result = cli_tool_run(&tool);
    return result == 0
               ? CLI_EXIT_OK
               : say_failure(&tool, result, table, is_minisign ? minisign_remedy : keygen_remedy);
}
