/* A small server for a page that is looked at on this machine. */
#include "cli/live.h"

#include "cli/session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    REQUEST_MOST = 8192, /* bytes */
    REQUEST_S = 5,       /* for a whole request, and for each write of an answer */
    AT_ONCE = 8,         /* connections */
    TICK_MS = 200,
    QUIET_S = 3, /* a page asks every two seconds, until it has the last data */
    LAST_S = 20, /* the longest that pages get to ask for them */
    TOKEN_BYTES = CLI_LIVE_TOKEN / 2
};

typedef struct server {
    cli_live_service service;
    int listener, connections;
    time_t asked; /* when data were given last; 0: never */
} server;

static time_t now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* ---- one connection ---- */

/* Reads up to the empty line. The request's length, 0 where it did not come whole or in time, -1
 * where it is too long. */
static int read_request(char *out, int connection)
{
    size_t length = 0;
    time_t end = now_s() + REQUEST_S;
    while (length < REQUEST_MOST && now_s() <= end) {
        ssize_t got = recv(connection, out + length, REQUEST_MOST - length, 0);
        if (got <= 0) {
            return 0;
        }
        length += (size_t)got;
        out[length] = '\0';
        if (strstr(out, "\r\n\r\n")) {
            return (int)length;
        }
    }
    return length < REQUEST_MOST ? 0 : -1;
}

static void send_all(int connection, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(connection, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0) {
            return;
        }
        bytes += sent;
        count -= (size_t)sent;
    }
}

static void answer(int connection, const char *status, const char *type, const char *body,
                   size_t length)
{
    char *head =
        cli_format("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s"
                   "Connection: close\r\nCache-Control: no-store\r\n"
                   "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\r\n",
                   status, type, length, strncmp(status, "405", 3) == 0 ? "Allow: GET\r\n" : "");
    char ignored[1024];
    send_all(connection, head, strlen(head));
    send_all(connection, body, length);
    shutdown(connection, SHUT_WR);
    while (recv(connection, ignored, sizeof ignored, MSG_DONTWAIT) > 0) {
    } /* what is not read when a socket is closed would take the answer back */
}

static void refuse(int connection, const char *status)
{
    const char *body = cli_format("%s\n", status);
    answer(connection, status, "text/plain", body, strlen(body));
}

/* Whether the text begins with the token. The time that this takes does not tell how many
 * characters are right. */
static bool is_token(const cli_live_service *service, const char *text, size_t length)
{
    unsigned differs = length < CLI_LIVE_TOKEN;
    for (size_t i = 0; i < CLI_LIVE_TOKEN; i++) {
        differs |= (unsigned char)service->token[i] ^ (unsigned char)(i < length ? text[i] : 0);
    }
    return !differs;
}

static void give(const cli_live_service *service, int connection, bool data)
{
    char *body = NULL;
    size_t length = 0;
    FILE *memory = cli_present(open_memstream(&body, &length));
    service->write(!data              ? CLI_LIVE_PAGE
                   : service->is_last ? CLI_LIVE_LAST_DATA
                                      : CLI_LIVE_DATA,
                   memory);
    cli_present(fclose(memory) == 0 ? body : NULL);
    answer(connection, "200 OK", data ? "application/json" : "text/html; charset=utf-8", body,
           length);
    free(body);
}

/* Answers "GET /TOKEN/ HTTP/1.1". Whether that gave data. */
static bool serve_request(const cli_live_service *service, int connection, const char *request)
{
    const char *target = strchr(request, ' ');
    const char *version = target ? strpbrk(target + 1, " \r\n") : NULL;
    if (!version || strncmp(version, " HTTP/1.", 8) != 0 || target[1] != '/') {
        refuse(connection, "400 Bad Request");
        return false;
    }
    if (strncmp(request, "GET ", 4) != 0) {
        refuse(connection, "405 Method Not Allowed");
        return false;
    }
    const char *path = target + 2;
    size_t length = (size_t)(version - path);
    bool known = is_token(service, path, length);
    const char *name =
        cli_copy_part(path + (known ? CLI_LIVE_TOKEN : 0), length - (known ? CLI_LIVE_TOKEN : 0));
    bool data = strcmp(name, "/data.json") == 0;
    if (!known || (!data && strcmp(name, "/") != 0)) {
        refuse(connection, "404 Not Found");
        return false;
    }
    give(service, connection, data);
    return data;
}

