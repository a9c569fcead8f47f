// clang-format off
/* A parsed template: an ordinary CUDA source with `#pragma gputune` lines. Pure text work: files
 * are read through a callback. Immutable once parsed, so any thread may read it.
 *
 * A line holds one or more clauses, in any order; expressions are expression.h's, names those of
 * symbols.h. D stands for one to three expressions, separated by commas: 16, 16 or (16, 16).
 *   kernel(NAME)                         needed; so are args, block and grid. NAME may have namespaces
 *     (ns::scan) and be a C++ template with its arguments (scan<T, BLOCK>): tunables, const and type
 *     problem values, and what the C++ source knows. A value that is an argument is a macro too,
 *     unless the code has a parameter of that name. The same holds wherever a kernel is named
 *     Of several functions with the name of a single kernel, args() choose the one that they fit
 *     A file may have several kernels: what stands behind kernel() up to the next kernel() is for that
 *     one alone, what stands in front of the first is for all. Where both have a clause that a kernel
 *     has once (block, reference, …), or args(), its own counts. The functions of the others, and their
 *     references, are cut out. So are kernels that no clause names, and what is for the host alone:
 *     main(), functions that launch or call CUDA's runtime, functions and classes of it that no kernel
 *     reads, timers, std::vector, their headers. A program is tuned as it is. Structs, constants and
 *     parameters are read as its #if leave them
 *   problem(n = 4096, m = 3, bucket = pow2)   run-time sizes, which may be 0; a bucket's share one
 *     result, which is proved at each size before it is launched there
 *   problem(const R = 2)                 compile-time; with more values, only those
 *   problem(type T = float, double)      compile-time word; the source has T_float, 0 or 1
 *   args([in|out|inout] TYPE NAME[e]… [= FILL] [nan_ok] [finite], TYPE NAME [= e], …)
 *     TYPE: a number type, bool, CUDA's vectors (float4, half2, …), fp8; a vector's components are
 *     filled, compared and counted one by one. TYPE may be a struct, an enum or a typedef of
 *     this file (numbers, vectors, arrays and structs of them, base classes), or a struct template
 *     with its arguments (vec<T, 4>); the compiler confirms the layout. Its numbers,
 *     or a vector's, are filled one by one: = {uniform(0, 1), .pos.x = index}; by value:
 *     T p = {1, {0, 0, 1}, .n = 2 * n}, also T{…}, (T){…} or make_float3(…); what is left out is
 *     named like a problem value, or has its value in the code (struct T { int k = 3, a[2] = {1, 2}; }).
 *     One item for a member with several numbers is for each of them. A scalar named like a problem
 *     value is that value. A struct without members (a functor) is passed as it is: args(…, Plus op)
 *     What a struct by value points to is a buffer as any other, behind all parameters:
 *     args(Grid g = {.n = n}, in float g.x[n]); gputune_launch() gets the struct with its pointers
 *     What structs in a buffer point to are buffers of args(), too: an init() kernel sets the pointers,
 *     and a launch() whose args leave them out is what the kernel gets: args(in Batch b[m], out float
 *     y[m][n]) init(point) launch(k, …, args = (b)). So do pointers to pointers, as uint64_t p[m]
 *     For a `void *` or a `char *`: what the kernel reads there. For a pointer to another struct: its
 *     bytes, as in inout unsigned char s[48 * n] for a `curandState *`, which init() fills. What a kernel leaves in
 *     a `__device__` variable is an output as soon as one more launch() copies it to a buffer
 *     TYPE *NAME = null      a pointer that the kernel takes and gets no buffer for
 *     FILL: uniform(low, high), zero, constant(value), index (0, 1, 2, …); floats need none
 *       (uniform(-1, 1)), a bool takes the lowest bit
 *     sorted[(low, high)]    rising; without a range from -1 to 1, integers from 0 to the last index
 *     permutation            0 to the last index, each once
 *     prefix(total)          row pointers of a sparse matrix: 0 first, then rising to the total
 *     an expression in which `index` is the element's: n - 1 - index, (index % 4) * 0.5; computed on
 *       the host's cores, ten to fifty million elements a second each
 *     file("a.npy")          of numpy.save(), beside the template: row after row, of the argument's
 *       type and shape (a vector's components are one dimension more). Such a template has no
 *       awkward size
 *   tune(NAME = v, v, …)                 integers or words; expressions compare a word, NAME == word,
 *     and the source has NAME_word, 0 or 1. The kernel's code or its launch depends on each tunable
 *   vector(NAME = 1, 2, 4, 8 : buffer, …)
 *     so many elements are accessed at once, as far as the buffers' alignment allows. A buffer that
 *     begins at any element is served by the narrowest variant. Code that accesses more at once
 *     than an element without a vector() axis needs aligned buffers always, which nobody checks
 *   pass(NAME : TYPE[COUNT] = value, split, constant, global [: FILL])
 *     the kernel's parameters begin with GPUTUNE_PARAM(NAME), without a comma behind it; the code
 *     reads element i as NAME(i). Several are possible; without [COUNT] it is one element, read as
 *     NAME() (a struct, say). A file for a block may have any shape with as many elements
 *   constant(NAME : TYPE[COUNT] [: FILL])   a __constant__ or __device__ NAME of this file that the
 *     caller fills; copied before each launch; no parameter of the kernel or the reference, which read
 *     it as well. Each stream has a module of its own, so that launches on several do not mix their contents
 *   cluster(X = 1, 2, …[; Y = …[; Z = …]])    carveout(NAME = auto, KB, …)
 *   preferred_cluster(NAME = 0, 4, 8, …)   blocks in x that the GPU puts together where it can, a
 *     multiple of the cluster's; 0: none. Compute capability 10.0, driver 12.8
 *   l2_persist(NAME = 0, 25, 50, 100 : buffer)   per cent of the level-2 cache that the GPU can set
 *     aside, for lines of this buffer or scratch; restored when the last plan that needs it is gone
 *   default(AXIS = v, …)                 an axis that is left out begins with its first value
 *   require(e)  block(D)  grid(D)  shared(e)  launch_bounds(threads[, blocks])  maxreg(0..255)
 *   launch(KERNEL, block = D, grid = D[, shared = e][, args = (NAME or e, …)][, times = e][,
 *     when = e][, cluster = D][, cooperative = e][, programmatic = e])
 *     one kernel of a pipeline: the launch() are carried out in order, and proved and timed as one.
 *     kernel(NAME) then is the name of all, and block, grid and shared stand in each launch() (that of
 *     the first are block_x, grid_x … elsewhere). args: of args() and scratch(), () for none, all in
 *     order if left out; or an expression, where the kernel takes an integer, whose parameter may be
 *     named like a tunable in it; or x + e, the address of element e of a buffer or scratch. times: launched so often in a row.
 *     when: not launched where e is 0. programmatic: where e is not 0, it may begin before the
 *     kernel before it ends, and waits for it by gputune_dependency_sync() (compute capability 9.0).
 *     cluster: the blocks of a cluster in x, y and z, which may be tune() axes; the grid is rounded up
 *     to a multiple. cooperative: as the clause of that name. Several may launch one kernel,
 *     also instances of a C++ template with different arguments
 *   for(NAME = e; e; ++NAME)  end(NAME)  swap(BUFFER, BUFFER)
 *     a loop around the launch() behind it, up to end(NAME) or the last one, with steps as in C (i--,
 *     k *= 2, j >>= 1, i = e). block, grid, times, when and args of a launch() may use its counter, and
 *     so may the loops inside it, of which there may be three: for(k = 2; k <= n; k *= 2)
 *     for(j = k / 2; j > 0; j /= 2) launch(stage, block = 256, grid = n / 512, args = (x, n, j, k)).
 *     At most 65536 launches are proved, timed and launched as one. swap: from here on each of two
 *     buffers or scratch stands in the other's place; gputune_launch() begins with their own places
 *   cooperative([e])                     a cooperative launch, where e is not 0: all blocks are
 *     resident at once, and gputune_grid_sync() (or cooperative_groups) waits for all of them
 *   scratch(TYPE NAME[e]… [= zero], …)   behind args() in the kernel's parameters; holds anything at
 *     first (= zero: zeros), then what the last launch left
 *   tensormap(BUFFER, box = (e, …)[, swizzle = 0, 32, 64 or 128][, interleave = 0, 16 or 32]
 *     [, l2 = 0, 64, 128 or 256][, fill = zero or nan][, sizes = (e, …)][, strides = (e, …)])
 *     the kernel takes a `const __grid_constant__ CUtensorMap` in the buffer's place, encoded for
 *     each launch from the buffer's address; the caller and the reference still have the buffer.
 *     Boxes, sizes (none: the extents) and strides (in elements, of all dimensions but the last;
 *     none: packed) come slowest first, one to five; all may use tunables and problem values. With
 *     NAME : BUFFER the map is one more parameter, behind scratch. Compute capability 9.0 and higher
 *   texture(BUFFER[, filter = point or linear][, address = clamp, border, wrap or mirror]
 *     [, coordinates = normalized][, read = normalized][, width = e][, memory = array or layered])
 *     the kernel takes a `cudaTextureObject_t` in the place of an `in` buffer, made once for each
 *     address; the caller and the reference still have the buffer. Of a buffer with one extent,
 *     tex1Dfetch() reads elements; of one with two, tex2D(). Its rows are multiples of 32 bytes:
 *     `width` are the elements that a padded row has. memory = array: the buffer is copied to a
 *     CUDA array before each launch, timed with it, for tex1D(), tex2D() or tex3D() of one to three
 *     extents, with rows of any length; layered: for tex1DLayered() of x[layers][width] and
 *     tex2DLayered() of x[layers][height][width]. Filters of a GPU have weights of 8 bits: the
 *     reference has the same, or a tolerance. read = normalized: integers of 8 or 16 bits become floats
 *     up to 1. wrap and mirror need coordinates = normalized. A double is read as int2
 *   clear(buffer or scratch, …)          zeroed before each launch
 *   races(buffer or scratch, …)          threads may store the same value to an element at once, and
 *     read it meanwhile, as in a breadth-first search: gputune check then objects to stores of
 *     different values alone
 *   prove(SCALAR, …[ = e, …])            further values of the last scalar that variants are proved
 *     with; the others, and one without, are proved with their own alone. A scalar may be a struct's
 *     member, `s.dims`. Without prove() floats have
 *     others of both signs and zero, and flags of 0 or 1 change; other integers keep theirs, as do
 *     those that the code adds to something
 *   in_place(OUTPUT : INPUT, …)          the caller may pass one buffer for both, an `out` and an `in`
 *     buffer of equally many bytes. The last launch of each proof does so. Any other launch is refused
 *     in which a buffer that is written overlaps with another one
 *   work(bytes = e, flops = e)           of a launch: the flops, or the bytes where it states none.
 *     It may use tune and cluster axes where launches of variants do different work; such a
 *     template is tuned by how much they do in a second, and its judge learns from an output that the
 *     kernel writes, such as a count of steps, how much it was
 *   reference(KERNEL[, block = D][, grid = D][, rtol = e][, atol = e][, stol = e])
 *     without block it has 256 threads, without grid as many blocks as the first output has elements
 *     for. It takes the block as a const pointer, then args(); outputs may be double; a last parameter
 *     `scale` receives the sum of magnitudes for each element of the first output. It may differ
 *     from itself within the tolerance (atomicAdd on floats); what it leaves unwritten, variants must
 *     leave as well
 *   reference(y[i] = a * x[i] + y[i][, z[i] = …][, rtol = e][, atol = e][, stol = e])
 *     each element of each output, in CUDA C++ of the arguments and problem values; y[i][j] where
 *     buffers have two extents, y[i][j][k] with three; with one index, of all elements in a row, as
 *     are buffers beside it that have one index.
 *     sum(m, [&](int k) { return a[i][k] * b[k][j]; }) adds in double. An inout is read as it was
 *     before the launch, at any element
 *   reference(self, AXIS = v, …[, rtol = e][, atol = e][, stol = e])
 *     the kernel itself, or the pipeline, in a configuration that is easy to trust, launched as
 *     variants are; axes left out as in default()
 *   init(KERNEL[, block = D][, grid = D])
 *     fills inputs with any structure: takes the block as a const pointer, args() with inputs that
 *     it may write, and `unsigned long long seed`; launched behind the fills, at both sizes.
 *     Integers without a fill are zero before it. Kernel, reference, check and init have a module each:
 *     what one leaves in a `__device__` variable no other sees
 *   expect(NAME = file("y.npy"), …[, rtol = e][, atol = e][, stol = e])
 *     in place of a reference: the right results of every output, for these very inputs; files as
 *     those of fills. gputune run --save writes those of a configuration, and prints the clause
 *   check(KERNEL[, block = D][, grid = D])
 *     takes the same, then `unsigned long long *wrong`, to which it adds its wrong elements
 *   define(NAME[ = e or "text"], …)      include("file")
 *     a macro, or where e uses a run-time size, or the code has a parameter or variable of that name,
 *     a name for expressions. They know it, and what the
 *     code defines once: #define, const, constexpr, enum; and true, false, INFINITY, INT_MAX, UINT_MAX, FLT_MAX,
 *     M_PI. A #define or `const int NAME = 1;` of a tunable or of a compile-time problem value is left
 *     out of the code: it is the value without gputune
 *   options("--OPTION", CONDITION ? "--OPTION" : "", …)
 *     NVRTC's options, one a string; "" is none, and of several conditions the first that holds counts.
 *     They belong to the kernel's identity. --std, -D, -U and the like also hold for the reference.
 *     Refused: what opens files or folders, needs a link step or is the engine's own
 *
 * What is right. An element v is right where |v - r| <= atol + rtol * |r| + stol * scale; r is the
 * reference's element. Integers, infinities and (with nan_ok) NaN must be equal. A tolerance that a
 * template states is taken as it stands, and the others are then 0. If it states none, each float
 * output gets:
 *   rtol = 1e-5 (float), 1e-12 (double), 2.5e-3 (half), 2e-2 (bfloat16), 0.14 (fp8 e4m3), 0.27
 *          (fp8 e5m2); for long sums u * sqrt(m) / 4, where that is more
 *   atol = (u' + 3 * u + 2 * u * sqrt(m)) * S, at most a hundredth of the largest result. An output
 *          of fewer than 64 elements has 4 in place of 2, and no such limit. Where all elements are
 *          as sensitive as they are large, the same is a part of rtol instead
 *   stol = 8 * u, and no atol, where the reference gives `scale`
 * u is half a unit in the last place of the type that sums are kept in (float for the half types
 * and fp8), and u' of the output's own type. S is how far results move when inputs do. It is
 * measured by moving floats by a small relative step: those of uniform(), and, within their range
 * and except for whole numbers, those of files, expressions, init() and the caller. m is the number
 * of terms, from how many results move with a few inputs; inputs / sqrt(outputs) where all move;
 * and flops / outputs of work(). Two right kernels that add in another order stay within these
 * tolerances; float16 sums and lost terms do not. A float reference that adds 10^6 positive numbers
 * one after another is itself wrong by 1e-5 of the sum: declare its outputs double.
 *
 * How a variant is proved. It is launched once at the requested size, and twice at a smaller,
 * awkward one; where there is none, twice at the requested size. Outputs, scratch and shared memory
 * are poisoned: with NaN, zeros, and huge numbers of both signs, others in each launch. Between the
 * two launches outputs get another poison and inout buffers are restored, and nothing else is
 * repaired. The buffers of in_place() are one in the second launch. Inputs and the memory around the
 * buffers must be unchanged. (A variant that changes an input and restores it within one launch goes
 * unnoticed.)
 * Where there is a reference(), one more launch at the awkward size has other data. Scalars and
 * members of structs that are not sizes have other values (prove() says which). Inputs of uniform()
 * have runs of the least and the largest value of their range and of zeros. Floats without a fill
 * also have numbers beyond 1, denormals, -0, NaN and infinities; `finite` keeps the last two away, a
 * fill keeps all of them away. All of this is tried on the reference and the default variant first.
 * A value with which one of them crashes, hangs or differs from the other is dropped, alone, and so
 * is another value of a flag with which the reference leaves elements unwritten. Default tolerances there follow from how far each element moves: S is that of four
 * elements side by side, so that a few large elements excuse nothing elsewhere.
 * The winner is proved again after the race, twice at the requested size, with other inputs and with
 * what the race left in scratch; then by many launches in a row on the other data, the first and last
 * of which are compared, with inputs of few values (halfway between whole numbers, and equal), with
 * empty rows between row pointers (prefix(), or integers that rise), with one buffer for inputs of
 * one type and size, with inputs that are all zero, all the largest or all the least value, and
 * with floating-point scalars that are zero, NaN, infinite or very large, at the same addresses. Without reference() and check() the default variant's first results stand
 * in for the reference's, and the default must write all outputs.
 *
 * How it is timed. Inout buffers are restored before each sample. The launches of a sample share
 * them: each finds what the launch before it left. Where that changes the default's time (a kernel
 * that stops when its work is done), each launch is a sample of its own, on restored buffers; -v
 * says so. */
