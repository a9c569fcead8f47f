/* Loads NVRTC, compiles sources with it, and parses its logs. */
#include "gpu/nvrtc.h"

#include "base/clock.h"
#include "base/condition.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "gpu/image.h"
#include "gpu/toolkit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Declarations from nvrtc.h. */
typedef struct program_st *program;
enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY = 1, NVRTC_ERROR_INVALID_OPTION = 5 };

#define NVRTC_LIST(X)                                                                              \
    X(version, nvrtcVersion, (int *major, int *minor))                                             \
    X(create, nvrtcCreateProgram,                                                                  \
      (program * out, const char *text, const char *name, int header_count,                        \
       const char *const *headers, const char *const *header_names))                               \
    X(add_name, nvrtcAddNameExpression, (program program, const char *name))                       \
    X(lowered, nvrtcGetLoweredName, (program program, const char *name, const char **lowered))     \
    X(destroy, nvrtcDestroyProgram, (program * program))                                           \
    X(compile, nvrtcCompileProgram, (program program, int count, const char *const *options))      \
    X(ptx_size, nvrtcGetPTXSize, (program program, size_t * bytes))                                \
    X(ptx, nvrtcGetPTX, (program program, char *out))                                              \
    X(cubin_size, nvrtcGetCUBINSize, (program program, size_t * bytes))                            \
    X(cubin, nvrtcGetCUBIN, (program program, char *out))                                          \
    X(log_size, nvrtcGetProgramLogSize, (program program, size_t * bytes))                         \
    X(log, nvrtcGetProgramLog, (program program, char *out))                                       \
    X(supported_count, nvrtcGetNumSupportedArchs, (int *count))                                    \
    X(supported, nvrtcGetSupportedArchs, (int *arches))

struct gt_nvrtc {
#define MEMBER(member, symbol, parameters)                                                         \
    int(*member) parameters; /* NOLINT(bugprone-macro-parentheses) */
    NVRTC_LIST(MEMBER)
#undef MEMBER
    const char *(*error_string)(int result);
    int number;       /* 13000 */
    bool keeps_heads; /* true if NVRTC supports precompiled headers (12.8 and newer) */
    char path[1024];
};

/* NVRTC searches for #include "name" in the folder of the source, so this folder must not exist.
 * Messages contain the names from #line directives instead of this name. */
static const char program_name[] = "/dev/null/gputune.cu";

enum { OPTIONS_MAX = 96 };

/* Options of every compilation. */
static const char *const standard[] = {
    "-default-device",
    "--ptxas-options=-v",
    "--no-cache", /* the cache of NVRTC loads libcuda and hides the output of ptxas */
    "--frandom-seed=gputune",
    "--device-int128",
    /* macros that nvcc takes from its host compiler */
    "-D__linux__=1",
    "-D__linux=1",
    "-D__unix__=1",
    "-D__unix=1",
#if defined(__x86_64__)
    "-D__x86_64__=1",
    "-D__amd64__=1",
#elif defined(__aarch64__)
    "-D__aarch64__=1",
#endif
    "-D__ORDER_LITTLE_ENDIAN__=1234",
    "-D__ORDER_BIG_ENDIAN__=4321",
    "-D__BYTE_ORDER__=1234",
    "-D__LITTLE_ENDIAN=1234",
    "-D__BIG_ENDIAN=4321",
    "-D__BYTE_ORDER=1234",
    "-D__WORDSIZE=64",
    "-D__SIZEOF_POINTER__=8",
    "-D__SIZEOF_SIZE_T__=8",
    "-D__SIZEOF_LONG__=8",
    "-D__SIZEOF_INT__=4",
    "-D__LONG_MAX__=9223372036854775807L",
    "-D__CHAR_BIT__=8",
    "-D__INT_MAX__=2147483647",
    "-DRAND_MAX=2147483647",
    "-DCUDA_VERSION=(__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)",
    "-D__SIZEOF_INT128__=16",
    "-D__asm__=asm",
    "-D__asm=asm",
    "-D__volatile__=volatile",
    "-D__signed__=signed",
    "-D__extension__=",
    "-Doffsetof(type, member)=((size_t)&((type *)0)->member)",
    "-D__builtin_offsetof(type, member)=((size_t)&((type *)0)->member)",
    "-D__builtin_popcount=__popc",
    "-D__builtin_popcountll=__popcll",
    "-D__builtin_clz=__clz",
    "-D__builtin_clzll=__clzll",
    "-D__builtin_ffs=__ffs",
    "-D__builtin_ffsll=__ffsll",
    "-D__builtin_memcpy=memcpy",
    "-D__builtin_memset=memset",
};
enum { STANDARD = sizeof standard / sizeof *standard };

