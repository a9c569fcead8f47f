/* Serves one page and its data to browsers of this machine: HTTP/1.1 on 127.0.0.1, under a path
 * that nobody can guess. It answers GET alone, one request a connection, each in a process of its
 * own with limits on the request's length and time. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* What is served. Both write a whole answer; they are called in processes of their own. */
typedef struct cli_live_source {
    void (*page)(void *user, FILE *file);               /* HTML; fetches data.json */
    void (*data)(void *user, bool is_last, FILE *file); /* JSON; is_last: the server ends with it */
    void *user;
} cli_live_source;

enum { CLI_LIVE_TOKEN = 32 }; /* characters */

/* What a connection is answered by. */
typedef struct cli_live_service {
    const cli_live_source *source;
    char token[CLI_LIVE_TOKEN + 1]; /* the secret part of the path */
    bool is_last;                   /* the data that are given are the last */
} cli_live_service;

/* Reads the request of a connected socket, whatever that is, and answers it; the socket stays the
 * caller's. Whether data were given. */
bool cli_live_answer(const cli_live_service *service, int connection);

/* Tells the page's address on a line of `told`, and serves it until Ctrl-C or SIGTERM, or, where
 * `until` is a descriptor, until that has ended and the pages that are open have got the last data.
 * -1: there is none. The process has no other threads. Returns the exit code. */
int cli_live_serve(const cli_live_source *source, FILE *told, int until);
