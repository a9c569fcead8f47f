/* Replaces NVRTC in tests that compile the same sources repeatedly. Calls are forwarded to the real
 * library, the link `real` in this library's folder. Results are cached in files in that folder,
 * for all processes. Failures, precompiled headers, and compilations with include folders that a
 * test may modify are not cached. With COMPILE_SLOWLY=N, a cached result takes N times as long as
 * its compilation, without using a core. With COMPILE_AFTER=PATH, each compilation waits until the
 * file exists. COMPILE_ANEW disables the cache. */
#define XXH_INLINE_ALL
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define GIVEN __attribute__((visibility("default")))

enum { SUCCESS = 0, OUT_OF_MEMORY = 1, NAMES = 64, PIECES = 3 + NAMES };

/* The results of a compilation: log, cubin, PTX, and the lowered name of each instance. */
typedef struct piece {
    size_t bytes;
    char *data;
} piece;

typedef struct program {
    void *real;
    XXH3_state_t key;
    char *names[NAMES];
    int name_count;
    bool kept; /* true if `pieces` come from the cache */
    piece pieces[PIECES];
} program;

static char folder[PATH_MAX];

static void *real(const char *name)
{
    static void *library;
    if (!library) {
        Dl_info info;
        char path[PATH_MAX + 8];
        if (!dladdr((void *)folder, &info) || !realpath(info.dli_fname, folder)) {
            abort();
        }
        *strrchr(folder, '/') = '\0';
        snprintf(path, sizeof path, "%s/real", folder);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "%s/real is no NVRTC: %s\n", folder, dlerror());
        abort();
    }
    return found;
}

#define REAL(name, parameters) ((int(*) parameters)real(#name))

#define HAND_ON(name, parameters, arguments)                                                       \
    GIVEN int name parameters;                                                                     \
    int name parameters                                                                            \
    {                                                                                              \
        return REAL(name, parameters) arguments;                                                   \
    }
HAND_ON(nvrtcVersion, (int *major, int *minor), (major, minor))
HAND_ON(nvrtcGetNumSupportedArchs, (int *count), (count))
HAND_ON(nvrtcGetSupportedArchs, (int *arches), (arches))

GIVEN const char *nvrtcGetErrorString(int code);
const char *nvrtcGetErrorString(int code)
{
    return ((const char *(*)(int))real("nvrtcGetErrorString"))(code);
}

GIVEN int nvrtcGetPCHCreateStatus(program *p);
int nvrtcGetPCHCreateStatus(program *p)
{
    return REAL(nvrtcGetPCHCreateStatus, (void *))(p->real);
}

static void add_to_key(program *p, const char *text)
{
    XXH3_128bits_update(&p->key, text, strlen(text) + 1);
}

GIVEN int nvrtcDestroyProgram(program **p);
int nvrtcDestroyProgram(program **p)
{
    int result = REAL(nvrtcDestroyProgram, (void **))(&(*p)->real);
    for (int i = 0; i < (*p)->name_count; i++) {
        free((*p)->names[i]);
    }
    for (int i = 0; i < PIECES; i++) {
        free((*p)->pieces[i].data);
    }
    free(*p);
    *p = NULL;
    return result;
}

GIVEN int nvrtcCreateProgram(program **out, const char *text, const char *name, int count,
                             const char *const *headers, const char *const *header_names);
int nvrtcCreateProgram(program **out, const char *text, const char *name, int count,
                       const char *const *headers, const char *const *header_names)
{
    program *p = calloc(1, sizeof *p);
    if (!p) {
        return OUT_OF_MEMORY;
    }
    XXH3_128bits_reset(&p->key);
    add_to_key(p, text);
    add_to_key(p, name);
    for (int i = 0; i < count; i++) {
        add_to_key(p, headers[i]);
        add_to_key(p, header_names[i]);
    }
    *out = p;
    int result = REAL(nvrtcCreateProgram,
                      (void **, const char *, const char *, int, const char *const *,
                       const char *const *))(&p->real, text, name, count, headers, header_names);
    if (result != SUCCESS) {
        free(p);
        *out = NULL;
    }
    return result;
}

GIVEN int nvrtcAddNameExpression(program *p, const char *name);
int nvrtcAddNameExpression(program *p, const char *name)
{
    if (p->name_count == NAMES || !(p->names[p->name_count] = strdup(name))) {
        return OUT_OF_MEMORY;
    }
    p->name_count++;
    add_to_key(p, name);
    return REAL(nvrtcAddNameExpression, (void *, const char *))(p->real, name);
}

/* The beginning of a cached file, before the pieces. */
typedef struct heading {
    struct timespec took; /* CPU time of the compilation */
    size_t sizes[PIECES];
} heading;

static bool read_kept(program *p, heading *out, const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool whole = file >= 0 && read(file, out, sizeof *out) == (ssize_t)sizeof *out;
    for (int i = 0; whole && i < 3 + p->name_count; i++) {
        const size_t bytes = out->sizes[i];
        p->pieces[i] = (piece){bytes, malloc(bytes + 1)};
        whole = p->pieces[i].data && read(file, p->pieces[i].data, bytes) == (ssize_t)bytes;
    }
    if (file >= 0) {
        close(file);
    }
    return whole;
}

static void fetch(program *p, int i, const char *size_call, const char *call)
{
    piece piece = {0};
    if (((int (*)(void *, size_t *))real(size_call))(p->real, &piece.bytes) == SUCCESS &&
        (piece.data = malloc(piece.bytes + 1))) {
        ((int (*)(void *, char *))real(call))(p->real, piece.data);
        p->pieces[i] = piece;
    }
}

