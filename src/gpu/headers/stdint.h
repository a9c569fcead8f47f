// <stdint.h> for kernels, which have no C library. The types are those of <cuda/std/cstdint>.
#pragma once

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

typedef signed char int_fast8_t, int_least8_t;
typedef unsigned char uint_fast8_t, uint_least8_t;
typedef short int_fast16_t, int_least16_t;
typedef unsigned short uint_fast16_t, uint_least16_t;
typedef int int_fast32_t, int_least32_t;
typedef unsigned int uint_fast32_t, uint_least32_t;
typedef long long int_fast64_t, int_least64_t, intmax_t, intptr_t;
typedef unsigned long long uint_fast64_t, uint_least64_t, uintmax_t, uintptr_t;

// <cuda/std/cstdint> defines the same macros, in its own words.
#ifndef INT8_MAX
#define INT8_MIN   (-128)
#define INT16_MIN  (-32767 - 1)
#define INT32_MIN  (-2147483647 - 1)
#define INT64_MIN  (-9223372036854775807LL - 1)
#define INT8_MAX   127
#define INT16_MAX  32767
#define INT32_MAX  2147483647
#define INT64_MAX  9223372036854775807LL
#define UINT8_MAX  255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615ULL
#endif
#ifndef INTPTR_MAX
#define INTPTR_MIN  INT64_MIN
#define INTPTR_MAX  INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN  INT64_MIN
#define INTMAX_MAX  INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define SIZE_MAX    UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#endif
#ifndef INT64_C
#define INT8_C(value)   value
#define INT16_C(value)  value
#define INT32_C(value)  value
#define INT64_C(value)  value##LL
#define UINT8_C(value)  value
#define UINT16_C(value) value
#define UINT32_C(value) value##U
#define UINT64_C(value) value##ULL
#endif
