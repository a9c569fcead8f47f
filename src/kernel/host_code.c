/* Cuts the host's part out of a program, which the GPU's compiler would stumble over. */
#include "kernel/host_code.h"

#include "kernel/branches.h"
#include "kernel/types.h"

#include "base/array.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

/* ---- headers ---- */

bool gt_header_is_hosts(const char *name)
{
    /* of a name that ends with a slash or an underline there are those that begin so */
    static const char beginnings[] = "ATen/ bits/ boost/ c10/ EGL/ GL/ GLES2/ GLES3/ X11/ fmt/ "
                                     "gtest/ helper_ opencv2/ pybind11/ spdlog/ sys/ torch/";
    static const char others[] =
        "ctype.h cudnn.h cutil.h cutil_inline.h dirent.h err.h errno.h execinfo.h libgen.h sched.h "
        "semaphore.h error.h "
        "fcntl.h getopt.h inttypes.h complex.h malloc.h memory.h mpi.h nccl.h omp.h pthread.h "
        "signal.h stdarg.h strings.h time.h unistd.h windows.h";
    const size_t length = strlen(name), part = strcspn(name, "/_");
    return !strpbrk(name, "./") || /* of C++'s library */
           (length > 2 && strcmp(name + length - 2, ".c") == 0) ||
           gt_is_any(name, length, others) ||
           (part < length && gt_is_any(name, part + 1, beginnings));
}

bool gt_header_is_known(const char *name)
{
    static const char known[] =
        "cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h cuda_profiler_api.h "
        "cuda_gl_interop.h cuda_egl_interop.h cublas.h cublasLt.h cublas_v2.h cufft.h curand.h "
        "cusparse.h cusolverDn.h nvToolsExt.h nvml.h";
    return gt_is_any(name, strlen(name), known);
}

/* Whether this is a header of C's library that device code may include. */
static bool is_of_c(const char *name)
{
    return gt_is_any(name, strlen(name),
                     "assert.h float.h limits.h math.h stdbool.h stddef.h stdint.h stdio.h "
                     "stdlib.h string.h");
}

bool gt_header_is_toolkits(const char *name)
{
    static const char *const parts[] = {"cooperative_groups", "_functions", "_types", "_intrinsics",
                                        "_constants",         "mma.h",      "/"};
    bool is = strncmp(name, "cu", 2) == 0 || strncmp(name, "nv", 2) == 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !is; i++) {
        is = strstr(name, parts[i]) != NULL;
    }
    return is || gt_header_is_hosts(name) || gt_header_is_known(name) || is_of_c(name);
}

/* ---- code ---- */

/* A function that belongs to neither by itself, a class with members of the host, a variable of a
 * type that may be the host's, or a kernel: it is left out unless a clause, or what stays, reads
 * its name. A declaration of several variables has a candidate for each. */
typedef struct candidate {
    gt_token name;
    size_t begin, end;
    bool is_read;
} candidate;

typedef GT_ARRAY(gt_token) token_list;

typedef struct program {
    const char *text;
    char *left;              /* of the text */
    token_list host, device; /* names of the program: macros, functions, types */
    GT_ARRAY(candidate) candidates;
    bool uses_std;      /* using namespace std */
    bool knows_clauses; /* which name the kernels that are needed */
    int depth;          /* of namespaces and classes */
    unsigned cuts;      /* how often something was blanked */
    bool failed;
} program;

enum { DEEPEST = 64 }; /* what is nested deeper is taken as a whole */

static const char classes[] = "struct class union";

/* One declaration outside of functions, or a member of a class. */
typedef struct piece {
    gt_token name, last, template; /* template: a name in front of its arguments */
    bool in_class;
    bool has_name, is_function, is_class, has_colon;
    bool host, device, is_kernel, was_cut; /* was_cut: members of the host were */
    bool torn;                             /* by directives: it stays */
    int conditionals;
} piece;

static bool begins(const gt_token *token, const char *prefix)
{
    size_t length = strlen(prefix);
    return token->length > length && memcmp(token->text, prefix, length) == 0 &&
           isupper((unsigned char)token->text[length]);
}

static bool is_of_standard_library(const gt_token *token)
{
    static const char words[] =
        "vector string cout cerr endl chrono map set unordered_map unordered_set ifstream ofstream "
        "fstream stringstream ostringstream istringstream ostream istream mt19937 mt19937_64 "
        "random_device shared_ptr unique_ptr make_unique make_shared thread mutex function "
        "runtime_error exception to_string sort generate list deque queue setw setprecision exit "
        "iota accumulate stoi stof getline uniform_int_distribution default_random_engine "
        "uniform_real_distribution normal_distribution";
    return gt_token_is_any(token, words);
}

