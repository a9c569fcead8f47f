/* A parsed PTX module, in which names are resolved to registers and variables. Opcodes are text. */
#pragma once

#include "emulator/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ptx_type {
    PTX_NO_TYPE,
    PTX_PRED,
    PTX_B8,
    PTX_U8,
    PTX_S8,
    PTX_B16,
    PTX_U16,
    PTX_S16,
    PTX_F16,
    PTX_BF16,
    PTX_B32,
    PTX_U32,
    PTX_S32,
    PTX_F32,
    PTX_TF32,
    PTX_F16X2,
    PTX_BF16X2,
    PTX_U16X2,
    PTX_S16X2,
    PTX_B64,
    PTX_U64,
    PTX_S64,
    PTX_F64,
    PTX_F32X2,
    PTX_B128,
    PTX_E4M3X2,
    PTX_E5M2X2,
    PTX_TYPE_COUNT
} ptx_type;

/* Returns the size of a type in bytes, or 0 for a predicate. */
unsigned ptx_type_bytes(ptx_type type);
bool ptx_type_is_signed(ptx_type type);
const char *ptx_type_name(ptx_type type);

/* Finds a type by its name without the dot, or returns PTX_NO_TYPE. */
ptx_type ptx_type_find(const char *name, size_t length);

typedef enum ptx_space {
    PTX_GENERIC,
    PTX_GLOBAL,
    PTX_CONST,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_PARAM,
    PTX_SHARED_CLUSTER
} ptx_space;

struct ptx_function;

/* Part of an initial value: the address of a variable or function, plus `addend`. */
typedef struct ptx_relocation {
    uint64_t offset;
    const char *name;
    int64_t addend;
    bool is_function;
    uint32_t index; /* index in the globals or functions of the module, set after parsing */
} ptx_relocation;

typedef struct ptx_variable {
    const char *name;
    ptx_space space;
    bool is_external;
    bool is_kernel_param;
    bool is_used; /* an instruction or the initial value of a variable refers to it */
    uint32_t align;
    uint32_t index; /* index in the globals or shared variables of the module */
    uint64_t bytes;
    uint64_t offset; /* offset of a parameter or local variable in its function's area */
    uint8_t *initial;
    ptx_relocation *relocations;
    size_t relocation_count, relocation_capacity;
    struct ptx_variable *next; /* next variable in the scope */
} ptx_variable;

typedef enum ptx_operand_kind {
    PTX_OPERAND_REGISTER,
    PTX_OPERAND_INTEGER,
    PTX_OPERAND_FLOAT32, /* bits in `value` */
    PTX_OPERAND_FLOAT64,
    PTX_OPERAND_VARIABLE, /* address of `variable` plus `value` */
    PTX_OPERAND_NAME,     /* a label, a function or a special register */
    PTX_OPERAND_ADDRESS,  /* memory: [items[0] + value], or [items[0], second] */
    PTX_OPERAND_VECTOR,   /* {items} */
    PTX_OPERAND_LIST,     /* (items) */
    PTX_OPERAND_SINK      /* _ */
} ptx_operand_kind;

typedef struct ptx_operand {
    ptx_operand_kind kind;
    ptx_type type;
    bool is_negated;
    uint32_t reg; /* index in the function's registers */
    uint32_t count;
    uint64_t value;
    const char *name;
    ptx_variable *variable;
    struct ptx_operand *items;
    struct ptx_operand *second; /* second part: b of a|b, or the coordinates of [a, {x, y}] */
} ptx_operand;

typedef struct ptx_scope {
    struct ptx_scope *parent;
    struct ptx_registers *registers;
    ptx_variable *variables;
} ptx_scope;

/* The registers of one declaration, which has the form name or name<count>. */
typedef struct ptx_registers {
    const char *name;
    size_t length;
    ptx_type type;
    uint32_t first, count;
    bool is_range;
    struct ptx_registers *next;
} ptx_registers;

typedef struct ptx_instruction {
    const char *opcode;
    int line;
    bool has_guard;
    ptx_operand guard;
    ptx_operand *operands;
    size_t operand_count, operand_capacity;
    const ptx_scope *scope;
} ptx_instruction;

/* A label or, if it has targets, a .branchtargets table. */
typedef struct ptx_label {
    const char *name;
    const ptx_scope *scope;
    size_t instruction;
    const char **targets;
    size_t target_count, target_capacity;
} ptx_label;

typedef struct ptx_function {
    const char *name;
    int line;
    bool is_entry, is_defined;
    uint32_t max_threads[3], required_threads[3], cluster[3];
    uint32_t min_blocks, max_registers, max_cluster_rank;
    bool explicit_cluster;
    ptx_variable **params;
    size_t param_count, param_capacity;
    ptx_variable **returns;
    size_t return_count, return_capacity;
    uint32_t param_bytes; /* total size of parameters, results and the body's .param variables */
    uint32_t formal_bytes;
    uint32_t local_bytes;
    ptx_type *registers;
    size_t register_count, register_capacity;
    ptx_instruction *instructions;
    size_t instruction_count, instruction_capacity;
    ptx_label *labels;
    size_t label_count, label_capacity;
    ptx_scope scope;
} ptx_function;

typedef struct ptx_place {
    const char *file; /* NULL: unknown */
    uint32_t line;
} ptx_place;

/* A .loc directive, which sets the source line of the PTX lines after it. */
typedef struct ptx_location {
    uint32_t ptx_line, file, line;
} ptx_location;

typedef struct ptx_file {
    uint32_t index;
    const char *name;
} ptx_file;

typedef struct ptx_module {
    emu_pool pool;
    int target; /* .target sm_NN */
    ptx_scope scope;
    ptx_variable **globals; /* variables in global and constant memory */
    size_t global_count, global_capacity;
    ptx_variable **shared; /* shared variables of the module and of its functions */
    size_t shared_count, shared_capacity;
    ptx_function **functions;
    size_t function_count, function_capacity;
    ptx_location *locations; /* locations in the order of the text */
    size_t location_count, location_capacity;
    ptx_file *files;
    size_t file_count, file_capacity;
    char error[256]; /* error message, in one line */
} ptx_module;

/* Parses the text into *module. On failure, returns false and sets module->error. The caller must
 * call ptx_module_free() in both cases. */
bool ptx_parse(ptx_module *module, const char *text, size_t bytes);
void ptx_module_free(ptx_module *module);

/* Returns the source line of a PTX line. If the code was inlined from another file, returns the
 * line of the call. The PTX must have been compiled with -lineinfo. */
ptx_place ptx_module_place(const ptx_module *module, uint32_t ptx_line);

/* Finds a label in `scope` or its enclosing scopes, or returns NULL. */
const ptx_label *ptx_function_label(const ptx_function *function, const ptx_scope *scope,
                                    const char *name);
