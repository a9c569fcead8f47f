/* Runs programs that are installed beside gputune: curl, ssh-keygen, minisign, nvdisasm. */
#pragma once

typedef struct cli_tool {
    const char *const
        *arguments;    /* [0] is looked for on PATH, unless it is a path; NULL ends the list */
    const char *input; /* file for its standard input; NULL: this program's */
    int output;        /* descriptor to which the tool's standard output goes; -1: into `told` */
    double limit_s;    /* seconds after which the tool is ended; 0: no limit */
    const char *grows; /* a file that the tool writes, of CLI_TOOL_MOST_BYTES at most; or NULL */
    char *told, *said; /* set: what the tool wrote, and the line of its errors that tells most; "":
                          nothing */
} cli_tool;

enum { CLI_TOOL_MISSING = -1, CLI_TOOL_LATE = -2, CLI_TOOL_TOO_LARGE = -3, CLI_TOOL_KILLED = -4 };
enum { CLI_TOOL_MOST_BYTES = 64 << 20 };

/* Runs the tool to its end. Returns its exit code, or one of the values above. Ctrl-C ends the
 * tool, too. */
int cli_tool_run(cli_tool *tool);

/* Makes a new folder below TMPDIR, which only this user may use. Returns NULL after a message.
 * cli_tool_remove_folder() removes the folder, with the files in it. */
char *cli_tool_make_folder(void);
void cli_tool_remove_folder(const char *folder);
