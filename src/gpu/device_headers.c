/* The embedded headers as the compiler takes them. */
#include "gpu/device_headers.h"

#include "base/text.h"

#include <pthread.h>
#include <string.h>

extern const struct embedded {
    const char *name, *text;
} gt_device_headers[]; /* ended by a NULL name */

/* What a file includes for its host code stops no kernel. */
#define HOSTS(name)                                                                                \
    {                                                                                              \
        name, "#pragma once\n"                                                                     \
    }
/* Thrust's algorithms and containers, none of which NVRTC compiles. */
#define THRUSTS(name) HOSTS("thrust/" name ".h")
/* The prelude and kernels that say std:: find there what the toolkit has. */
#define TOOLKITS(name)                                                                             \
    {                                                                                              \
        name, "#pragma once\n#include <cuda/std/" name ">\n"                                       \
              "namespace std { using namespace cuda::std; }\n"                                     \
    }

static const struct embedded standard[] = {TOOLKITS("array"),
                                           TOOLKITS("atomic"),
                                           TOOLKITS("bit"),
                                           TOOLKITS("complex"),
                                           TOOLKITS("functional"),
                                           TOOLKITS("iterator"),
                                           TOOLKITS("limits"),
                                           TOOLKITS("numeric"),
                                           TOOLKITS("optional"),
                                           TOOLKITS("ratio"),
                                           TOOLKITS("span"),
                                           TOOLKITS("tuple"),
                                           TOOLKITS("type_traits"),
                                           TOOLKITS("utility"),
                                           TOOLKITS("variant"),
                                           HOSTS("algorithm"),
                                           HOSTS("cerrno"),
                                           HOSTS("chrono"),
                                           HOSTS("ctime"),
                                           HOSTS("dirent.h"),
                                           HOSTS("errno.h"),
                                           HOSTS("exception"),
                                           HOSTS("fstream"),
                                           HOSTS("iomanip"),
                                           HOSTS("iostream"),
                                           HOSTS("map"),
                                           HOSTS("memory"),
                                           HOSTS("new"),
                                           HOSTS("random"),
                                           HOSTS("set"),
                                           HOSTS("sstream"),
                                           HOSTS("stdexcept"),
                                           HOSTS("string"),
                                           HOSTS("sys/time.h"),
                                           HOSTS("thread"),
                                           HOSTS("time.h"),
                                           HOSTS("unistd.h"),
                                           HOSTS("unordered_map"),
                                           HOSTS("vector"),
                                           THRUSTS("device_vector"),
                                           THRUSTS("host_vector"),
                                           THRUSTS("device_ptr"),
                                           THRUSTS("execution_policy"),
                                           THRUSTS("system/cuda/execution_policy"),
                                           THRUSTS("copy"),
                                           THRUSTS("count"),
                                           THRUSTS("extrema"),
                                           THRUSTS("fill"),
                                           THRUSTS("for_each"),
                                           THRUSTS("gather"),
                                           THRUSTS("generate"),
                                           THRUSTS("inner_product"),
                                           THRUSTS("random"),
                                           THRUSTS("reduce"),
                                           THRUSTS("remove"),
                                           THRUSTS("replace"),
                                           THRUSTS("scan"),
                                           THRUSTS("scatter"),
                                           THRUSTS("sequence"),
                                           THRUSTS("sort"),
                                           THRUSTS("transform"),
                                           THRUSTS("transform_reduce"),
                                           THRUSTS("transform_scan"),
                                           THRUSTS("unique")};

enum { MOST = 95, STANDARD = sizeof standard / sizeof *standard };
static const char *names[MOST], *texts[MOST];
static size_t count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
    for (; gt_device_headers[count].name && count < MOST - STANDARD; count++) {
        names[count] = gt_device_headers[count].name;
        texts[count] = gt_device_headers[count].text;
    }
    for (size_t i = 0; i < STANDARD; i++, count++) {
        names[count] = standard[i].name;
        texts[count] = standard[i].text;
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