// clang-format on
#pragma once

#include "base/hash.h"
#include "base/launch.h"
#include "base/status.h"
#include "kernel/text/expression.h"
#include "kernel/text/types.h"

enum {
    GT_AXIS_MAX = 32,
    GT_PROBLEM_MAX = 16,
    GT_OTHER_MAX = 8,  /* further values of a scalar in proofs */
    GT_PROVED_MAX = 16 /* members of one scalar that prove() names */
};

/* An integer, or a word. For a word, `word` is set (owned by the template) and `number` is what
 * expressions see: equal for equal words, a gt_pass value for its name, -1 for "auto". */
typedef struct gt_value {
    int64_t number;
    const char *word;
} gt_value;

typedef enum gt_axis_kind {
    GT_AXIS_TUNE,
    GT_AXIS_VECTOR,
    GT_AXIS_PASS,
    GT_AXIS_CLUSTER,
    GT_AXIS_CARVEOUT,
    GT_AXIS_L2_PERSIST,
    GT_AXIS_PREFERRED_CLUSTER,
    GT_AXIS_KINDS
} gt_axis_kind;

/* One tunable with its values in the order written. Values that users add (gt_space_open(),
 * gt_config_parse()) stand in values[] from index `count` on and stay for the template's life, so
 * an index that one of these calls returned is always valid. */
