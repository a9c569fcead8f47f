/* Finds what of a kernel's file is for the host alone, which a template's compiler does not take.
 */
#include "draft/parts.h"

#include <ctype.h>
#include <string.h>

/* Headers that NVRTC has no use for; a folder, with all that is in it. */
// clang-format off
static const char *const host_headers[] = {
    "ATen/", "algorithm", "array", "atomic", "bitset", "boost/", "c10/", "cctype", "cerrno",
    "chrono", "complex", "condition_variable", "cstdarg", "csignal", "ctime", "cublas_v2.h",
    "cuda.h", "cuda_profiler_api.h", "cuda_runtime.h", "cuda_runtime_api.h", "cudnn.h", "cufft.h",
    "curand.h", "dirent.h", "cusolverDn.h", "cusparse.h", "deque", "device_launch_parameters.h", "errno.h",
    "exception", "filesystem", "fmt/", "fstream", "functional", "future", "fcntl.h", "getopt.h", "gtest/",
    "helper_cuda.h", "helper_functions.h", "helper_image.h", "helper_string.h", "helper_timer.h",
    "iomanip", "ios", "iostream", "iterator", "list", "malloc.h", "map", "memory", "mpi.h",
    "mutex", "nccl.h", "numeric", "nvToolsExt.h", "omp.h", "opencv2/", "optional", "ostream",
    "pthread.h", "pybind11/", "queue", "random", "regex", "set", "signal.h", "spdlog/", "sstream",
    "stack", "stdarg.h", "stdexcept", "string", "string_view", "strings.h", "sys/", "thread", "thrust/device_vector.h",
    "thrust/host_vector.h", "time.h", "torch/", "unistd.h", "unordered_map", "unordered_set",
    "variant", "vector"};
// clang-format on

/* `#include <NAME>` or "NAME" of such a header; with the lexer behind the '#'. */
static bool includes_host(const gt_lexer *line)
{
    gt_lexer at = *line;
    if (!gt_lexer_accept(&at, "include")) {
        return false;
    }
    const char *name = at.token.text + 1;
    size_t length = 0;
    while (name + length < at.end && name[length] != '>' && name[length] != '"') {
        length++;
    }
    for (size_t i = 0; i < sizeof host_headers / sizeof *host_headers; i++) {
        size_t own = strlen(host_headers[i]);
        bool fits = own == length || (own < length && host_headers[i][own - 1] == '/');
        if (fits && memcmp(host_headers[i], name, own) == 0) {
            return true;
        }
    }
    return false;
}

/* What a declaration's tokens say of where it belongs. */
typedef struct evidence {
    bool is_device, is_host;
} evidence;

/* Whether the token is of the CUDA runtime's functions: cudaMalloc, cudaError_t. */
static bool is_runtime(const gt_token *token)
{
    return token->kind == GT_TOKEN_NAME && token->length > 4 &&
           memcmp(token->text, "cuda", 4) == 0 && isupper((unsigned char)token->text[4]);
}

static void note_token(evidence *out, const gt_lexer *lexer)
{
    static const char host[] =
        "std main fprintf stderr malloc getenv rand torch PYBIND11_MODULE TORCH_LIBRARY";
    const gt_token *token = &lexer->token;
    gt_lexer ahead = *lexer;
    gt_lexer_next(&ahead);
    out->is_device |= gt_token_is_any(token, "__global__ __device__ __constant__ __managed__");
    out->is_host |= gt_token_is_any(token, host) || is_runtime(token) ||
                    (gt_token_is(token, "<<") && gt_lexer_is(&ahead, "<"));
}

/* With the lexer on a declaration's first token: reads it to its end, and leaves the lexer behind
 * it. *last: its last line. */
static evidence read_declaration(gt_lexer *lexer, int *last)
{
    evidence out = {false, false};
    int depth = 0;
    bool ended = false;
    while (lexer->token.kind != GT_TOKEN_END && !ended) {
        if (lexer->token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer line;
            gt_lexer_directive(lexer, &line);
            continue;
        }
        note_token(&out, lexer);
        bool closes = gt_lexer_is(lexer, "}") || gt_lexer_is(lexer, ")");
        depth += gt_lexer_is(lexer, "{") || gt_lexer_is(lexer, "(");
        depth -= closes && depth > 0;
        ended = depth == 0 && (gt_lexer_is(lexer, ";") || gt_lexer_is(lexer, "}"));
        *last = lexer->token.line;
        gt_lexer_next(lexer);
    }
    if (gt_lexer_is(lexer, ";") && lexer->token.line == *last) {
        gt_lexer_next(lexer);
    }
    return out;
}