static bool is_of_host(const gt_token *token)
{
    static const char words[] =
        "cout cerr endl ifstream ofstream stringstream FILE stderr stdout stdin fopen memalign "
        "posix_memalign fprintf fscanf scanf exit getenv argv srand gettimeofday clock_gettime "
        "timespec timeval ssize_t off_t RAND_MAX drand48 atoi atof getopt omp_get_wtime torch main "
        "PYBIND11_MODULE TORCH_LIBRARY __host__ gputune gputune_cxx gputune_plan gputune_open "
        "gputune_launch tune_kernel";
    static const char of_device[] = "cudaTextureObject_t cudaSurfaceObject_t";
    static const char *const libraries[] = {"cublas",   "cufft",           "cusparse",
                                            "cusolver", "curandGenerator", "curandCreate"};
    bool library = false;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        library |= begins(token, libraries[i]);
    }
    bool random = gt_token_is(token, "rand") && strncmp(token->text + token->length, "()", 2) == 0;
    bool thrust = gt_token_is(token, "thrust") &&
                  strncmp(token->text + token->length, "::complex", strlen("::complex")) != 0;
    return library || random || thrust || gt_token_is_any(token, words) ||
           (begins(token, "cuda") && !gt_token_is_any(token, of_device));
}

static bool is_among(const gt_token *token, const token_list *names)
{
    for (size_t i = 0; i < names->count; i++) {
        if (gt_token_equals(&names->items[i], token)) {
            return true;
        }
    }
    return false;
}

static void add_name(program *p, token_list *names, const gt_token *name)
{
    p->failed |= !is_among(name, names) && gt_array_push(names, *name) != GPUTUNE_OK;
}

/* Whether a token, behind `last`, is something of the host. */
static bool is_host(const program *p, const gt_lexer *lexer, const gt_token *last)
{
    const gt_token *token = &lexer->token;
    if (token->kind != GT_TOKEN_NAME) { /* "=a": a constraint of x86's assembler, not of PTX */
        return gt_token_is_any(token, "\"=a\" \"=A\"") ||
               (gt_token_is(token, "<<") && token->text[2 + strspn(token->text + 2, " ")] == '<');
    }
    if (gt_token_is(last, "::")) {
        const char *scope = last->text - 3;
        return scope >= p->text && memcmp(scope, "std", 3) == 0 && is_of_standard_library(token);
    }
    bool member = gt_token_is(last, ".") || gt_token_is(last, "->");
    bool is_complex =
        gt_token_is(token, "complex") && gt_token_is_any(last, "float double"); /* C's */
    return !member && (is_complex || is_of_host(token) ||
                       (p->uses_std && is_of_standard_library(token)) || is_among(token, &p->host));
}

static bool is_device(const program *p, const gt_token *token)
{
    static const char words[] = "__device__ __global__ __constant__ __managed__";
    return gt_token_is_any(token, words) || is_among(token, &p->device);
}

/* A macro is the host's, or the GPU's, as what it stands for. */
static void read_define(program *p, gt_lexer *line)
{
    gt_lexer_next(line);
    const gt_token name = line->token;
    gt_token last = name;
    bool host = false, device = false;
    if (name.kind != GT_TOKEN_NAME) {
        return;
    }
    for (gt_lexer_next(line); line->token.kind != GT_TOKEN_END; gt_lexer_next(line)) {
        host |= is_host(p, line, &last);
        device |= is_device(p, &line->token);
        last = line->token;
    }
    if (device || host) {
        add_name(p, device ? &p->device : &p->host, &name);
    }
}

/* Returns by how much the conditions that are open grow. */
static int read_directive(program *p, gt_lexer *lexer)
{
    gt_lexer line;
    gt_lexer_directive(lexer, &line);
    if (gt_lexer_is(&line, "define")) {
        read_define(p, &line);
    }
    bool opens = gt_token_is_any(&line.token, "if ifdef ifndef");
    return opens - gt_lexer_is(&line, "endif");
}

static void next(program *p, gt_lexer *lexer, piece *now)
{
    p->uses_std |= gt_token_is(&now->last, "namespace") && gt_lexer_is(lexer, "std");
    now->host |= is_host(p, lexer, &now->last);
    now->last = lexer->token;
    gt_lexer_next(lexer);
}

