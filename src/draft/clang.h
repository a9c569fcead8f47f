/* Declares the functions of libclang, which is loaded with dlopen(). The types match those of
 * clang-c/Index.h, whose layout has not changed since version 3. */
#pragma once

#include "base/status.h"

#include <stddef.h>

typedef struct cx_cursor {
    int kind, extra;
    const void *data[3];
} cx_cursor;
typedef struct cx_type {
    int kind;
    void *data[2];
} cx_type;
typedef struct cx_string {
    const void *data;
    unsigned flags;
} cx_string;
typedef struct cx_location {
    const void *data[2];
    unsigned number;
} cx_location;
typedef struct cx_range {
    const void *data[2];
    unsigned begin, end;
} cx_range;
typedef struct cx_unsaved {
    const char *path, *text;
    unsigned long bytes;
} cx_unsaved;
typedef int cx_visitor(cx_cursor cursor, cx_cursor parent, void *user);
typedef int cx_field_visitor(cx_cursor cursor, void *user);

/* Kinds of cursors. */
enum { CX_UNEXPOSED_DECL = 1, CX_STRUCT, CX_UNION, CX_CLASS, CX_ENUMERATOR = 7, CX_FUNCTION };
enum { CX_VAR = 9, CX_PARM, CX_METHOD = 21, CX_NAMESPACE, CX_LINKAGE };
enum { CX_CONSTRUCTOR = 24, CX_CONVERSION = 26, CX_TYPE_PARAMETER, CX_VALUE_PARAMETER };
enum { CX_TEMPLATE_PARAMETER = 29, CX_FUNCTION_TEMPLATE, CX_CLASS_TEMPLATE, CX_MEMBER = 47 };
enum { CX_OVERLOADED = 49, CX_FIRST_INVALID = 70, CX_LAST_INVALID = 73, CX_UNEXPOSED_EXPR = 100 };
enum { CX_DECL_REF = 101, CX_MEMBER_REF, CX_CALL, CX_INTEGER = 106, CX_FLOATING, CX_PAREN = 111 };
enum { CX_UNARY = 112, CX_SUBSCRIPT, CX_BINARY, CX_COMPOUND_ASSIGN, CX_CONDITIONAL, CX_C_CAST };
enum { CX_INIT_LIST = 119, CX_STATIC_CAST = 124, CX_FUNCTIONAL_CAST = 128, CX_NULLPTR = 131 };
enum { CX_THIS = 132, CX_THROW, CX_BASE = 44, CX_SIZEOF = 136, CX_LAMBDA = 144 };
enum { CX_UNEXPOSED_STMT = 200, CX_LABEL, CX_COMPOUND, CX_CASE, CX_DEFAULT, CX_IF, CX_SWITCH };
enum { CX_WHILE = 207, CX_DO, CX_FOR, CX_GOTO, CX_CONTINUE = 212, CX_BREAK, CX_RETURN, CX_ASM };
enum { CX_TRY = 224, CX_RANGE_FOR, CX_DECL_STMT = 231 };
enum { CX_FIRST_ATTRIBUTE = 400, CX_CONSTANT_ATTRIBUTE = 412, CX_DEVICE_ATTRIBUTE };
enum { CX_GLOBAL_ATTRIBUTE = 414, CX_HOST_ATTRIBUTE, CX_SHARED_ATTRIBUTE, CX_INCLUSION = 503 };

/* Kinds of types. */
enum { CX_TYPE_VOID = 2, CX_TYPE_BOOL, CX_TYPE_CHAR_U, CX_TYPE_UCHAR, CX_TYPE_USHORT = 8 };
enum { CX_TYPE_UINT = 9, CX_TYPE_ULONG, CX_TYPE_ULONGLONG, CX_TYPE_CHAR_S = 13, CX_TYPE_SCHAR };
enum { CX_TYPE_SHORT = 16, CX_TYPE_INT, CX_TYPE_LONG, CX_TYPE_LONGLONG, CX_TYPE_FLOAT = 21 };
enum { CX_TYPE_DOUBLE = 22, CX_TYPE_POINTER = 101, CX_TYPE_LVALUE = 103, CX_TYPE_RVALUE };
enum { CX_TYPE_RECORD = 105, CX_TYPE_ENUM, CX_TYPE_ARRAY = 112, CX_TYPE_OPEN_ARRAY = 114 };

/* Operators. */
enum { CX_MUL = 3, CX_DIV, CX_REM, CX_ADD, CX_SUB, CX_SHL, CX_SHR, CX_LT = 11, CX_GT, CX_LE };
enum { CX_GE = 14, CX_EQ, CX_NE, CX_AND, CX_XOR, CX_OR, CX_LOGICAL_AND, CX_LOGICAL_OR, CX_ASSIGN };
enum { CX_MUL_ASSIGN = 23, CX_COMMA = 33, CX_POST_INC = 1, CX_POST_DEC, CX_PRE_INC, CX_PRE_DEC };
enum { CX_ADDRESS = 5, CX_DEREF, CX_PLUS, CX_MINUS, CX_NOT, CX_LOGICAL_NOT };

enum { CX_STATIC = 3 }; /* a storage class */

/* Return values of a visitor callback. */
enum { CX_BREAK_VISIT, CX_CONTINUE_VISIT, CX_RECURSE_VISIT };
enum { CX_SEVERITY_ERROR = 3 };

