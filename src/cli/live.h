/* Serves one page and its data to browsers of this machine: HTTP/1.1 on 127.0.0.1, under a path
 * that nobody can guess. live.c has the server, cmd_report.c the page of what is stored. The server
 * answers GET alone, one request for each connection, each in a process of its own with limits on
 * the request's length and time. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef enum cli_live_kind {
    CLI_LIVE_PAGE, /* HTML, which fetches data.json */
    CLI_LIVE_DATA, /* JSON */
    CLI_LIVE_LAST_DATA
} cli_live_kind;
/* Writes a whole answer. It is called in processes of its own. */
typedef void (*cli_live_write)(cli_live_kind kind, FILE *file);

enum { CLI_LIVE_TOKEN = 32 }; /* characters */

/* What the answer to a connection depends on. */
typedef struct cli_live_service {
    cli_live_write write;
    char token[CLI_LIVE_TOKEN + 1]; /* the secret part of the path */
    bool is_last;                   /* the server ends after the data of this answer */
} cli_live_service;

/* Reads the request of a connected socket, whatever that is, and answers it. The caller closes the
 * socket. Returns whether the answer was data.json. */
bool cli_live_answer(const cli_live_service *service, int connection);

/* Writes the page's address on a line of `told`, and serves the page until Ctrl-C or SIGTERM. If
 * `until` is a descriptor, it also ends when that reaches its end and the open pages have got the
 * last data; -1: there is no descriptor. The process must have no other threads. Returns the exit
 * code. */
int cli_live_serve(cli_live_write write, FILE *told, int until);

/* cli_report_begin_live() starts a process that serves the page of the whole database while this
 * process works. Call it before there are threads. The new process prints the page's address on
 * stderr, and ends with cli_report_end_live(), or with this process. Returns CLI_CONTINUE, or an
 * exit code after a message. */
typedef struct cli_live_report {
    int process, until; /* this end of a pipe */
} cli_live_report;
int cli_report_begin_live(cli_live_report *out);
void cli_report_end_live(const cli_live_report *live);