/* Writes and then renames a file, so readers never see a part of it. Ignores failures. */
static void keep(program *p, struct timespec took, const char *path)
{
    char part[PATH_MAX + 64];
    heading heading = {.took = took};
    struct rlimit limit;
    fetch(p, 0, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
    fetch(p, 1, "nvrtcGetCUBINSize", "nvrtcGetCUBIN");
    fetch(p, 2, "nvrtcGetPTXSize", "nvrtcGetPTX");
    for (int i = 0; i < p->name_count; i++) {
        const char *lowered = "";
        REAL(nvrtcGetLoweredName, (void *, const char *, const char **))
        (p->real, p->names[i], &lowered);
        p->pieces[3 + i] = (piece){strlen(lowered) + 1, strdup(lowered)};
    }
    snprintf(part, sizeof part, "%s.%d", path, (int)getpid());
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) {
        return; /* the write would exceed the process's limit and end the process */
    }
    int file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    for (int i = 0; i < PIECES; i++) {
        heading.sizes[i] = p->pieces[i].bytes;
    }
    bool whole = file >= 0 && write(file, &heading, sizeof heading) == (ssize_t)sizeof heading;
    for (int i = 0; whole && i < 3 + p->name_count; i++) {
        const size_t bytes = heading.sizes[i];
        whole = p->pieces[i].data && write(file, p->pieces[i].data, bytes) == (ssize_t)bytes;
    }
    if (file >= 0) {
        close(file);
        if (!whole || rename(part, path) != 0) {
            unlink(part);
        }
    }
}

/* Returns false if the option may name a folder whose files change, which is any folder outside of
 * a toolkit. */
static bool may_be_kept(const char *option)
{
    bool pch = strncmp(option, "--create-pch", 12) == 0 || strncmp(option, "--use-pch", 9) == 0;
    bool headers = strncmp(option, "-I", 2) == 0 || strncmp(option, "--include-path", 14) == 0;
    return !pch && (!headers || strstr(option, "/cuda") || strstr(option, "/nvidia/"));
}

static struct timespec thread_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now;
}

static struct timespec since(struct timespec begun)
{
    enum { SECOND_NS = 1000000000 };
    struct timespec now = thread_time();
    const long ns = now.tv_nsec - begun.tv_nsec;
    return (struct timespec){now.tv_sec - begun.tv_sec - (ns < 0), ns + (ns < 0) * SECOND_NS};
}

GIVEN int nvrtcCompileProgram(program *p, int count, const char *const *options);
int nvrtcCompileProgram(program *p, int count, const char *const *options)
{
    char path[PATH_MAX + 40];
    bool keeps = getenv("COMPILE_ANEW") == NULL;
    const char *gate = getenv("COMPILE_AFTER");
    while (gate && access(gate, F_OK) != 0) {
        usleep(50000);
    }
    for (int i = 0; i < count; i++) {
        add_to_key(p, options[i]);
        keeps = keeps && may_be_kept(options[i]);
    }
    real("nvrtcVersion");
    XXH128_hash_t key = XXH3_128bits_digest(&p->key);
    snprintf(path, sizeof path, "%s/%016llx%016llx", folder, (unsigned long long)key.high64,
             (unsigned long long)key.low64);
    heading heading;
    p->kept = keeps && read_kept(p, &heading, path);
    if (p->kept) {
        const char *times = getenv("COMPILE_SLOWLY");
        for (int i = times ? (int)strtol(times, NULL, 10) : 0; i > 0; i--) {
            nanosleep(&heading.took, NULL);
        }
        return SUCCESS;
    }
    struct timespec begun = thread_time();
    int result =
        REAL(nvrtcCompileProgram, (void *, int, const char *const *))(p->real, count, options);
    if (keeps && result == SUCCESS) {
        keep(p, since(begun), path);
    }
    return result;
}

#define PIECE(i, size_name, name)                                                                  \
    GIVEN int size_name(program *p, size_t *bytes);                                                \
    int size_name(program *p, size_t *bytes)                                                       \
    {                                                                                              \
        *bytes = p->pieces[i].bytes;                                                               \
        return p->kept ? SUCCESS : REAL(size_name, (void *, size_t *))(p->real, bytes);            \
    }                                                                                              \
    GIVEN int name(program *p, char *out);                                                         \
    int name(program *p, char *out)                                                                \
    {                                                                                              \
        if (!p->kept) {                                                                            \
            return REAL(name, (void *, char *))(p->real, out);                                     \
        }                                                                                          \
        memcpy(out, p->pieces[i].data, p->pieces[i].bytes);                                        \
        return SUCCESS;                                                                            \
    }
PIECE(0, nvrtcGetProgramLogSize, nvrtcGetProgramLog)
PIECE(1, nvrtcGetCUBINSize, nvrtcGetCUBIN)
PIECE(2, nvrtcGetPTXSize, nvrtcGetPTX)

GIVEN int nvrtcGetLoweredName(program *p, const char *name, const char **lowered);
int nvrtcGetLoweredName(program *p, const char *name, const char **lowered)
{
    for (int i = 0; p->kept && i < p->name_count; i++) {
        if (strcmp(p->names[i], name) == 0) {
            *lowered = p->pieces[3 + i].data;
            return SUCCESS;
        }
    }
    return REAL(nvrtcGetLoweredName, (void *, const char *, const char **))(p->real, name, lowered);
}