typedef struct gt_axis {
    char name[GT_NAME_MAX]; /* a pass axis is named like its block */
    gt_axis_kind kind;
    const gt_value *values;  /* pass: number is a gt_pass; carveout: KB, -1 for auto */
    uint32_t count;          /* of the template's own values */
    uint32_t default_choice; /* index into values */
    bool in_source;          /* its value may change the generated source */
    uint64_t buffers;        /* vector, l2_persist: bit i: argument i, or behind them a scratch */
    uint32_t dimension;      /* cluster: 0, 1, 2 for x, y, z */
    gt_place place;
} gt_axis;

typedef enum gt_problem_kind {
    GT_PROBLEM_SIZE,  /* run-time integer, never a macro */
    GT_PROBLEM_CONST, /* compile-time integer macro */
    GT_PROBLEM_TYPE   /* compile-time word macro, one of `values` */
} gt_problem_kind;

typedef struct gt_problem_value {
    char name[GT_NAME_MAX];
    gt_problem_kind kind;
    bool bucket_pow2;
    gt_value fallback;      /* the default */
    const gt_value *values; /* the allowed values of a type, or of a const that lists several */
    uint32_t count;
    gt_place place;
} gt_problem_value;

typedef enum gt_direction { GT_IN, GT_OUT, GT_INOUT } gt_direction;
/* How an input is filled; equal seeds give equal contents. */
typedef struct gt_fill {
    gt_fill_kind kind;
    const gt_expression *low, *high; /* as in uniform(low, high), sorted(low, high), constant(low)
                                        and prefix(low); a fill that is an expression is in `low` */
    const char *file;                /* the name in file("name"); NULL: none */
    gt_place place;
} gt_fill;
/* Whether the elements come from the host, since the measure worker cannot make them. */
static inline bool gt_fill_is_sent(gt_fill_kind kind)
{
    return kind >= GT_FILL_EXPRESSION;
}