/* Options that older supported versions of NVRTC do not have. */
static const struct newer {
    const char *text;
    int since;
} newer[] = {
    {"--no-cache", 12090},
    {"--split-compile", 12050},
    {"--Ofast-compile", 12080},
};

/* ---- opening ---- */

static gputune_status find_symbols(gt_nvrtc *nvrtc, void *handle)
{
    static const struct {
        const char *name;
        size_t offset;
    } symbols[] = {
#define SYMBOL(member, symbol, parameters) {#symbol, offsetof(gt_nvrtc, member)},
        NVRTC_LIST(SYMBOL)
#undef SYMBOL
            {"nvrtcGetErrorString", offsetof(gt_nvrtc, error_string)},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(handle, symbols[i].name);
        GT_REFUSE(!address, GPUTUNE_ENOCOMPILER, "%s lacks %s", nvrtc->path, symbols[i].name);
        memcpy((char *)nvrtc + symbols[i].offset, &address, sizeof address);
    }
    nvrtc->keeps_heads = dlsym(handle, "nvrtcGetPCHCreateStatus") != NULL;
    return GPUTUNE_OK;
}

/* Loads the builtins library that is next to NVRTC, if there is one. NVRTC opens this library by
 * its name only, so in a Python wheel NVRTC finds the library only if it is already loaded. */
