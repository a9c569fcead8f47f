/* The embedded headers as the compiler takes them. */
#include "gpu/device_headers.h"

#include "base/text.h"

#include <pthread.h>
#include <string.h>

extern const struct embedded {
    const char *name, *text;
} gt_device_headers[]; /* ended by a NULL name */

/* What a file includes for its host code stops no kernel: the C++ library's, the system's, and
 * Thrust's algorithms and containers, none of which NVRTC compiles. Each name ends with a zero. */
static const char hosts[] =
    "algorithm\0cerrno\0chrono\0ctime\0dirent.h\0errno.h\0exception\0fstream\0iomanip\0"
    "iostream\0map\0memory\0new\0random\0set\0sstream\0stdexcept\0string\0sys/time.h\0thread\0"
    "time.h\0unistd.h\0unordered_map\0vector\0thrust/device_vector.h\0thrust/host_vector.h\0"
    "thrust/device_ptr.h\0thrust/execution_policy.h\0thrust/system/cuda/execution_policy.h\0"
    "thrust/copy.h\0thrust/count.h\0thrust/extrema.h\0thrust/fill.h\0thrust/for_each.h\0"
    "thrust/gather.h\0thrust/generate.h\0thrust/inner_product.h\0thrust/random.h\0"
    "thrust/reduce.h\0thrust/remove.h\0thrust/replace.h\0thrust/scan.h\0thrust/scatter.h\0"
    "thrust/sequence.h\0thrust/sort.h\0thrust/transform.h\0thrust/transform_reduce.h\0"
    "thrust/transform_scan.h\0thrust/unique.h\0";

/* The prelude and kernels that say std:: find there what the toolkit has. */
#define TOOLKIT(name)                                                                              \
    {                                                                                              \
        name, "#pragma once\n#include <cuda/std/" name ">\n"                                       \
              "namespace std { using namespace cuda::std; }\n"                                     \
    }
static const struct embedded toolkits[] = {
    TOOLKIT("array"),       TOOLKIT("atomic"),   TOOLKIT("bit"),    TOOLKIT("complex"),
    TOOLKIT("functional"),  TOOLKIT("iterator"), TOOLKIT("limits"), TOOLKIT("numeric"),
    TOOLKIT("optional"),    TOOLKIT("ratio"),    TOOLKIT("span"),   TOOLKIT("tuple"),
    TOOLKIT("type_traits"), TOOLKIT("utility"),  TOOLKIT("variant")};

enum { MOST = 95 };
static const char *names[MOST], *texts[MOST];
static size_t count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void add(const char *name, const char *text)
{
    if (count < MOST) {
        names[count] = name;
        texts[count++] = text;
    }
}

static void fill(void)
{
    for (size_t i = 0; i < sizeof toolkits / sizeof *toolkits; i++) {
        add(toolkits[i].name, toolkits[i].text);
    }
    for (const char *at = hosts; *at; at += strlen(at) + 1) {
        add(at, "#pragma once\n");
    }
    for (size_t i = 0; gt_device_headers[i].name; i++) {
        add(gt_device_headers[i].name, gt_device_headers[i].text);
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
    pthread_once(&once, fill);
    size_t index = gt_index_of(name, names, count);
    return index < count ? texts[index] : NULL;
}