/* What some numbers of an element hold: all for which gt_leaf_is_within() the path is true. An item
 * that was written without a name has its place in the list as path, #0 for the first. */
typedef struct gt_initialiser {
    char path[GT_NAME_MAX];
    gt_fill fill;               /* of a buffer or block */
    const gt_expression *value; /* of a scalar */
} gt_initialiser;

/* `= {…}` for elements of several numbers. */
typedef struct gt_initialisers {
    gt_initialiser *items;
    uint32_t count;
    bool single; /* no list: the template states one fill or value for all numbers */
} gt_initialisers;

/* What prove() says of a scalar. */
typedef struct gt_proved {
    char path[GT_NAME_MAX];                    /* of a struct's member: "dims"; "": all of it */
    const gt_expression *others[GT_OTHER_MAX]; /* further values; none: it keeps its own */
    uint32_t other_count;
    gt_place place;
} gt_proved;

/* An argument; a scratch buffer, whose fill is GT_FILL_ZERO where it holds zeros before the first
 * launch; or a block of parameters, a pass() or a __constant__ of the code, which is a buffer of
 * one extent, or of none where it is one element that is read as name(). */
typedef struct gt_argument {
    char name[GT_NAME_MAX]; /* for a buffer that a struct points to: "grid.x" */
    uint32_t holder; /* 1 + the index of the struct that points to this buffer; 0: the kernel takes
                        the argument itself */
    bool is_buffer;
    gt_direction direction; /* GT_IN for what is no buffer */
    char type[GT_NAME_MAX]; /* as written: the name of a type problem value, element or struct */
    const gt_expression *extents[3]; /* of a buffer, slowest first; NULL beyond extent_count */
    uint32_t extent_count;
    gt_fill fill;               /* of a buffer */
    char pointee[GT_NAME_MAX];  /* of a null pointer (`type` is uint64_t): the type pointed to */
    const char *expected;       /* the file of an output's right results; NULL: none */
    const gt_expression *value; /* of a scalar: its default, or the size that it is named like */
    bool keeps;                 /* a scalar that is an offset: it has its own value in proofs */
    gt_proved proved[GT_PROVED_MAX]; /* what prove() says of the scalar, or of its members */
    uint32_t proved_count;
    gt_initialisers initialisers;
    bool nan_ok, finite; /* finite: no proof fills the buffer with NaN or infinities */
    uint32_t in_place;   /* of an output: 1 + the index of the input whose buffer the caller may
                            pass for it; 0: none */
    bool cleared, races; /* clear() or races() names the buffer, or scratch */
    const struct gt_map *map;                /* what the kernel takes in the buffer's place; */
    const struct gt_texture_clause *texture; /* both NULL: its address */
    int axis; /* of a block: the axis that says how it is passed; -1: it is the code's own
                 __constant__ */
    gt_place place;
} gt_argument;