/* Whether a brace opens that declarations stand in: of a namespace or of extern "C". */
static bool skip_scope(gt_lexer *lexer)
{
    gt_lexer ahead = *lexer;
    bool is_scope = gt_lexer_accept(&ahead, "namespace");
    if (!is_scope && gt_lexer_accept(&ahead, "extern")) {
        is_scope = ahead.token.kind == GT_TOKEN_STRING;
        gt_lexer_next(&ahead);
    }
    while (is_scope && (ahead.token.kind == GT_TOKEN_NAME || gt_lexer_is(&ahead, "::"))) {
        gt_lexer_next(&ahead);
    }
    is_scope = is_scope && gt_lexer_accept(&ahead, "{");
    *lexer = is_scope ? ahead : *lexer;
    return is_scope;
}

/* Counts the conditionals inside one that leaves NVRTC out; 0: outside of such. */
static int note_conditional(int depth, gt_lexer line)
{
    bool opens = gt_lexer_is(&line, "if") || gt_lexer_is(&line, "ifdef");
    if (gt_lexer_accept(&line, "ifndef")) {
        return depth > 0 || gt_lexer_is(&line, "__CUDACC_RTC__") ? depth + 1 : 0;
    }
    return depth > 0 ? depth + opens - gt_lexer_is(&line, "endif") : 0;
}

/* A directive's last line, which may be spliced. */
static int last_line(const gt_lexer *line)
{
    int last = line->token.line;
    for (const char *c = line->token.text; c < line->end; c++) {
        last += *c == '\n';
    }
    return last;
}

/* Whether it is a function, or a variable, that no device code reads. */
static bool is_unread(const gt_program *program, const char *begin, const char *end)
{
    static const char *const kept[] = {"typedef", "using", "struct",    "class",    "enum",
                                       "union",   "const", "constexpr", "namespace"};
    const gt_token *tokens = program->tokens.items;
    size_t first = 0, last, name = 0;
    while (first < program->code && tokens[first].text < begin) {
        first++;
    }
    if (gt_program_is(program, first, "template")) { /* what stands behind its parameters */
        int depth = 0;
        do {
            first++;
            depth += first < program->code ? gt_token_angles(&tokens[first]) : 0;
        } while (depth > 0 && first < program->code && tokens[first].text < end);
        first++;
    }
    for (last = first; last < program->code && tokens[last].text < end; last++) {
        bool named =
            tokens[last].kind == GT_TOKEN_NAME && gt_program_is_any(program, last + 1, "( ; [ =");
        name = !name && named ? last : name;
    }
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        bool is_kept = gt_program_is(program, first, kept[i]);
        if (is_kept && !(i == 2 && name == first + 2)) { /* struct timeval begin; */
            return false;
        }
    }
    return name > first && !gt_program_on_device(program, &tokens[name]);
}

void gt_draft_find_host(gt_lines *lines, const gt_program *program, const char *text)
{
    gt_lexer lexer, line;
    int begin = 0; /* of the last host lines, behind which nothing that is kept stands; 0: none */
    int busy = 0;  /* the last line that something else stands on */
    int left_out = 0; /* conditionals that leave NVRTC out already */
    gt_lexer_open(&lexer, text, strlen(text), (gt_place){"", 1, 1});
    while (lexer.token.kind != GT_TOKEN_END) {
        int first = lexer.token.line, last = first;
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
            last = last_line(&line);
            left_out = note_conditional(left_out, line);
            bool host = includes_host(&line) && left_out == 0;
            begin = !host ? 0 : begin ? begin : first;
            gt_lines_note_host(lines, begin ? begin : 1, begin ? last : 0);
            busy = last;
            continue;
        }
        if (skip_scope(&lexer) || gt_lexer_accept(&lexer, "}")) {
            begin = 0;
            busy = first;
            continue;
        }
        const char *from = lexer.token.text;
        evidence found = read_declaration(&lexer, &last);
        found.is_host |= !found.is_device && is_unread(program, from, lexer.token.text);
        bool alone = first > busy && (lexer.token.kind == GT_TOKEN_END || lexer.token.line > last);
        bool host = found.is_host && !found.is_device && alone && left_out == 0;
        begin = !host ? 0 : begin ? begin : first;
        gt_lines_note_host(lines, begin ? begin : 1, begin ? last : 0);
        busy = last;
    }
}