/* The functions of libclang, as X(result type, name without "clang_", parameters). */
#define CX_FUNCTIONS(X)                                                                            \
    X(void *, createIndex, (int, int))                                                             \
    X(int, parseTranslationUnit2,                                                                  \
      (void *, const char *, const char *const *, int, cx_unsaved *, unsigned, unsigned, void **)) \
    X(unsigned, getNumDiagnostics, (void *))                                                       \
    X(void *, getDiagnostic, (void *, unsigned))                                                   \
    X(int, getDiagnosticSeverity, (void *))                                                        \
    X(cx_string, getDiagnosticSpelling, (void *))                                                  \
    X(cx_location, getDiagnosticLocation, (void *))                                                \
    X(cx_cursor, getTranslationUnitCursor, (void *))                                               \
    X(unsigned, visitChildren, (cx_cursor, cx_visitor *, void *))                                  \
    X(cx_string, getCursorSpelling, (cx_cursor))                                                   \
    X(cx_location, getCursorLocation, (cx_cursor))                                                 \
    X(cx_range, getCursorExtent, (cx_cursor))                                                      \
    X(cx_cursor, getCursorReferenced, (cx_cursor))                                                 \
    X(cx_cursor, getCursorDefinition, (cx_cursor))                                                 \
    X(cx_cursor, getCanonicalCursor, (cx_cursor))                                                  \
    X(cx_cursor, getCursorSemanticParent, (cx_cursor))                                             \
    X(cx_cursor, getSpecializedCursorTemplate, (cx_cursor))                                        \
    X(unsigned, getNumOverloadedDecls, (cx_cursor))                                                \
    X(cx_cursor, getOverloadedDecl, (cx_cursor, unsigned))                                         \
    X(unsigned, equalCursors, (cx_cursor, cx_cursor))                                              \
    X(unsigned, hashCursor, (cx_cursor))                                                           \
    X(cx_cursor, Cursor_getVarDeclInitializer, (cx_cursor))                                        \
    X(int, Cursor_getStorageClass, (cx_cursor))                                                    \
    X(cx_type, getCursorType, (cx_cursor))                                                         \
    X(cx_type, getCanonicalType, (cx_type))                                                        \
    X(cx_type, getPointeeType, (cx_type))                                                          \
    X(cx_type, getArrayElementType, (cx_type))                                                     \
    X(long long, getArraySize, (cx_type))                                                          \
    X(long long, Type_getSizeOf, (cx_type))                                                        \
    X(long long, Type_getAlignOf, (cx_type))                                                       \
    X(long long, Type_getOffsetOf, (cx_type, const char *))                                        \
    X(cx_string, getTypeSpelling, (cx_type))                                                       \
    X(cx_cursor, getTypeDeclaration, (cx_type))                                                    \
    X(unsigned, isConstQualifiedType, (cx_type))                                                   \
    X(unsigned, Cursor_isBitField, (cx_cursor))                                                    \
    X(unsigned, Type_visitFields, (cx_type, cx_field_visitor *, void *))                           \
    X(cx_type, getEnumDeclIntegerType, (cx_cursor))                                                \
    X(long long, getEnumConstantDeclValue, (cx_cursor))                                            \
    X(cx_type, getCursorResultType, (cx_cursor))                                                   \
    X(unsigned, CXXMethod_isConst, (cx_cursor))                                                    \
    X(unsigned, CXXMethod_isVirtual, (cx_cursor))                                                  \
    X(int, Cursor_getTemplateArgumentKind, (cx_cursor, unsigned))                                  \
    X(cx_type, Cursor_getTemplateArgumentType, (cx_cursor, unsigned))                              \
    X(long long, Cursor_getTemplateArgumentValue, (cx_cursor, unsigned))                           \
    X(int, Cursor_getNumArguments, (cx_cursor))                                                    \
    X(cx_cursor, Cursor_getArgument, (cx_cursor, unsigned))                                        \
    X(void *, Cursor_Evaluate, (cx_cursor))                                                        \
    X(int, EvalResult_getKind, (void *))                                                           \
    X(long long, EvalResult_getAsLongLong, (void *))                                               \
    X(void, EvalResult_dispose, (void *))                                                          \
    X(int, getCursorBinaryOperatorKind, (cx_cursor))                                               \
    X(int, getCursorUnaryOperatorKind, (cx_cursor))                                                \
    X(void, getExpansionLocation, (cx_location, void **, unsigned *, unsigned *, unsigned *))      \
    X(void, getFileLocation, (cx_location, void **, unsigned *, unsigned *, unsigned *))           \
    X(cx_location, getRangeStart, (cx_range))                                                      \
    X(cx_location, getRangeEnd, (cx_range))                                                        \
    X(cx_string, getFileName, (void *))                                                            \
    X(int, File_isEqual, (void *, void *))                                                         \
    X(const char *, getFileContents, (void *, void *, size_t *))                                   \
    X(const char *, getCString, (cx_string))                                                       \
    X(void, disposeTranslationUnit, (void *))                                                      \
    X(void *, getIncludedFile, (cx_cursor))

typedef struct gt_clang {
#define CX_MEMBER_OF(result, name, parameters) result(*name) parameters;
    CX_FUNCTIONS(CX_MEMBER_OF)
#undef CX_MEMBER_OF
} gt_clang;

/* The libclang functions. They can be called after gt_clang_open() has succeeded. */
extern gt_clang cx;

/* Loads libclang 17 or newer. If GPUTUNE_LIBCLANG is set, only that file is tried. Otherwise the
 * files in `paths` are tried first, then the libraries of the system. Returns ENOCOMPILER if no
 * usable library was found, with a message that explains what to install. */
gputune_status gt_clang_open(const char *const *paths, size_t count);