/* What the template says about the work of a launch. */
typedef struct gt_work {
    bool stated;    /* there is a work() */
    uint64_t axes;  /* bit i: the work depends on axis i; 0: launches of all variants do the same */
    gt_place place; /* of work(), or of kernel() where there is none */
} gt_work;

/* A parsed template, which does not change any more. Its other parts (expressions, texts) are in
 * template_parts.h, for src/kernel only. */
typedef struct gt_template {
    char name[GT_NAME_MAX];
    const char *path, *text, *summary; /* summary: the first comment line without slashes, or "" */
    gt_axis axes[GT_AXIS_MAX];
    uint32_t axis_count;
    gt_problem_value problem[GT_PROBLEM_MAX];
    uint32_t problem_count;
    gt_argument *arguments; /* without the pass blocks, and behind them scratch buffers */
    uint32_t argument_count, parameter_count; /* without, and with scratch */
    uint32_t taken_count; /* how many of the arguments, the first, the kernel takes itself */
    gt_argument passes[GT_BLOCK_MAX]; /* the blocks: the first arguments of the caller */
    uint32_t pass_count;
    gt_work work;
    gt_hash identity; /* the part of a scenario's key: token stream (comments and pragmas out, own
                         files in), headers' digests, args, reference, tolerances, work */
    bool has_headers; /* the compiler has to read headers, and needs the folders to search */
    struct gt_template_parts *parts;
} gt_template;

