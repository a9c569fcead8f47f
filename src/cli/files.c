/* Output files, includes of templates, values of JSON, and other programs with a limit. */
#include "cli/files.h"

#include "cli/session.h"

#include "base/number.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int cannot_write(const char *path)
{
    return cli_stop(CLI_EXIT_NOTHING, "cannot write '%s': %s", path, strerror(errno));
}

int cli_output_open(cli_output *out, const char *path, bool replace)
{
    *out = (cli_output){path ? fopen(path, replace ? "wb" : "wbx") : stdout, path};
    CLI_REFUSE(!out->file && errno == EEXIST, CLI_EXIT_USAGE,
               "'%s' already exists; --force replaces it", path);
    return out->file ? CLI_CONTINUE : cannot_write(path);
}

int cli_output_close(cli_output *output, int code)
{
    if (!output->path) {
        return code;
    }
    bool good = !ferror(output->file);
    good &= fclose(output->file) == 0;
    return good || code != CLI_EXIT_OK ? code : cannot_write(output->path);
}

int cli_output_write(const char *path, bool replace, const void *bytes, size_t count)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, path, replace));
    (void)fwrite(bytes, 1, count, output.file);
    return cli_output_close(&output, CLI_EXIT_OK);
}

char *cli_next_include(const char **text)
{
    const char *at = *text + strspn(*text, " \t");
    *text += strcspn(*text, "\n");
    *text += **text == '\n';
    if (*at != '#') {
        return NULL;
    }
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "include", strlen("include")) != 0) {
        return NULL;
    }
    at += strlen("include");
    at += strspn(at, " \t");
    size_t length = *at == '"' ? strcspn(at + 1, "\"\n") : 0;
    return length && at[1 + length] == '"' ? cli_copy_part(at + 1, length) : NULL;
}

char *cli_path_beside(const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    return name[0] == '/' || !slash ? cli_copy(name)
                                    : cli_format("%.*s/%s", (int)(slash - from), from, name);
}

char *cli_json_number(double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        gt_snprintf(text, sizeof text, "%.*g", digits, value);
        if (gt_strtod(text, NULL) == value) {
            break;
        }
    }
    return cli_copy(text);
}

char *cli_json_text(const char *text)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *at = text ? text : "", *end = at + strlen(at);
    char *out = cli_allocate(6 * strlen(at) + 3, 1), *to = out;
    *to++ = '"';
    for (int length; at < end; at += length) {
        const char *known = strchr(escaped, *at);
        length = gt_utf8_length(at, end);
        if (length == 0) {
            return cli_copy("\"\"");
        }
        if (known) {
            *to++ = '\\';
            *to++ = letters[known - escaped];
        } else if ((unsigned char)*at < 0x20) {
            to += snprintf(to, 7, "\\u%04X", (unsigned)*at);
        } else {
            to = (char *)memcpy(to, at, (size_t)length) + length;
        }
    }
    *to = '"';
    return out;
}

extern char **environ;

/* Returns the child, or 0 if it cannot be started. */
static pid_t start(const cli_tool *tool, int output, int errors)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    if (tool->input) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, tool->input, O_RDONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    int error = posix_spawnp(&child, tool->arguments[0], &actions, NULL,
                             (char *const *)tool->arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error ? 0 : child;
}

static bool is_too_large(const char *path)
{
    struct stat file;
    return path && stat(path, &file) == 0 && file.st_size > CLI_TOOL_MOST_BYTES;
}

/* Returns why a running tool must be ended; 0: it may go on. */
static int find_reason(const cli_tool *tool, double waited_s)
{
    if (is_too_large(tool->grows)) {
        return CLI_TOOL_TOO_LARGE;
    }
    if (cli_is_canceled()) {
        return CLI_TOOL_KILLED;
    }
    return tool->limit_s > 0 && waited_s > tool->limit_s ? CLI_TOOL_LATE : 0;
}

/* Waits until the tool ends, and ends it if it takes too long, writes too much or is canceled. */
static int await(const cli_tool *tool, pid_t child)
{
    static const struct timespec moment = {0, 10000000};
    int status = 0, reason = 0;
    pid_t ended;
    for (double waited_s = 0; (ended = waitpid(child, &status, WNOHANG)) == 0; waited_s += 0.01) {
        reason = find_reason(tool, waited_s);
        if (reason) {
            kill(child, SIGKILL);
            (void)waitpid(child, &status, 0);
            return reason;
        }
        nanosleep(&moment, NULL);
    }
    return is_too_large(tool->grows)             ? CLI_TOOL_TOO_LARGE
           : ended == child && WIFEXITED(status) ? WEXITSTATUS(status)
                                                 : CLI_TOOL_KILLED;
}

/* Returns the text of a temporary file. With a program's name, returns one line only: the first
 * that begins with the name ("curl: (60) ..."), otherwise the last. */
static char *take_text(FILE *file, const char *name)
{
    char line[1024], *text = cli_copy("");
    bool is_named = false;
    rewind(file);
    while (fgets(line, sizeof line, file) && !is_named) {
        line[strcspn(line, "\r\n")] = '\0';
        is_named = name && strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':';
        if (!name) {
            cli_append(&text, "%s\n", line);
        } else if (line[0]) {
            text = cli_copy(line);
        }
    }
    return text;
}

int cli_tool_run(cli_tool *tool)
{
    FILE *told = tmpfile(), *said = tmpfile();
    int result = CLI_TOOL_MISSING;
    tool->told = tool->said = cli_copy("");
    if (told && said) {
        pid_t child = start(tool, tool->output < 0 ? fileno(told) : tool->output, fileno(said));
        result = child ? await(tool, child) : CLI_TOOL_MISSING;
        result = result == 127 ? CLI_TOOL_MISSING : result; /* the child did not find the program */
        tool->told = take_text(told, NULL);
        tool->said = take_text(said, tool->arguments[0]);
    }
    if (told) {
        (void)fclose(told);
    }
    if (said) {
        (void)fclose(said);
    }
    return result;
}

char *cli_tool_make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    char *folder = cli_format("%s/gputune-XXXXXX", parent && parent[0] ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        cli_error("cannot make a temporary folder '%s': %s", folder, strerror(errno));
        return NULL;
    }
    return folder;
}

void cli_tool_remove_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (entry->d_name[0] != '.') {
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    if (entries) {
        closedir(entries);
    }
    (void)rmdir(folder);
}
