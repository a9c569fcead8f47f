/* Fetches, checks and signs tables by other programs. */
#include "cli/tables.h"

#include "cli/console.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/tool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
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

typedef enum kind { MINISIGN, SSH, SSH_PUBLIC } kind;

/* Which program's key a file has. False after a message. */
static bool read_kind(kind *out, const char *key)
{
    size_t bytes;
    const char *text = cli_read_text(key, &bytes);
    if (!text) {
        return cli_stop(CLI_EXIT_NOTHING, "cannot read the key '%s': %s", key, strerror(errno));
        return false;
    }
    bool is_public =
        begins_with(text, "ssh-") || begins_with(text, "ecdsa-") || begins_with(text, "sk-");
    *out = begins_with(text, "untrusted comment:") ? MINISIGN : is_public ? SSH_PUBLIC : SSH;
    return true;
}

const char *cli_table_signature(const char *key)
{
    kind kind;
    return !read_kind(&kind, key) ? NULL : kind == MINISIGN ? ".minisig" : ".sig";
}

static int check_by_minisign(char **who, const cli_signed *what, const char *keys)
{
    static const char label[] = "Trusted comment: ";
    const char *const arguments[] = {"minisign",      "-V", "-p",        keys, "-x",
                                     what->signature, "-m", what->table, NULL};
    cli_tool tool = {.arguments = arguments, .output = -1, .limit_s = 60};
    int result = cli_tool_run(&tool);
    if (result != 0) {
        return say_failure(&tool, result, what->name, "Debian's package is minisign");
    }
    const char *comment = strstr(tool.told, label);
    comment = comment ? comment + sizeof label - 1 : "";
    *who =
        cli_format("%s%s%.*s", keys, comment[0] ? ", " : "", (int)strcspn(comment, "\n"), comment);
    return CLI_CONTINUE;
}

/* Writes a file of allowed signers for the one public key of `keys`, named by its comment. */
static bool allow_key(const char *path, const char *keys)
{
    size_t bytes;
    const char *key = cli_read_text(keys, &bytes);
    FILE *file = key ? fopen(path, "w") : NULL;
    if (!file) {
        return false;
    }
    const char *comment = key + strcspn(key, " ");
    comment += strspn(comment, " ");
    comment += strcspn(comment, " \r\n");
    comment += strspn(comment, " ");
    size_t length = strcspn(comment, " \r\n");
    fprintf(file, "%.*s %s", length ? (int)length : 8, length ? comment : "unnamed ", key);
    return fclose(file) == 0;
}

static const char keygen_remedy[] = "Debian's package is openssh-client";

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
        cli_error("%s: none of the allowed signers made it", what->name);
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
    kind kind;
    if (!read_kind(&kind, keys)) {
        return CLI_EXIT_USAGE;
    }
    if (kind == MINISIGN) {
        return check_by_minisign(who, what, keys);
    }
    if (kind == SSH) {
        return check_by_ssh(who, what, keys);
    }
    char *folder = cli_tool_make_folder();
    if (!folder) {
        return CLI_EXIT_NOTHING;
    }
    const char *allowed = cli_format("%s/signers", folder);
    int code = CLI_EXIT_NOTHING;
    if (allow_key(allowed, keys)) {
        code = check_by_ssh(who, what, allowed);
    } else {
        cli_error("cannot write '%s': %s", allowed, strerror(errno));
    }
    cli_tool_remove_folder(folder);
    return code;
}

int cli_table_sign(const char *table, const char *key)
{
    kind kind;
    if (!read_kind(&kind, key)) {
        return CLI_EXIT_USAGE;
    }
    const char *const by_minisign[] = {"minisign", "-S", "-s", key, "-m", table, NULL};
    const char *const by_ssh[] = {"ssh-keygen", "-Y",      "sign", "-f", key,
                                  "-n",         NAMESPACE, table,  NULL};
    cli_tool tool = {.arguments = kind == MINISIGN ? by_minisign : by_ssh, .output = -1};
    (void)unlink(cli_format("%s%s", table, kind == MINISIGN ? ".minisig" : ".sig"));
    int result = cli_tool_run(&tool);
    return result == 0
               ? CLI_EXIT_OK
               : say_failure(&tool, result, table,
                             kind == MINISIGN ? "Debian's package is minisign" : keygen_remedy);
}