static void load_builtins(const gt_nvrtc *nvrtc)
{
    GT_FREED char *real = realpath(nvrtc->path, NULL);
    GT_FREED char *path = NULL;
    const char *slash = real ? strrchr(real, '/') : NULL;
    if (slash && gt_format(&path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - real), real,
                           nvrtc->number / 1000, nvrtc->number % 1000 / 10) == GPUTUNE_OK) {
        (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
}

static gputune_status load_nvrtc(gt_nvrtc **out, const char *path)
{
    Dl_info info;
    void *address, *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    GT_REFUSE(!handle, GPUTUNE_ENOCOMPILER, "%s", dlerror());
    GT_FREED gt_nvrtc *nvrtc = calloc(1, sizeof *nvrtc);
    GT_TRY(gt_allocated(nvrtc));
    snprintf(nvrtc->path, sizeof nvrtc->path, "%s", path);
    GT_TRY(find_symbols(nvrtc, handle));
    int major = 0, minor = 0;
    GT_REFUSE(nvrtc->version(&major, &minor) != NVRTC_SUCCESS, GPUTUNE_ENOCOMPILER,
              "cannot get the version of %s", path);
    nvrtc->number = major * 1000 + minor * 10;
    /* use the path of the loaded file instead of a name such as "libnvrtc.so.13" */
    memcpy(&address, &nvrtc->version, sizeof address);
    if (dladdr(address, &info) && info.dli_fname) {
        snprintf(nvrtc->path, sizeof nvrtc->path, "%s", info.dli_fname);
    }
    load_builtins(nvrtc);
    *out = gt_take(&nvrtc);
    return GPUTUNE_OK;
}

static struct {
    pthread_mutex_t lock;
    GT_ARRAY(gt_nvrtc *) loaded;
} opened = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_usable(const gt_nvrtc *nvrtc, int driver_version)
{
    return !driver_version || nvrtc->number / 1000 <= driver_version / 1000;
}

/* Opens the first usable candidate. Appends to `tried` which candidates are too new for the driver,
 * and why the first existing file could not be loaded. */
static gputune_status open_candidates(const gt_nvrtc **out, const gt_nvrtc_candidates *candidates,
                                      int driver_version, gt_text *tried)
{
    bool reported = false;
    for (size_t i = 0; i < candidates->paths.count; i++) {
        gt_nvrtc *nvrtc = NULL;
        if (load_nvrtc(&nvrtc, candidates->paths.items[i]) < 0 || !nvrtc) {
            if (!reported && strchr(candidates->paths.items[i], '/')) { /* the file exists */
                reported = true;
                gt_text_printf(tried, "; %s", gt_message());
            }
            continue;
        }
        if (gt_array_push(&opened.loaded, nvrtc) < 0) {
            free(nvrtc);
            return GPUTUNE_ENOMEM;
        }
        if (is_usable(nvrtc, driver_version)) {
            *out = nvrtc;
            return GPUTUNE_OK;
        }
        gt_text_printf(tried, "; %s is version %d.%d, too new for the driver's %d.%d", nvrtc->path,
                       nvrtc->number / 1000, nvrtc->number % 1000 / 10, driver_version / 1000,
                       driver_version % 1000 / 10);
    }
    return gt_fail(
        GPUTUNE_ENOCOMPILER,
        "NVRTC (libnvrtc.so.13 or .12) was not found; searched %s%s; install the CUDA toolkit or "
        "the nvidia-cuda-nvrtc wheel, or set GPUTUNE_NVRTC",
        gt_text_string(&candidates->searched), gt_text_string(tried));
}

gputune_status gt_nvrtc_open(const gt_nvrtc **out, int driver_version)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&opened.lock);
    for (size_t i = 0; i < opened.loaded.count; i++) {
        if (is_usable(opened.loaded.items[i], driver_version)) {
            *out = opened.loaded.items[i];
            return GPUTUNE_OK;
        }
    }
    GT_SCOPED(gt_nvrtc_candidates_free) gt_nvrtc_candidates candidates = {0};
    GT_TRY(gt_nvrtc_find(&candidates));
    GT_SCOPED(gt_text_free) gt_text tried = {0};
    return open_candidates(out, &candidates, driver_version, &tried);
}

int gt_nvrtc_version(const gt_nvrtc *nvrtc)
{
    return nvrtc->number;
}

bool gt_nvrtc_keeps_heads(const gt_nvrtc *nvrtc)
{
    return nvrtc->keeps_heads;
}

/* ---- compiling ---- */

static gputune_status check_result(const gt_nvrtc *nvrtc, int result, const char *call)
{
    return result == NVRTC_SUCCESS ? GPUTUNE_OK
                                   : gt_fail(GPUTUNE_ENOCOMPILER, "%s: %s (%d)", call,
                                             nvrtc->error_string(result), result);
}

typedef struct options {
    const char *items[OPTIONS_MAX];
    int count;
    char arch[64];
    char *head; /* owned */
} options;

static bool states_standard(const gt_nvrtc_request *request)
{
    bool states = false;
    for (size_t i = 0; i < request->option_count; i++) {
        const char *option = request->options[i];
        states |= strncmp(option + strspn(option, "-"), "std=", strlen("std=")) == 0;
    }
    return states;
}