bool cli_live_answer(const cli_live_service *service, int connection)
{
    char request[REQUEST_MOST + 1];
    const struct timeval limit = {REQUEST_S, 0};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    int length = read_request(request, connection);
    if (length > 0) {
        return serve_request(service, connection, request);
    }
    refuse(connection, length < 0 ? "431 Request Header Fields Too Large" : "408 Request Timeout");
    return false;
}

/* ---- all of them ---- */

static void take_connection(server *server)
{
    int connection = accept(server->listener, NULL, NULL);
    pid_t child = connection < 0 ? -1 : fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        close(server->listener);
        _exit(cli_live_answer(&server->service, connection));
    }
    server->connections += child > 0;
    if (connection >= 0) {
        close(connection);
    }
}

/* Notes which connections have ended, and whether they gave data. */
static void settle(server *server)
{
    int status;
    while (server->connections > 0 && waitpid(-1, &status, WNOHANG) > 0) {
        server->connections--;
        bool gave = WIFEXITED(status) && WEXITSTATUS(status) != 0;
        server->asked = gave ? now_s() : server->asked;
    }
}

static bool has_ended(int until)
{
    struct pollfd end = {until, POLLIN, 0};
    return until >= 0 && poll(&end, 1, 0) > 0;
}

/* Whether the pages that are open have the last data: one that lacks them asks soon. */
static bool is_quiet(const server *server, time_t ended)
{
    time_t last = server->asked > ended ? server->asked : ended, now = now_s();
    return (!server->connections && now - last > QUIET_S) || now - ended > LAST_S;
}

static void serve(server *server, int until)
{
    bool *is_ending = &server->service.is_last;
    time_t ended = 0;
    while (!cli_is_canceled()) {
        struct pollfd waiting = {server->listener, POLLIN, 0};
        bool busy = server->connections >= AT_ONCE;
        if (poll(&waiting, busy ? 0 : 1, TICK_MS) > 0) {
            take_connection(server);
        }
        settle(server);
        if (*is_ending && is_quiet(server, ended)) {
            return;
        }
        if (!*is_ending && has_ended(until)) {
            *is_ending = true;
            ended = now_s();
            if (!server->connections && ended - server->asked > QUIET_S) {
                return; /* no page is open */
            }
        }
    }
}

static int open_listener(server *server, struct sockaddr_in *address)
{
    socklen_t length = sizeof *address;
    *address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return server->listener >= 0 &&
                   bind(server->listener, (struct sockaddr *)address, length) == 0 &&
                   listen(server->listener, AT_ONCE) == 0 &&
                   getsockname(server->listener, (struct sockaddr *)address, &length) == 0
               ? 0
               : -1;
}

int cli_live_serve(cli_live_write write, FILE *told, int until)
{
    server server = {.service.write = write};
    struct sockaddr_in address;
    unsigned char bytes[TOKEN_BYTES];
    CLI_REFUSE(getrandom(bytes, sizeof bytes, 0) != sizeof bytes ||
                   open_listener(&server, &address),
               CLI_EXIT_NOTHING, "cannot serve on 127.0.0.1: %s", strerror(errno));
    for (size_t i = 0; i < TOKEN_BYTES; i++) {
        snprintf(server.service.token + 2 * i, 3, "%02x", bytes[i]);
    }
    cli_catch_interrupt();
    fprintf(told, "http://127.0.0.1:%d/%s/\n", ntohs(address.sin_port), server.service.token);
    fflush(told);
    serve(&server, until);
    close(server.listener);
    return CLI_EXIT_OK;
}