/* What an #include or include() asks for. */
typedef struct gt_include {
    const char *name; /* as written */
    const char *from; /* the including file's path */
    bool system;      /* <name>, else "name" */
    bool join;        /* the file is asked for by include(): its text is needed, wherever it lies */
} gt_include;

/* An included file that was found: the text of one of the template's own files, which becomes a
 * part of the template; or a header that the compiler reads by itself, of which only the digest
 * matters. */
typedef struct gt_included {
    char *text,
        *path;      /* the caller's to free; the path is for messages and cycles. NULL: a header */
    gt_hash digest; /* of a header: equal for equal content, or for an equal toolkit */
} gt_included;

/* Finds an included file. ENOTFOUND leaves an #include to the compiler, which reports the missing
 * file if it compiles that line; any other failure ends the parsing. */
typedef gputune_status (*gt_include_fn)(void *user, const gt_include *include, gt_included *out);

/* Whether the kernel's own default variant is its reference: reference(self). */
bool gt_template_is_own_reference(const gt_template *template);

/* Parses `text` (copied); of several kernels it takes the one called `kernel`, or the first (NULL).
 * ETEMPLATE with "file:line:column: what; what was expected". ENOTFOUND: the text has no such
 * kernel. `include` may be NULL: no included file is found. *out is the caller's, for
 * gt_template_free(). */