static gputune_status make_options(options *out, const gt_nvrtc *nvrtc,
                                   const gt_nvrtc_request *request, const gt_nvrtc_head *head)
{
    enum { OWN = 4 }; /* number of options for architecture, language standard and head */
    GT_REFUSE(request->option_count > OPTIONS_MAX - STANDARD - OWN, GPUTUNE_EINVAL,
              "%zu compiler options; expected at most %d", request->option_count,
              OPTIONS_MAX - STANDARD - OWN);
    snprintf(out->arch, sizeof out->arch, "--gpu-architecture=%s", request->arch);
    out->items[0] = out->arch;
    out->count = 1;
    if (!states_standard(request)) {
        out->items[out->count++] = "--std=c++17";
    }
    for (size_t i = 0; i < STANDARD + request->option_count; i++) {
        const char *option = i < STANDARD ? standard[i] : request->options[i - STANDARD];
        bool is_too_new = false;
        for (size_t k = 0; k < sizeof newer / sizeof *newer; k++) {
            is_too_new |= nvrtc->number < newer[k].since &&
                          strncmp(option, newer[k].text, strlen(newer[k].text)) == 0;
        }
        if (!is_too_new) {
            out->items[out->count++] = option;
        }
    }
    out->head = NULL;
    if (head) {
        GT_TRY(gt_format(&out->head, "%s=%s", head->keep ? "--create-pch" : "--use-pch",
                         head->keep ? head->keep : head->use));
        out->items[out->count++] = out->head;
        out->items[out->count++] = "--pch-messages=false";
    }
    return GPUTUNE_OK;
}

typedef int (*get_size)(program, size_t *);
typedef int (*get_bytes)(program, char *);

static gputune_status fetch_bytes(gt_image *out, const gt_nvrtc *nvrtc, program program,
                                  get_size size, get_bytes bytes, const char *call)
{
    size_t count = 0;
    GT_TRY(check_result(nvrtc, size(program, &count), call));
    GT_FREED char *data = calloc(1, count + 1);
    GT_TRY(gt_allocated(data));
    GT_TRY(check_result(nvrtc, bytes(program, data), call));
    *out = (gt_image){gt_take(&data), count};
    return GPUTUNE_OK;
}

static gputune_status fetch_image(gt_compiled *out, const gt_nvrtc *nvrtc, program program,
                                  const gt_nvrtc_request *request)
{
    size_t cubin_bytes = 0;
    GT_TRY(check_result(nvrtc, nvrtc->cubin_size(program, &cubin_bytes), "nvrtcGetCUBINSize"));
    GT_REFUSE(cubin_bytes == 0, GPUTUNE_EINVAL,
              "found %s, which has no machine code; expected an architecture such as sm_90",
              request->arch);
    return request->ptx ? fetch_bytes(&out->image, nvrtc, program, nvrtc->ptx_size, nvrtc->ptx,
                                      "nvrtcGetPTX")
                        : fetch_bytes(&out->image, nvrtc, program, nvrtc->cubin_size, nvrtc->cubin,
                                      "nvrtcGetCUBIN");
}

static gputune_status compile_error(const gt_nvrtc *nvrtc, int result, const char *log,
                                    const gt_nvrtc_request *request, const gt_texts *missing)
{
    GT_FREED char *line = NULL;
    GT_SCOPED(gt_text_free) gt_text hint = {0};
    GT_REFUSE(result == NVRTC_ERROR_OUT_OF_MEMORY, GPUTUNE_ENOMEM,
              "the compiler ran out of host memory");
    GT_TRY(gt_compile_error_line(&line, log));
    bool option = result == NVRTC_ERROR_INVALID_OPTION;
    gt_header_hint_append(&hint, line, missing, request->options, request->option_count);
    return *line ? gt_fail(GPUTUNE_ECOMPILE, "%s%s%s", option ? "compiler options: " : "", line,
                           gt_text_string(&hint))
                 : gt_fail(GPUTUNE_ECOMPILE, "the compiler failed and gave no message: %s (%d)",
                           nvrtc->error_string(result), result);
}

/* Returns the expression in "ENTRY = expression" or "ENTRY<…>", and the length of ENTRY. */
static const char *expression_of(size_t *entry_bytes, const char *instance)
{
    const char *assigned = strstr(instance, " = ");
    *entry_bytes = strcspn(instance, "< ");
    return assigned && instance[*entry_bytes] == ' ' ? assigned + strlen(" = ") : instance;
}

