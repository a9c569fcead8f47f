/* The embedded headers as the compiler takes them. */
#include "gpu/device_headers.h"

#include <pthread.h>
#include <string.h>

extern const struct embedded {
    const char *name, *text;
} gt_device_headers[]; /* ended by a NULL name */

enum { MOST = 32 };
static const char *names[MOST], *texts[MOST];
static size_t count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
    for (; gt_device_headers[count].name && count < MOST; count++) {
        names[count] = gt_device_headers[count].name;
        texts[count] = gt_device_headers[count].text;
    }
}

size_t gt_device_header_list(const char *const **out_names, const char *const **out_texts)
{
    pthread_once(&once, fill);
    *out_names = names;
    *out_texts = texts;
    return count;
}

const char *gt_device_header_text(const char *name)
{
    for (const struct embedded *header = gt_device_headers; header->name; header++) {
        if (strcmp(header->name, name) == 0) {
            return header->text;
        }
    }
    return NULL;
}