/* With the lexer on an opening bracket: moves behind the one that closes it. */
static void skip_brackets(program *p, gt_lexer *lexer, piece *now)
{
    int depth = 0;
    do {
        if (lexer->token.kind == GT_TOKEN_DIRECTIVE) {
            now->conditionals += read_directive(p, lexer);
            now->torn |= now->conditionals < 0;
            continue;
        }
        depth += gt_lexer_is(lexer, "{") || gt_lexer_is(lexer, "(");
        depth -= gt_lexer_is(lexer, "}") || gt_lexer_is(lexer, ")");
        next(p, lexer, now);
    } while (depth > 0 && lexer->token.kind != GT_TOKEN_END);
    now->torn |= depth > 0;
}

static bool scan_scope(program *p, gt_lexer *lexer, bool in_class);

/* The name that is declared stands in front of its parameters, base class, members or value. A
 * class without a name has none there. */
static void note_name(const gt_lexer *lexer, piece *now)
{
    static const char ends[] = "( = [ : {";
    bool is_attribute = now->last.length > 4 && strncmp(now->last.text, "__", 2) == 0 &&
                        strncmp(now->last.text + now->last.length - 2, "__", 2) == 0;
    bool is_name = now->last.kind == GT_TOKEN_NAME && !is_attribute &&
                   !gt_token_is_any(&now->last, classes) && !gt_token_is(&now->last, "alignas");
    bool is_instance = gt_token_is_any(&now->last, "> >>") && gt_lexer_is(lexer, "(") &&
                       now->template.kind == GT_TOKEN_NAME;
    bool is_operator = gt_token_is(&now->last, "operator");
    now->template = is_name && gt_lexer_is(lexer, "<") ? now->last : now->template;
    if (!now->has_name &&
        (is_operator || is_instance || (is_name && gt_token_is_any(&lexer->token, ends)))) {
        now->has_name = true;
        now->name = is_instance ? now->template : now->last;
        now->is_function = is_operator || gt_lexer_is(lexer, "(");
    }
}

/* With the lexer on a "{". Returns whether the declaration ends behind its "}". */
static bool read_braces(program *p, gt_lexer *lexer, piece *now)
{
    note_name(lexer, now);
    const bool is_list = gt_token_is(&now->last, "=");
    if (now->is_class && !now->is_function && !is_list && p->depth < DEEPEST) {
        const unsigned cuts = p->cuts;
        gt_lexer_next(lexer);
        now->host |= scan_scope(p, lexer, true);
        now->was_cut = p->cuts != cuts;
        now->last = lexer->token;
        gt_lexer_next(lexer);
        return false;
    }
    bool initialises = now->has_colon && now->last.kind == GT_TOKEN_NAME;
    skip_brackets(p, lexer, now);
    return now->is_function && !initialises;
}

/* One token of a declaration, or all between its brackets. */
static void read_token(program *p, gt_lexer *lexer, piece *now)
{
    if (gt_lexer_is(lexer, "template")) {
        gt_lexer_next(lexer);
        if (gt_lexer_is(lexer, "<")) {
            gt_lexer_skip_angles(lexer);
        }
        return;
    }
    bool parameters = gt_lexer_is(lexer, "(");
    note_name(lexer, now);
    now->has_colon |= now->is_function && gt_lexer_is(lexer, ":");
    now->device |= is_device(p, &lexer->token);
    now->is_kernel |= gt_lexer_is(lexer, "__global__");
    now->is_class |= gt_token_is_any(&lexer->token, classes);
    if (parameters) {
        skip_brackets(p, lexer, now);
    } else {
        next(p, lexer, now);
    }
}

static void blank(program *p, size_t begin, size_t end)
{
    p->cuts++;
    gt_blank(p->left, begin, end);
}

static void add_candidate(program *p, gt_token name, size_t begin, size_t end)
{
    const candidate own = {name, begin, end, false};
    p->failed |= gt_array_push(&p->candidates, own) != GPUTUNE_OK;
}

