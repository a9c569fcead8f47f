/* Names of status codes, and each thread's last message. */
#include "base/status.h"

#include "base/number.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 1024, FIRST_PLACES = 64 /* number of places that need no allocation */ };

/* Storage for one thread's message. _Thread_local is not used, because all libraries loaded by
 * dlopen() share only 512 bytes for such variables. The storage of an ended thread is reused. */
typedef struct message_place {
    struct message_place *next;
    atomic_bool taken;
    char message[MESSAGE_BYTES];
} message_place;

static message_place first_places[FIRST_PLACES];
static _Atomic(message_place *) places;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t leaver;
static bool has_leaver;

static _Thread_local message_place *own;

static void give_back(void *gone)
{
    own = NULL;
    atomic_store_explicit(&((message_place *)gone)->taken, false, memory_order_release);
}

/* Runs in a forked child, where other threads do not exist. */
static void forget_others(void)
{
    for (message_place *at = atomic_load(&places); at; at = at->next) {
        atomic_store(&at->taken, at == own);
    }
}

static void add_place(message_place *added)
{
    added->next = atomic_load(&places);
    while (!atomic_compare_exchange_weak(&places, &added->next, added)) {
    }
}

static void start_places(void)
{
    for (int i = 0; i < FIRST_PLACES; i++) {
        add_place(&first_places[i]);
    }
    has_leaver = pthread_key_create(&leaver, give_back) == 0;
    pthread_atfork(NULL, NULL, forget_others);
}

/* Deletes the thread key, because threads may outlive the library. */
__attribute__((destructor)) static void stop(void)
{
    if (has_leaver) {
        pthread_key_delete(leaver);
    }
}

static message_place *take_place(void)
{
    for (message_place *at = atomic_load(&places); at; at = at->next) {
        if (!atomic_exchange_explicit(&at->taken, true, memory_order_acquire)) {
            return at;
        }
    }
    message_place *made = calloc(1, sizeof *made);
    if (made) {
        atomic_init(&made->taken, true);
        add_place(made);
    }
    return made;
}

static char *own_message(void)
{
    if (!own) {
        pthread_once(&once, start_places);
        own = take_place();
        if (own) {
            own->message[0] = '\0';
        }
        if (own && has_leaver) {
            pthread_setspecific(leaver, own);
        }
    }
    return own ? own->message : NULL;
}

void gt_one_line(char *text)
{
    for (char *c = text; *c; c++) {
        if (*c == '\n' || *c == '\r') {
            *c = ' ';
        }
    }
}

void gt_message_set(const char *format, ...)
{
    int kept = errno;
    char *message = own_message(),
         text[MESSAGE_BYTES]; /* a copy, because the arguments may contain the old message */
    va_list args;
    va_start(args, format);
    gt_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    gt_one_line(text);
    if (message) {
        memcpy(message, text, sizeof text);
    }
    errno = kept;
}

void gt_message_prefix(const char *format, ...)
{
    int kept = errno;
    char prefix[256];
    va_list args;
    va_start(args, format);
    gt_vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    errno = kept;
    gt_message_set("%s: %s", prefix, gt_message());
}

const char *gt_message(void)
{
    const char *message = own_message();
    return message ? message : "out of host memory";
}

void gt_log_line(const gt_log *log, gputune_log_level level, const char *format, ...)
{
    if (!log || !log->call) {
        return;
    }
    char line[1024];
    va_list args;
    va_start(args, format);
    gt_vsnprintf(line, sizeof line, format, args);
    va_end(args);
    gt_one_line(line);
    log->call(log->user, level, line);
}

typedef struct code {
    int value;
    const char *name, *text;
} code;

static code find_code(int status)
{
    static const code table[] = {
#define ROW(name, value, text) {value, #name, text},
        GPUTUNE_STATUS_LIST(ROW)
#undef ROW
    };
    size_t i = 0;
    while (i < sizeof table / sizeof *table && table[i].value != status) {
        i++;
    }
    return i < sizeof table / sizeof *table ? table[i] : (code){0, "?", "unknown status"};
}

const char *gt_status_name(int status)
{
    return find_code(status).name;
}

const char *gputune_status_text(int status)
{
    return find_code(status).text;
}

const char *gputune_error(void)
{
    return gt_message();
}