static gputune_status note_instances(gt_compiled *out, const gt_nvrtc *nvrtc, program program,
                                     const gt_nvrtc_request *request)
{
    for (size_t i = 0; i < request->instance_count; i++) {
        size_t entry_bytes;
        const char *lowered = NULL,
                   *expression = expression_of(&entry_bytes, request->instances[i]);
        GT_FREED char *name = NULL;
        GT_TRY(check_result(nvrtc, nvrtc->lowered(program, expression, &lowered),
                            "nvrtcGetLoweredName"));
        GT_TRY(gt_strndup(&name, request->instances[i], entry_bytes));
        GT_TRY(gt_image_note_entry(&out->image, name, lowered));
    }
    return GPUTUNE_OK;
}

/* ---- missing headers ---- */

/* A missing header, or one that NVRTC cannot compile, is replaced by a header that only defines the
 * integer types, because most of them are for host code. Only a compilation shows which headers
 * these are, so their names are kept for other sources with the same head. */
enum { MISSING_MAX = 64 };

typedef struct missing {
    gt_texts names;
    bool adds_std; /* true if the source uses names of std that nvcc declares without an #include */
    char *failed;  /* message of the first header that does not compile, or NULL */
} missing;

static struct {
    pthread_mutex_t lock;
    gt_hash head;
    missing found;
} known_missing = {.lock = PTHREAD_MUTEX_INITIALIZER};

static gt_hash head_of(const gt_nvrtc_request *request)
{
    return gt_hash_bytes(request->text, request->head_bytes);
}

/* Adds the headers that are known to be missing, unless they are now in a folder given by -I. */
static gputune_status recall_missing(missing *out, const gt_nvrtc_request *request)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&known_missing.lock);
    const missing *known = &known_missing.found;
    const bool same = gt_hash_equal(known_missing.head, head_of(request));
    out->adds_std = same && known->adds_std;
    for (size_t i = 0; i < known->names.count && same; i++) {
        const char *name = known->names.items[i];
        bool found = false;
        for (size_t k = 0; k < request->option_count; k++) {
            GT_FREED char *path = NULL;
            if (strncmp(request->options[k], "-I", 2) == 0) {
                GT_TRY(gt_format(&path, "%s/%s", request->options[k] + 2, name));
                found |= gt_file_exists(path);
            }
        }
        if (!found) {
            GT_TRY(gt_texts_add(&out->names, name, strlen(name)));
        }
    }
    return GPUTUNE_OK;
}

/* Remembers for other sources which headers are missing. Takes ownership of `found`. */
static void keep_missing(const gt_nvrtc_request *request, missing *found)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&known_missing.lock);
    if (request->head_bytes > 0) {
        gt_texts_free(&known_missing.found.names);
        known_missing.found = gt_take(found);
        known_missing.head = head_of(request);
    }
}

/* If the first error of a log is in a header of an include folder, and the source includes it under
 * this name, returns the name, otherwise NULL. The caller frees it. */
static char *name_of_failing(const char *log, const gt_nvrtc_request *request)
{
    GT_FREED char *line = NULL;
    const bool has_line = gt_compile_error_line(&line, log) == GPUTUNE_OK;
    for (size_t i = 0; i < request->option_count && has_line; i++) {
        const char *option = request->options[i], *folder = option + strlen("-I");
        if (strncmp(option, "-I", 2) != 0 || strncmp(line, folder, strlen(folder)) != 0 ||
            line[strlen(folder)] != '/') {
            continue;
        }
        const char *own = line + strlen(folder) + 1, *text = request->text;
        GT_FREED char *name = strndup(own, strcspn(own, "("));
        for (const char *at = text; name && *at && (at = strstr(at + 1, name));) {
            const char end = at[strlen(name)];
            if (at[-1] == '<' ? end == '>' : at[-1] == '"' && end == '"') {
                return gt_take(&name);
            }
        }
    }
    return NULL;
}

/* Adds the header that is missing or does not compile, or the headers of std. Returns false if
 * nothing is added. Keeps the message of the first header that does not compile. */
