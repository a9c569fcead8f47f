/* Serves one page and its data to browsers of this machine: HTTP/1.1 on 127.0.0.1, under a path
 * that nobody can guess. The server answers GET alone, one request for each connection, each in a
 * process of its own with limits on the request's length and time. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* The content that is served. Both functions write a whole answer, and are called in processes of
 * their own. */
typedef struct cli_live_source {
    void (*page)(void *user, FILE *file);               /* writes HTML, which fetches data.json */
    void (*data)(void *user, bool is_last, FILE *file); /* writes JSON; is_last: the last */
    void *user;
} cli_live_source;

enum { CLI_LIVE_TOKEN = 32 }; /* characters */

/* What the answer to a connection depends on. */
typedef struct cli_live_service {
    const cli_live_source *source;
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
int cli_live_serve(const cli_live_source *source, FILE *told, int until);