gputune_status gt_template_parse(gt_template **out, const char *path, const char *text,
                                 const char *kernel, gt_include_fn include, void *user);
void gt_template_free(gt_template *template);

/* Calls `each` with the name of every kernel of a text, in the text's order; a failure of `each`
 * ends this and is returned. ETEMPLATE if the pragmas cannot be read at all. For a text without a
 * kernel `each` is never called; gt_template_parse() says what is wrong with such a text. */
gputune_status gt_template_names(const char *path, const char *text, gt_include_fn include,
                                 void *user, gputune_status (*each)(void *to, const char *name),
                                 void *to);

/* The index of the axis, or of the problem value, of that name; -1: there is none. */
int gt_template_axis_index(const gt_template *template, const char *name);
int gt_template_problem_index(const gt_template *template, const char *name);
/* The type problem value of that name; NULL: there is none. */
const gt_problem_value *gt_problem_type(const gt_template *template, const char *name);
/* The first name of a define() that only expressions know, and which the compiler's message says is
 * undefined; NULL: there is none. */
const char *gt_template_unknown_define(const gt_template *template, const char *message);
/* The word of the pragma that declares axes of this kind. */
const char *gt_axis_kind_name(gt_axis_kind kind);
/* Whether some function of the kernels' code declares an array of dynamic shared memory while no
 * launch gives any bytes of it. */
bool gt_template_lacks_shared(const gt_template *template);
/* Names the first __constant__ of the kernels' code that the code uses, that has no value there and
 * that no constant() fills, so that it holds zeros; false: there is none. */
bool gt_template_leaves_constant(char out[GT_NAME_MAX], const gt_template *template);
/* Whether that __constant__ has a value in the code, which may be zero. */
bool gt_template_gives_constant(const gt_template *template, const char *name);
/* Whether the axis widens the accesses to the argument. */
static inline bool gt_axis_widens(const gt_axis *axis, uint32_t argument)
{
    return axis->kind == GT_AXIS_VECTOR && (axis->buffers >> argument & 1);
}