static bool learn_missing(missing *found, const char *log, const gt_nvrtc_request *request)
{
    /* text after "cannot" or "could not" in the log */
    static const char words[] = "open source file \"";
    const char *at = strstr(log, words);
    if (!found->adds_std && !at && strstr(log, "namespace \"std\" has no member")) {
        return found->adds_std = true;
    }
    GT_FREED char *name = at ? strndup(at + sizeof words - 1, strcspn(at + sizeof words - 1, "\""))
                             : name_of_failing(log, request);
    const char *const *known = (const char *const *)found->names.items;
    if (!name || found->names.count == MISSING_MAX ||
        gt_index_of(name, known, found->names.count) < found->names.count) {
        return false;
    }
    if (!at && !found->failed) {
        found->failed = strdup(gt_message());
    }
    return gt_texts_add(&found->names, name, strlen(name)) == GPUTUNE_OK;
}

/* Creates a program. If `splits_head` is true, the source includes the head as a header. */
static gputune_status create_program(program *out, const gt_nvrtc *nvrtc,
                                     const gt_nvrtc_request *request, const missing *found,
                                     bool splits_head)
{
    enum { MOST = GT_DEVICE_HEADERS_MAX + MISSING_MAX + 1 };
    static const char std_headers[] =
        "#include <limits>\n#include <type_traits>\n#include <utility>\n#line 1\n";
    const char *all_names[MOST], *all_texts[MOST];
    GT_SCOPED(gt_text_free) gt_text source = {0};
    GT_FREED char *head = NULL;
    size_t count = gt_device_headers_list(all_names, all_texts);
    for (size_t i = 0; i < found->names.count; i++) {
        all_names[count] = found->names.items[i];
        all_texts[count++] = "#include <stdint.h>\n"; /* most missing headers would include it */
    }
    if (splits_head) {
        gt_text_append(&source, "#include \"gputune_head.cuh\"\n#pragma nv_hdrstop\n");
        GT_TRY(gt_strndup(&head, request->text, request->head_bytes));
        all_names[count] = "gputune_head.cuh";
        all_texts[count++] = head;
    }
    gt_text_append(&source, found->adds_std ? std_headers : "");
    gt_text_append(&source, request->text + (splits_head ? request->head_bytes : 0));
    GT_TRY(source.failed ? gt_fail_memory() : GPUTUNE_OK);
    return check_result(
        nvrtc,
        nvrtc->create(out, gt_text_string(&source), program_name, (int)count, all_texts, all_names),
        "nvrtcCreateProgram");
}

/* Compiles a program. Sets *again if a header is missing, and compiling in another way may succeed.
 */
static gputune_status compile_program(gt_compiled *out, const gt_nvrtc *nvrtc, program program,
                                      const gt_nvrtc_request *request, const gt_nvrtc_head *head,
                                      missing *found, bool *again)
{
    options options;
    for (size_t i = 0; i < request->instance_count; i++) {
        size_t entry_bytes;
        const char *expression = expression_of(&entry_bytes, request->instances[i]);
        GT_TRY(check_result(nvrtc, nvrtc->add_name(program, expression), "nvrtcAddNameExpression"));
    }
    GT_TRY(make_options(&options, nvrtc, request, head));
    int result = nvrtc->compile(program, options.count, options.items);
    free(options.head);
    gt_image log = {0};
    GT_TRY(fetch_bytes(&log, nvrtc, program, nvrtc->log_size, nvrtc->log, "nvrtcGetProgramLog"));
    out->log = log.data;
    gt_ptxas_parse(&out->resources, out->log);
    if (result != NVRTC_SUCCESS) {
        const gputune_status status =
            compile_error(nvrtc, result, out->log, request, &found->names);
        *again = learn_missing(found, out->log, request);
        return status;
    }
    GT_TRY(fetch_image(out, nvrtc, program, request));
    return note_instances(out, nvrtc, program, request);
}