/* Whether the declaration is of variables, of a type that is no number. */
static bool has_foreign_type(const program *p, const piece *now, size_t begin, size_t end)
{
    static const char others[] = "typedef using template enum namespace union class extern friend "
                                 "const constexpr inline void unsigned signed long short volatile";
    gt_lexer lexer = gt_lexer_on(p->text + begin, end - begin);
    (void)gt_lexer_accept(&lexer, "static");
    (void)gt_lexer_accept(&lexer, "struct");
    const gt_token next = gt_lexer_peek(lexer);
    return !now->is_function && lexer.token.kind == GT_TOKEN_NAME &&
           (next.kind == GT_TOKEN_NAME || gt_token_is_any(&next, "* & < ::")) &&
           !gt_token_is_any(&lexer.token, others) && !gt_is_type(GT_TOKEN_TEXT(&lexer.token));
}

/* `TYPE NAME, *NAME = …;` */
static void add_variables(program *p, size_t begin, size_t end)
{
    gt_lexer item, list = gt_lexer_on(p->text + begin, end - begin);
    while (gt_lexer_item(&item, &list)) {
        gt_token name = item.token;
        for (; item.token.kind != GT_TOKEN_END && !gt_token_is_any(&item.token, "= [ { ;");
             gt_lexer_next(&item)) {
            name = item.token.kind == GT_TOKEN_NAME ? item.token : name;
        }
        add_candidate(p, name, begin, end);
    }
}

static void finish(program *p, const piece *now, size_t begin, size_t end)
{
    const bool other_kernel = p->knows_clauses && now->is_kernel && now->is_function;
    if ((now->device && !other_kernel) || now->torn || now->conditionals != 0) {
        return;
    }
    if (!now->host && !now->in_class && has_foreign_type(p, now, begin, end)) {
        add_variables(p, begin, end);
        return;
    }
    if (!now->host || other_kernel) {
        bool defines_class = now->is_class && !now->is_function && gt_token_is(&now->last, "}");
        bool may_be =
            defines_class ? now->was_cut : other_kernel || (now->is_function && !now->is_class);
        may_be = may_be && now->has_name &&
                 !gt_token_is(&now->name, "operator"); /* which is read by its sign */
        if (may_be && !now->in_class) {
            add_candidate(p, now->name, begin, end);
        }
        return;
    }
    const gt_token *name = now->has_name ? &now->name : &now->last;
    if (!now->in_class && name->kind == GT_TOKEN_NAME) {
        add_name(p, &p->host, name);
    }
    blank(p, begin, end);
}

/* Reads one declaration. Returns whether it declares data that only the host knows. */
static bool scan_declaration(program *p, gt_lexer *lexer, bool in_class)
{
    piece now = {.in_class = in_class};
    size_t begin = (size_t)(lexer->token.text - p->text), end;
    bool ends = false;
    while (!ends && lexer->token.kind != GT_TOKEN_END && !gt_lexer_is(lexer, ";") &&
           !gt_lexer_is(lexer, "}")) {
        if (lexer->token.kind == GT_TOKEN_DIRECTIVE) {
            now.conditionals += read_directive(p, lexer);
            now.torn = true;
        } else if (gt_lexer_is(lexer, "{")) {
            ends = read_braces(p, lexer, &now);
            end = (size_t)(now.last.text + now.last.length - p->text);
        } else {
            read_token(p, lexer, &now);
        }
    }
    if (gt_lexer_is(lexer, ";")) {
        end = (size_t)(lexer->token.text - p->text) + 1;
        gt_lexer_next(lexer);
    } else if (!ends) {
        return false;
    }
    if (in_class && !now.is_function) {
        return now.host;
    }
    finish(p, &now, begin, end);
    return false;
}

/* Enters a namespace or extern "C". */
static bool enter_scope(program *p, gt_lexer *lexer)
{
    gt_lexer ahead = *lexer;
    bool named = gt_lexer_accept(&ahead, "namespace");
    if (!named && (!gt_lexer_accept(&ahead, "extern") || ahead.token.kind != GT_TOKEN_STRING)) {
        return false;
    }
    while (ahead.token.kind == GT_TOKEN_NAME || ahead.token.kind == GT_TOKEN_STRING ||
           gt_lexer_is(&ahead, "::")) {
        gt_lexer_next(&ahead);
        if (!named) {
            break;
        }
    }
    if (p->depth >= DEEPEST || !gt_lexer_accept(&ahead, "{")) {
        return false;
    }
    *lexer = ahead;
    scan_scope(p, lexer, false);
    gt_lexer_accept(lexer, "}");
    return true;
}

