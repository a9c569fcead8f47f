/* Runs programs that are installed beside gputune: curl, ssh-keygen, minisign, nvdisasm. */
#pragma once

typedef struct cli_tool {
    const char *const
        *arguments;    /* [0] is looked for on PATH, unless it is a path; NULL ends them */
    const char *input; /* the file that it reads; NULL: what this program reads */
    int output;        /* where it writes; -1: into `told` */
    double limit_s;    /* 0: none */
    const char *grows; /* a file that it writes, of CLI_TOOL_MOST_BYTES at most; or NULL */
    char *told,
        *said; /* set: what it wrote, and the line of its errors that tells; "" for nothing */
} cli_tool;

enum { CLI_TOOL_MISSING = -1, CLI_TOOL_LATE = -2, CLI_TOOL_TOO_LARGE = -3, CLI_TOOL_KILLED = -4 };
enum { CLI_TOOL_MOST_BYTES = 64 << 20 };

/* Runs it to its end: its exit code, or one of the above. Ctrl-C ends it, too. */
int cli_tool_run(cli_tool *tool);

/* A new folder below TMPDIR, for this user alone. NULL after a message. cli_tool_remove_folder()
 * removes it, with the files in it. */
char *cli_tool_make_folder(void);
void cli_tool_remove_folder(const char *folder);