gputune_status gt_nvrtc_compile(gt_compiled *out, const gt_nvrtc *nvrtc,
                                const gt_nvrtc_request *request, const gt_nvrtc_head *head)
{
    gt_compiled compiled = {0};
    missing found = {0};
    gputune_status status = recall_missing(&found, request);
    bool again = status == GPUTUNE_OK;
    int64_t start = gt_now_ns();
    while (again) {
        program program = NULL;
        again = false;
        gt_compiled_free(&compiled);
        status = create_program(&program, nvrtc, request, &found, head != NULL);
        GT_THEN(status, compile_program(&compiled, nvrtc, program, request, head, &found, &again));
        if (program) {
            nvrtc->destroy(&program);
        }
    }
    GT_FREED char *failed = found.failed;
    found.failed = NULL;
    if (failed && status == GPUTUNE_ECOMPILE) {
        status = gt_fail(status, "%s", failed);
    } else {
        keep_missing(request, &found);
    }
    gt_texts_free(&found.names);
    if (status < 0 && status != GPUTUNE_ECOMPILE) {
        gt_compiled_free(&compiled);
    }
    compiled.compile_ns = (double)(gt_now_ns() - start);
    compiled.nvrtc_version = nvrtc->number;
    *out = compiled;
    return status;
}

void gt_compiled_free(gt_compiled *compiled)
{
    free(compiled->image.data);
    free(compiled->log);
    *compiled = (gt_compiled){0};
}

/* ---- logs ---- */

enum { STATIC_SHARED_LIMIT = 48 * 1024 };

static const char *line_end(const char *line)
{
    return line + strcspn(line, "\n");
}

static const char *find_in(const char *from, const char *to, const char *needle)
{
    return memmem(from, (size_t)(to - from), needle, strlen(needle));
}

static uint32_t number_before(const char *line, const char *end, const char *unit)
{
    const char *at = find_in(line, end, unit);
    const char *digits = at;
    while (digits && digits > line && digits[-1] >= '0' && digits[-1] <= '9') {
        digits--;
    }
    return at && digits != at ? (uint32_t)strtoul(digits, NULL, 10) : 0;
}

void gt_ptxas_parse(gt_resources *out, const char *log)
{
    gt_resources best = {0}, entry = {0};
    for (const char *line = log; *line; line = *line_end(line) ? line_end(line) + 1 : "") {
        const char *end = line_end(line);
        if (find_in(line, end, "Compiling entry function")) {
            entry = (gt_resources){0};
        }
        entry.spill_bytes += number_before(line, end, " bytes spill stores") +
                             number_before(line, end, " bytes spill loads");
        const uint32_t stack = number_before(line, end, " bytes stack frame");
        entry.local_bytes = stack ? stack : entry.local_bytes;
        if (find_in(line, end, "Used ")) {
            entry.registers = number_before(line, end, " registers");
            entry.static_shared_bytes = number_before(line, end, " bytes smem");
        }
        if (entry.registers > best.registers) {
            best = entry;
        }
    }
    *out = best;
}

gputune_status gt_compile_error_line(char **out, const char *log)
{
    static const char *const marks[] = {"error:", "fatal   :", "error   :", "catastrophic error"};
    const char *error = NULL, *last = log;
    for (const char *line = log; *line && !error;
         line = *line_end(line) ? line_end(line) + 1 : "") {
        last = line_end(line) > line ? line : last;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            error = find_in(line, line_end(line), marks[i]) ? line : error;
        }
    }
    gt_resources resources;
    gt_ptxas_parse(&resources, log);
    if (!error && resources.static_shared_bytes > STATIC_SHARED_LIMIT) {
        return gt_format(
            out,
            "%u bytes of static shared memory; a kernel may have at most %d; use shared() for more",
            resources.static_shared_bytes, STATIC_SHARED_LIMIT);
    }
    last = error ? error : last;
    const size_t length = (size_t)(line_end(last) - last);
    return gt_strndup(out, last, length - (length > 0 && last[length - 1] == ':'));
}