/* Reads up to the scope's end. Returns whether the scope has data that only the host knows. */
static bool scan_scope(program *p, gt_lexer *lexer, bool in_class)
{
    static const char accesses[] = "public private protected";
    bool host = false;
    p->depth++;
    while (lexer->token.kind != GT_TOKEN_END && !gt_lexer_is(lexer, "}")) {
        if (lexer->token.kind == GT_TOKEN_DIRECTIVE) {
            read_directive(p, lexer);
        } else if (!gt_lexer_accept(lexer, ";") && !gt_lexer_accept(lexer, ":")) {
            if (in_class && gt_token_is_any(&lexer->token, accesses)) {
                gt_lexer_next(lexer);
            } else if (!enter_scope(p, lexer)) {
                host |= scan_declaration(p, lexer, in_class);
            }
        }
    }
    p->depth--;
    return host;
}

/* ---- what the GPU does not read ---- */

/* The function that the place is in, or NULL. */
static candidate *around(const program *p, size_t at)
{
    for (size_t i = 0; i < p->candidates.count; i++) {
        if (at >= p->candidates.items[i].begin && at < p->candidates.items[i].end) {
            return &p->candidates.items[i];
        }
    }
    return NULL;
}

/* Notes the candidates that the token names, unless the candidate that the token stands in is not
 * read itself. Returns whether one is noted for the first time. */
static bool note_read(program *p, const gt_token *token, const candidate *from)
{
    bool is_new = false;
    for (size_t i = 0; i < p->candidates.count && (!from || from->is_read); i++) {
        const candidate *named = &p->candidates.items[i];
        if (named->is_read || named == from || !gt_token_equals(&named->name, token)) {
            continue;
        }
        is_new = true;
        for (size_t k = 0; k < p->candidates.count; k++) { /* all of one declaration */
            p->candidates.items[k].is_read |= p->candidates.items[k].begin == named->begin;
        }
    }
    return is_new;
}

static bool note_line(program *p, gt_lexer line, const candidate *from)
{
    bool is_new = false;
    for (; line.token.kind != GT_TOKEN_END; gt_lexer_next(&line)) {
        is_new |= note_read(p, &line.token, from);
    }
    return is_new;
}

/* Notes the candidates that the remaining text reads. Returns whether there are new ones. */
static bool read_left(program *p)
{
    bool is_new = false;
    gt_lexer lexer = gt_lexer_of(p->left), line;
    while (lexer.token.kind != GT_TOKEN_END) {
        const candidate *from = around(p, (size_t)(lexer.token.text - p->left));
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
            is_new |= note_line(p, line, from);
            continue;
        }
        is_new |= lexer.token.kind == GT_TOKEN_NAME && note_read(p, &lexer.token, from);
        gt_lexer_next(&lexer);
    }
    return is_new;
}

static void cut_unread(program *p, const gt_template_parts *parts)
{
    for (uint32_t i = 0; parts && i < parts->file_count; i++) {
        for (gt_lexer lexer = gt_lexer_of(parts->files[i].text), line;
             gt_lexer_find_directive(&lexer, &line);) {
            if (gt_lexer_accept(&line, "pragma") && gt_lexer_accept(&line, "gputune")) {
                (void)note_line(p, line, NULL);
            }
        }
    }
    if (parts) { /* which may be of gputune's own making */
        const gt_token name = gt_token_of(parts->reference.kernel.name);
        (void)note_read(p, &name, NULL);
    }
    while (p->candidates.count > 0 && read_left(p)) {
    }
    for (size_t i = 0; i < p->candidates.count; i++) {
        const candidate *one = &p->candidates.items[i];
        if (!one->is_read) {
            blank(p, one->begin, one->end);
        }
    }
}

gputune_status gt_host_code_cut(char **out, const char *text, const gt_template_parts *parts)
{
    enum { ROUNDS = 16 };
    program p = {.text = text, .knows_clauses = parts != NULL};
    size_t known;
    int rounds = 0;
    GT_TRY(gt_strdup(&p.left, text));
    do { /* until no more names are found to be the host's */
        known = p.host.count + p.device.count;
        p.candidates.count = 0;
        gt_lexer lexer = gt_lexer_of(text);
        while (lexer.token.kind != GT_TOKEN_END) {
            scan_scope(&p, &lexer, false);
            gt_lexer_accept(&lexer, "}");
        }
    } while (known < p.host.count + p.device.count && ++rounds < ROUNDS);
    cut_unread(&p, parts);
    gt_array_free(&p.host);
    gt_array_free(&p.device);
    gt_array_free(&p.candidates);
    return GT_GIVE(p.failed ? gt_fail_memory() : GPUTUNE_OK, out, p.left, free(p.left));
}
