/* What the server of --live reads: a request of whoever connects. */
#include "fuzz/fuzz.h"

#include "cli/live.h"
#include "cli/memory.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef0123456789abcdef"

const char *const fuzz_seeds[] = {"GET /" TOKEN "/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                                  "GET /" TOKEN "/data.json HTTP/1.0\r\n\r\n",
                                  "POST /" TOKEN "/ HTTP/1.1\r\n\r\n",
                                  "GET / HTTP/1.1\r\n\r\n",
                                  "nonsense\r\n\r\n",
                                  NULL};
const char *const fuzz_words[] = {"GET ", "POST ", "/" TOKEN,  "/",     "data.json", " HTTP/1.1",
                                  "\r\n", "\n",    "\r\n\r\n", "Host:", "?",         NULL};

static void write_secret(cli_live_kind kind, FILE *file)
{
    fputs(kind == CLI_LIVE_LAST_DATA ? "{}" : "secret", file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const cli_live_service service = {write_secret, TOKEN, false};
    void *mark = cli_mark();
    char answer[1024] = "";
    int ends[2];
    FUZZ_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    FUZZ_REQUIRE(send(ends[0], data, bytes, MSG_DONTWAIT) == (ssize_t)bytes || bytes == 0);
    shutdown(ends[0], SHUT_WR);
    bool gave_data = cli_live_answer(&service, ends[1]);
    FUZZ_REQUIRE(recv(ends[0], answer, sizeof answer - 1, 0) > 0);
    bool allowed = strncmp(answer, "HTTP/1.1 200 ", 13) == 0;
    FUZZ_REQUIRE(allowed || strncmp(answer, "HTTP/1.1 4", 10) == 0);
    FUZZ_REQUIRE(allowed == (strstr(answer, "\r\n\r\nsecret") != NULL) && allowed >= gave_data);
    const char *request = cli_copy_part((const char *)data, bytes);
    FUZZ_REQUIRE(!allowed || strncmp(request, "GET /" TOKEN "/", 6 + CLI_LIVE_TOKEN) == 0);
    close(ends[0]);
    close(ends[1]);
    cli_release(mark);
    return 0;
}
