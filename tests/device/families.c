/* The snippets of each opcode family. PTX defines their results: no snippet divides by zero, and
 * each states .rn, because without it the assembler may fuse a product and a sum. The tolerance of
 * an approximation is its error in the PTX ISA, plus half an ulp for the emulator's rounding. */
#include "op_cases.h"

// clang-format off
#define ULP_F32 0x1p-23
#define APPROX(relative, absolute) {(relative) + ULP_F32 / 2, (absolute)}
#define SMALLEST_F32 0x1p-126 /* tolerance if only one side flushes a result to zero */

static const op_pattern add_and_multiply[] = {
    {"<add|sub|min|max><.u16|.s16> %ho, %h0, %h1;", "iii", RESULT_BITS, {0, 0}},
    {"<add|sub|min|max><.u32|.s32> %ro, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"<add|sub|min|max><.u64|.s64> %lo, %l0, %l1;", "iii", RESULT_BITS, {0, 0}},
    {"<add|sub>.sat.s32 %ro, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"add.cc.u32 %r3, %r0, %r1; addc.cc.u32 %r4, %r2, %r0; addc.u32 %r5, 0, 0;"
     " add.u32 %r4, %r4, %r5; mov.b64 %lo, {%r3, %r4};", "iii", RESULT_BITS, {0, 0}},
    {"sub.cc.u32 %r3, %r0, %r1; subc.cc.u32 %r4, %r2, %r0; subc.u32 %r5, 0, 0;"
     " xor.b32 %r4, %r4, %r5; mov.b64 %lo, {%r3, %r4};", "iii", RESULT_BITS, {0, 0}},
    {"add.cc.u64 %l3, %l0, %l1; addc.u64 %l4, %l2, 0; xor.b64 %lo, %l3, %l4;", "iii", RESULT_BITS, {0, 0}},
    {"mul<.lo|.hi><.u16|.s16> %ho, %h0, %h1;", "iii", RESULT_BITS, {0, 0}},
    {"mul<.lo|.hi><.u32|.s32> %ro, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"mul<.lo|.hi><.u64|.s64> %lo, %l0, %l1;", "iii", RESULT_BITS, {0, 0}},
    {"mul.wide<.u16|.s16> %ro, %h0, %h1;", "iii", RESULT_BITS, {0, 0}},
    {"mul.wide<.u32|.s32> %lo, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"mul24<.lo|.hi><.u32|.s32> %ro, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"mad<.lo|.hi><.u16|.s16> %ho, %h0, %h1, %h2;", "iii", RESULT_BITS, {0, 0}},
    {"mad<.lo|.hi><.u32|.s32> %ro, %r0, %r1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"mad<.lo|.hi><.u64|.s64> %lo, %l0, %l1, %l2;", "iii", RESULT_BITS, {0, 0}},
    {"mad.hi.sat.s32 %ro, %r0, %r1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"mad.wide<.u16|.s16> %ro, %h0, %h1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"mad.wide<.u32|.s32> %lo, %r0, %r1, %l2;", "iii", RESULT_BITS, {0, 0}},
    {"mad24<.lo|.hi><.u32|.s32> %ro, %r0, %r1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"mad.lo.cc.u32 %r3, %r0, %r1, %r2; madc.hi.u32 %r4, %r0, %r1, %r2;"
     " mov.b64 %lo, {%r3, %r4};", "iii", RESULT_BITS, {0, 0}},
    {"sad<.u16|.s16> %ho, %h0, %h1, %h2;", "iii", RESULT_BITS, {0, 0}},
    {"sad<.u32|.s32> %ro, %r0, %r1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"sad<.u64|.s64> %lo, %l0, %l1, %l2;", "iii", RESULT_BITS, {0, 0}},
    {"<abs|neg>.s16 %ho, %h0;", "iii", RESULT_BITS, {0, 0}},
    {"<abs|neg>.s32 %ro, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"<abs|neg>.s64 %lo, %l0;", "iii", RESULT_BITS, {0, 0}},
    {"dp4a<.u32|.s32><.u32|.s32> %ro, %r0, %r1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"dp2a<.lo|.hi><.u32|.s32><.u32|.s32> %ro, %r0, %r1, %r2;", "iii", RESULT_BITS, {0, 0}},
};

static const op_pattern divide[] = {
    {"or.b16 %h1, %h1, 1; <div|rem>.u16 %ho, %h0, %h1;", "iii", RESULT_BITS, {0, 0}},
    {"or.b32 %r1, %r1, 1; <div|rem>.u32 %ro, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"or.b64 %l1, %l1, 1; <div|rem>.u64 %lo, %l0, %l1;", "iii", RESULT_BITS, {0, 0}},
    {"and.b16 %h1, %h1, 0x7fff; max.s16 %h1, %h1, 1; <div|rem>.s16 %ho, %h0, %h1;", "iii", RESULT_BITS, {0, 0}},
    {"and.b32 %r1, %r1, 0x7fffffff; max.s32 %r1, %r1, 1; <div|rem>.s32 %ro, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"and.b64 %l1, %l1, 0x7fffffffffffffff; max.s64 %l1, %l1, 1; <div|rem>.s64 %lo, %l0, %l1;", "iii", RESULT_BITS, {0, 0}},
    {"or.b32 %r1, %r1, 0x80000000; min.s32 %r1, %r1, -2; <div|rem>.s32 %ro, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"or.b64 %l1, %l1, 0x8000000000000000; min.s64 %l1, %l1, -2; <div|rem>.s64 %lo, %l0, %l1;", "iii", RESULT_BITS, {0, 0}},
    {"max.s32 %r0, %r0, -2147483647; <div|rem>.s32 %ro, %r0, -1;", "iii", RESULT_BITS, {0, 0}},
};

static const op_pattern bits[] = {
    {"<and|or|xor>.b16 %ho, %h0, %h1;", "iii", RESULT_BITS, {0, 0}},
    {"<and|or|xor>.b32 %ro, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"<and|or|xor>.b64 %lo, %l0, %l1;", "iii", RESULT_BITS, {0, 0}},
    {"<not|cnot>.b16 %ho, %h0;", "iii", RESULT_BITS, {0, 0}},
    {"<not|cnot>.b32 %ro, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"<not|cnot>.b64 %lo, %l0;", "iii", RESULT_BITS, {0, 0}},
    {"<shl.b16|shr.b16|shr.u16|shr.s16> %ho, %h0, %r1;", "isi", RESULT_BITS, {0, 0}},
    {"<shl.b32|shr.b32|shr.u32|shr.s32> %ro, %r0, %r1;", "isi", RESULT_BITS, {0, 0}},
    {"<shl.b64|shr.b64|shr.u64|shr.s64> %lo, %l0, %r1;", "isi", RESULT_BITS, {0, 0}},
    {"<shl.b32|shr.u32|shr.s32> %ro, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"shf<.l|.r><.clamp|.wrap>.b32 %ro, %r0, %r1, %r2;", "iis", RESULT_BITS, {0, 0}},
    {"shf<.l|.r><.clamp|.wrap>.b32 %ro, %r0, %r1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"<popc|clz>.b32 %ro, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"<popc|clz>.b64 %ro, %l0;", "iii", RESULT_BITS, {0, 0}},
    {"brev.b32 %ro, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"brev.b64 %lo, %l0;", "iii", RESULT_BITS, {0, 0}},
    {"bfind<|.shiftamt><.u32|.s32> %ro, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"bfind<|.shiftamt><.u64|.s64> %ro, %l0;", "iii", RESULT_BITS, {0, 0}},
    {"fns.b32 %ro, %r0, %r1, %r2;", "iss", RESULT_BITS, {0, 0}},
    {"and.b32 %r1, %r1, 31; sub.s32 %r2, %r2, 35; fns.b32 %ro, %r0, %r1, %r2;", "iss", RESULT_BITS, {0, 0}},
    {"bfe<.u32|.s32> %ro, %r0, %r1, %r2;", "iss", RESULT_BITS, {0, 0}},
    {"bfe<.u32|.s32> %ro, %r0, %r1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"bfe<.u64|.s64> %lo, %l0, %r1, %r2;", "iss", RESULT_BITS, {0, 0}},
    {"cvt.u32.u64 %r3, %l1; and.b32 %r3, %r3, 63; bfi.b32 %ro, %r0, %r1, %r2, %r3;", "iis", RESULT_BITS, {0, 0}},
    {"and.b32 %r3, %r1, 127; bfi.b64 %lo, %l0, %l1, %r2, %r3;", "iis", RESULT_BITS, {0, 0}},
    {"<bmsk.clamp|bmsk.wrap>.b32 %ro, %r0, %r1;", "ssi", RESULT_BITS, {0, 0}},
    {"szext<.clamp|.wrap><.u32|.s32> %ro, %r0, %r1;", "isi", RESULT_BITS, {0, 0}},
    {"prmt.b32<|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16> %ro, %r0, %r1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"lop3.b32 %ro, %r0, %r1, %r2, <0x00|0x80|0xfe|0x96|0xe8|0xca|0xd8|0x1b|0x2c|0x6a|0xff|0x35>;", "iii", RESULT_BITS, {0, 0}},
};

static const op_pattern f32_arithmetic[] = {
    {"<add|sub|mul><.rn|.rz|.rm|.rp><|.ftz><|.sat>.f32 %fo, %f0, %f1;", "fff", RESULT_F32, {0, 0}},
    {"fma<.rn|.rz|.rm|.rp><|.ftz><|.sat>.f32 %fo, %f0, %f1, %f2;", "fff", RESULT_F32, {0, 0}},
    {"mul.rn.f32 %f3, %f0, %f1; neg.f32 %f3, %f3; fma<.rn|.rz|.rm|.rp><|.ftz>.f32 %fo, %f0, %f1, %f3;", "nnn", RESULT_F32, {0, 0}},
    {"div<.rn|.rz|.rm|.rp><|.ftz>.f32 %fo, %f0, %f1;", "fff", RESULT_F32, {0, 0}},
    {"<rcp|sqrt><.rn|.rz|.rm|.rp><|.ftz>.f32 %fo, %f0;", "fff", RESULT_F32, {0, 0}},
    {"<min|max><|.ftz><|.NaN>.f32 %fo, %f0, %f1;", "fff", RESULT_F32, {0, 0}},
    {"<abs|neg><|.ftz>.f32 %fo, %f0;", "fff", RESULT_F32, {0, 0}},
    {"copysign.f32 %fo, %f0, %f1;", "fff", RESULT_BITS, {0, 0}},
    {"testp<.finite|.infinite|.number|.notanumber|.normal|.subnormal>.f32 %po, %f0;", "fff", RESULT_BITS, {0, 0}},
};

static const op_pattern f64_arithmetic[] = {
    {"<add|sub|mul><.rn|.rz|.rm|.rp>.f64 %do, %d0, %d1;", "ddd", RESULT_F64, {0, 0}},
    {"fma<.rn|.rz|.rm|.rp>.f64 %do, %d0, %d1, %d2;", "ddd", RESULT_F64, {0, 0}},
    {"mul.rn.f64 %d3, %d0, %d1; neg.f64 %d3, %d3; fma<.rn|.rz|.rm|.rp>.f64 %do, %d0, %d1, %d3;", "ddd", RESULT_F64, {0, 0}},
    {"div<.rn|.rz|.rm|.rp>.f64 %do, %d0, %d1;", "ddd", RESULT_F64, {0, 0}},
    {"<rcp|sqrt><.rn|.rz|.rm|.rp>.f64 %do, %d0;", "ddd", RESULT_F64, {0, 0}},
    {"<min|max>.f64 %do, %d0, %d1;", "ddd", RESULT_F64, {0, 0}},
    {"<abs|neg>.f64 %do, %d0;", "ddd", RESULT_F64, {0, 0}},
    {"copysign.f64 %do, %d0, %d1;", "ddd", RESULT_BITS, {0, 0}},
    {"testp<.finite|.infinite|.number|.notanumber|.normal|.subnormal>.f64 %po, %d0;", "ddd", RESULT_BITS, {0, 0}},
};

static const op_pattern f16_arithmetic[] = {
    {"<add|sub|mul>.rn<|.ftz><|.sat>.f16 %ho, %h0, %h1;", "hhh", RESULT_F16, {0, 0}},
    {"<add|sub|mul>.rn<|.ftz><|.sat>.f16x2 %ro, %r0, %r1;", "hhh", RESULT_F16X2, {0, 0}},
    {"fma.rn<|.ftz><|.sat|.relu>.f16 %ho, %h0, %h1, %h2;", "hhh", RESULT_F16, {0, 0}},
    {"fma.rn<|.ftz><|.sat|.relu>.f16x2 %ro, %r0, %r1, %r2;", "hhh", RESULT_F16X2, {0, 0}},
    {"<min|max><|.ftz><|.NaN>.f16 %ho, %h0, %h1;", "hhh", RESULT_F16, {0, 0}},
    {"<min|max><|.ftz><|.NaN>.f16x2 %ro, %r0, %r1;", "hhh", RESULT_F16X2, {0, 0}},
    {"<abs|neg><|.ftz>.f16 %ho, %h0;", "hhh", RESULT_F16, {0, 0}},
    {"<abs|neg><|.ftz>.f16x2 %ro, %r0;", "hhh", RESULT_F16X2, {0, 0}},
    {"setp<.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan>.f16 %po, %h0, %h1;", "hhh", RESULT_BITS, {0, 0}},
    {"set<.eq|.ltu|.nan>.f16x2.f16x2 %ro, %r0, %r1;", "hhh", RESULT_BITS, {0, 0}},
    {"setp<.lt|.geu|.num>.f16x2 %po|%p1, %r0, %r1; selp.b32 %r3, 2, 0, %p1; mov.b32 %ro, %r3;", "hhh", RESULT_BITS, {0, 0}},
};

static const op_pattern xorsign[] = {
    {"<min|max><|.ftz><|.NaN>.xorsign.abs.f32 %fo, %f0, %f1;", "fff", RESULT_F32, {0, 0}},
    {"<min|max>.xorsign.abs.f16 %ho, %h0, %h1;", "hhh", RESULT_F16, {0, 0}},
};

static const op_pattern bf16_arithmetic[] = {
    {"fma.rn<|.relu>.bf16 %ho, %h0, %h1, %h2;", "bbb", RESULT_BF16, {0, 0}},
    {"fma.rn<|.relu>.bf16x2 %ro, %r0, %r1, %r2;", "bbb", RESULT_BF16X2, {0, 0}},
    {"<add|sub|mul>.rn.bf16 %ho, %h0, %h1;", "bbb", RESULT_BF16, {0, 0}},
    {"<add|sub|mul>.rn.bf16x2 %ro, %r0, %r1;", "bbb", RESULT_BF16X2, {0, 0}},
    {"<min|max><|.NaN>.bf16 %ho, %h0, %h1;", "bbb", RESULT_BF16, {0, 0}},
    {"<min|max><|.NaN>.bf16x2 %ro, %r0, %r1;", "bbb", RESULT_BF16X2, {0, 0}},
    {"<abs|neg>.bf16 %ho, %h0;", "bbb", RESULT_BF16, {0, 0}},
    {"<abs|neg>.bf16x2 %ro, %r0;", "bbb", RESULT_BF16X2, {0, 0}},
    {"setp<.eq|.ne|.lt|.le|.gt|.ge|.equ|.ltu|.num|.nan>.bf16 %po, %h0, %h1;", "bbb", RESULT_BITS, {0, 0}},
};

static const op_pattern convert_integer[] = {
    {"cvt<|.sat><.u16|.s16><.u32|.s32> %ho, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<|.sat><.u16|.s16><.u64|.s64> %ho, %l0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<|.sat><.u32|.s32><.u64|.s64> %ro, %l0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<.u32|.s32><.u16|.s16> %ro, %h0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt.sat.u32.s16 %ro, %h0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<.u64|.s64><.u32|.s32> %lo, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt.sat.u64.s32 %lo, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<.u64|.s64><.u16|.s16> %lo, %h0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt.sat.u64.s16 %lo, %h0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<|.sat><.u32.s32|.s32.u32> %ro, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<|.sat><.u64.s64|.s64.u64> %lo, %l0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<|.sat><.u8|.s8><.u32|.s32> %ro, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<|.sat><.u8|.s8><.u64|.s64> %ro, %l0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<.u32|.s32><.u8|.s8> %ro, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<.u64|.s64><.u8|.s8> %lo, %r0;", "iii", RESULT_BITS, {0, 0}},
    {"cvt<.u16|.s16><.u8|.s8> %ho, %h0;", "iii", RESULT_BITS, {0, 0}},
};

static const op_pattern convert_from_float[] = {
    {"cvt<.rni|.rzi|.rmi|.rpi><|.ftz><.u16|.s16>.f32 %ho, %f0;", "fff", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><|.ftz><.u32|.s32>.f32 %ro, %f0;", "fff", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><|.ftz><.u64|.s64>.f32 %lo, %f0;", "fff", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u8|.s8>.f32 %ro, %f0;", "III", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u16|.s16>.f32 %ho, %f0;", "III", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u32|.s32>.f32 %ro, %f0;", "III", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u64|.s64>.f32 %lo, %f0;", "III", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u16|.s16>.f64 %ho, %d0;", "ddd", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u32|.s32>.f64 %ro, %d0;", "ddd", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u64|.s64>.f64 %lo, %d0;", "ddd", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u32|.s32>.f64 %ro, %d0;", "JJJ", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u64|.s64>.f64 %lo, %d0;", "JJJ", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u16|.s16>.f16 %ho, %h0;", "hhh", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u32|.s32>.f16 %ro, %h0;", "hhh", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u64|.s64>.f16 %lo, %h0;", "hhh", RESULT_BITS, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><|.ftz><|.sat>.f32.f32 %fo, %f0;", "fff", RESULT_F32, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><|.sat>.f64.f64 %do, %d0;", "ddd", RESULT_F64, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi>.f16.f16 %ho, %h0;", "hhh", RESULT_F16, {0, 0}},
};

static const op_pattern convert_to_float[] = {
    {"cvt<.rn|.rz|.rm|.rp><|.sat>.f32<.u16|.s16> %fo, %h0;", "iii", RESULT_F32, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp><|.sat>.f32<.u32|.s32> %fo, %r0;", "iii", RESULT_F32, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.f32<.u64|.s64> %fo, %l0;", "iii", RESULT_F32, {0, 0}},
    {"cvt.rn.f32<.u8|.s8> %fo, %r0;", "iii", RESULT_F32, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.f64<.u32|.s32> %do, %r0;", "iii", RESULT_F64, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.f64<.u64|.s64> %do, %l0;", "iii", RESULT_F64, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.f16<.u16|.s16> %ho, %h0;", "iii", RESULT_F16, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.f16<.u32|.s32> %ho, %r0;", "iii", RESULT_F16, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.f16<.u64|.s64> %ho, %l0;", "iii", RESULT_F16, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp><|.ftz><|.sat>.f32.f64 %fo, %d0;", "ddd", RESULT_F32, {0, 0}},
    {"cvt<|.ftz><|.sat>.f64.f32 %do, %f0;", "fff", RESULT_F64, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp><|.sat>.f16.f32 %ho, %f0;", "fff", RESULT_F16, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.f16.f64 %ho, %d0;", "ddd", RESULT_F16, {0, 0}},
    {"cvt<|.ftz><|.sat>.f32.f16 %fo, %h0;", "hhh", RESULT_F32, {0, 0}},
    {"cvt.f64.f16 %do, %h0;", "hhh", RESULT_F64, {0, 0}},
    {"cvt<.rn|.rz><|.relu>.f16x2.f32 %ro, %f0, %f1;", "fff", RESULT_F16X2, {0, 0}},
    {"cvt<.rn|.rz><|.relu>.bf16x2.f32 %ro, %f0, %f1;", "fff", RESULT_BF16X2, {0, 0}},
    {"cvt<.rn|.rz><|.relu>.bf16.f32 %ho, %f0;", "fff", RESULT_BF16, {0, 0}},
    {"cvt.rna.tf32.f32 %ro, %f0;", "nnn", RESULT_BITS, {0, 0}},
};

static const op_pattern convert_bf16[] = {
    {"cvt.f32.bf16 %fo, %h0;", "bbb", RESULT_F32, {0, 0}},
    {"cvt.f64.bf16 %do, %h0;", "bbb", RESULT_F64, {0, 0}},
    {"cvt<.rni|.rzi|.rmi|.rpi><.u32|.s32>.bf16 %ro, %h0;", "bbb", RESULT_BITS, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.bf16<.u32|.s32> %ho, %r0;", "iii", RESULT_BF16, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.bf16<.u64|.s64> %ho, %l0;", "iii", RESULT_BF16, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.bf16.f64 %ho, %d0;", "ddd", RESULT_BF16, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.bf16.f16 %ho, %h0;", "hhh", RESULT_BF16, {0, 0}},
    {"cvt<.rn|.rz|.rm|.rp>.f16.bf16 %ho, %h0;", "bbb", RESULT_F16, {0, 0}},
    {"cvt.rn.satfinite<|.relu><.e4m3x2|.e5m2x2>.f32 %ho, %f0, %f1;", "fff", RESULT_BITS, {0, 0}},
};

static const op_pattern compare_and_select[] = {
    {"setp<.eq|.ne|.lt|.le|.gt|.ge><.u16|.s16> %po, %h0, %h1;", "iii", RESULT_BITS, {0, 0}},
    {"setp<.eq|.ne|.lt|.le|.gt|.ge><.u32|.s32> %po, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"setp<.eq|.ne|.lt|.le|.gt|.ge><.u64|.s64> %po, %l0, %l1;", "iii", RESULT_BITS, {0, 0}},
    {"setp<.lo|.ls|.hi|.hs>.u32 %po, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"setp<.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan><|.ftz>.f32 %po, %f0, %f1;", "fff", RESULT_BITS, {0, 0}},
    {"setp<.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan>.f64 %po, %d0, %d1;", "ddd", RESULT_BITS, {0, 0}},
    {"setp.ne.b32 %p1, %r2, 0; setp.lt<.and|.or|.xor>.s32 %po|%p2, %r0, %r1, <|!>%p1;"
     " selp.u32 %ro, 2, 0, %p2;", "iii", RESULT_BITS, {0, 0}},
    {"set<.eq|.lt|.geu><.u32|.s32>.f32 %ro, %f0, %f1;", "fff", RESULT_BITS, {0, 0}},
    {"set<.eq|.lt|.gtu><|.ftz>.f32.f32 %fo, %f0, %f1;", "fff", RESULT_BITS, {0, 0}},
    {"set<.eq|.lt|.ge><.u32|.s32><.u32|.s32> %ro, %r0, %r1;", "iii", RESULT_BITS, {0, 0}},
    {"set<.ne|.le>.f32.u32 %fo, %r0, %r1;", "ddd", RESULT_BITS, {0, 0}},
    {"set<.ne|.le>.f32.s64 %fo, %l0, %l1;", "ddd", RESULT_BITS, {0, 0}},
    {"set<.ne|.le>.f32.f64 %fo, %d0, %d1;", "ddd", RESULT_BITS, {0, 0}},
    {"setp.gt.s32 %p1, %r2, 0; selp<.b16|.u16> %ho, %h0, %h1, %p1;", "iii", RESULT_BITS, {0, 0}},
    {"setp.gt.s32 %p1, %r2, 0; selp<.b32|.s32> %ro, %r0, %r1, %p1;", "iii", RESULT_BITS, {0, 0}},
    {"setp.gt.s32 %p1, %r2, 0; selp<.b64|.u64> %lo, %l0, %l1, %p1;", "iii", RESULT_BITS, {0, 0}},
    {"setp.gt.s32 %p1, %r2, 0; selp.f32 %fo, %f0, %f1, %p1;", "ffi", RESULT_BITS, {0, 0}},
    {"setp.gt.s32 %p1, %r2, 0; selp.f64 %do, %d0, %d1, %p1;", "ddi", RESULT_BITS, {0, 0}},
    {"slct.u32.s32 %ro, %r0, %r1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"slct<|.ftz>.s32.f32 %ro, %r0, %r1, %f2;", "iif", RESULT_BITS, {0, 0}},
    {"slct.u64.s32 %lo, %l0, %l1, %r2;", "iii", RESULT_BITS, {0, 0}},
    {"setp.lt.u32 %p1, %r0, %r1; setp.lt.s32 %p2, %r0, %r1; <and|or|xor>.pred %p3, %p1, %p2; not.pred %po, %p3;", "iii", RESULT_BITS, {0, 0}},
    {"setp.lt.u32 %p1, %r0, %r1; @%p1 mov.u32 %ro, %r2; @!%p1 add.u32 %ro, %r0, 7;", "iii", RESULT_BITS, {0, 0}},
};

static const op_pattern approximate[] = {
    {"ex2.approx<|.ftz>.f32 %fo, %f0;", "eee", RESULT_F32, APPROX(0x1p-22, SMALLEST_F32)},
    {"ex2.approx<|.ftz>.f32 %fo, %f0;", "fff", RESULT_F32, APPROX(0x1p-22, SMALLEST_F32)},
    {"lg2.approx<|.ftz>.f32 %fo, %f0;", "fff", RESULT_F32, APPROX(0x1p-22, 0x1p-22)},
    {"<sin|cos>.approx<|.ftz>.f32 %fo, %f0;", "ttt", RESULT_F32, APPROX(0, 0x1p-20)},
    {"rsqrt.approx<|.ftz>.f32 %fo, %f0;", "fff", RESULT_F32, APPROX(0x1p-22, SMALLEST_F32)},
    {"rcp.approx<|.ftz>.f32 %fo, %f0;", "fff", RESULT_F32, APPROX(ULP_F32, SMALLEST_F32)},
    {"sqrt.approx<|.ftz>.f32 %fo, %f0;", "fff", RESULT_F32, APPROX(ULP_F32, SMALLEST_F32)},
    {"div<.approx|.full><|.ftz>.f32 %fo, %f0, %f1;", "nnn", RESULT_F32, APPROX(2 * ULP_F32, SMALLEST_F32)},
    {"div<.approx|.full><|.ftz>.f32 %fo, %f0, %f1;", "fff", RESULT_F32, APPROX(2 * ULP_F32, SMALLEST_F32)},
    {"tanh.approx.f32 %fo, %f0;", "nnn", RESULT_F32, APPROX(0x1p-10, 0x1p-11)},
    {"tanh.approx.f32 %fo, %f0;", "fff", RESULT_F32, APPROX(0x1p-10, 0x1p-11)},
    {"tanh.approx.f16 %ho, %h0;", "qqq", RESULT_F16, {0, 0x1p-10}},
    {"tanh.approx.f16x2 %ro, %r0;", "qqq", RESULT_F16X2, {0, 0x1p-10}},
    {"ex2.approx.f16 %ho, %h0;", "qqq", RESULT_F16, {0x1.5p-9, 0x1p-24}},
    {"ex2.approx.f16x2 %ro, %r0;", "qqq", RESULT_F16X2, {0x1.5p-9, 0x1p-24}},
    {"rsqrt.approx.f64 %do, %d0;", "ddd", RESULT_F64, {0x1p-20, 0}},
    {"<rcp|rsqrt>.approx.ftz.f64 %do, %d0;", "ddd", RESULT_F64, {0x1p-19, 0x1p-1022}},
};

static const op_pattern approximate_bf16[] = {
    {"tanh.approx.bf16 %ho, %h0;", "rrr", RESULT_BF16, {0, 0x1p-7}},
    {"ex2.approx.ftz.bf16 %ho, %h0;", "rrr", RESULT_BF16, {0x1.8p-7, 0x1p-126}},
};

static const op_pattern warp_wide[] = {
    {"and.b32 %r1, %r1, 31; shfl.sync<.up|.down|.bfly|.idx>.b32 %r3|%po, %r0, %r1, <0|31|0x0707|0x1c1f|0x1800|0x181f>, -1; mov.b64 %l3, {%r3, 0}; shl.b64 %lo, %l3, 1;", "isi", RESULT_BITS, {0, 0}},
    {"setp.gt.s32 %p1, %r0, <0|-2147483648>; vote.sync<.all|.any|.uni>.pred %po, <|!>%p1, -1;", "iii", RESULT_BITS, {0, 0}},
    {"setp.gt.s32 %p1, %r0, 0; vote.sync.ballot.b32 %ro, <|!>%p1, -1;", "iii", RESULT_BITS, {0, 0}},
    {"and.b32 %r0, %r0, 3; match.any.sync.b32 %ro, %r0, -1;", "iii", RESULT_BITS, {0, 0}},
    {"and.b64 %l0, %l0, 0x8000000000000001; match.any.sync.b64 %ro, %l0, -1;", "iii", RESULT_BITS, {0, 0}},
    {"and.b32 %r0, %r0, <0|1>; match.all.sync.b32 %r3|%po, %r0, -1; shl.b32 %ro, %r3, 1;", "iii", RESULT_BITS, {0, 0}},
    {"redux.sync<.add|.min|.max><.u32|.s32> %ro, %r0, -1;", "iii", RESULT_BITS, {0, 0}},
    {"redux.sync<.and|.or|.xor>.b32 %ro, %r0, -1;", "iii", RESULT_BITS, {0, 0}},
    {"activemask.b32 %ro;", "iii", RESULT_BITS, {0, 0}},
    {"setp.lt.u32 %p1, %lane, 11; @%p1 bra LOW; redux.sync.add.u32 %ro, %r0, 0xfffff800; bra.uni BOTH;\n"
     "LOW: shfl.sync.idx.b32 %ro, %r0, 5, 31, 0x000007ff;\nBOTH: bar.warp.sync -1;", "iii", RESULT_BITS, {0, 0}},
    {"mov.u32 %ro, <%lanemask_eq|%lanemask_lt|%lanemask_le|%lanemask_gt|%lanemask_ge|%laneid|%ntid.x|%nctaid.x|%ctaid.x>;", "iii", RESULT_BITS, {0, 0}},
};

static const op_pattern warp_wide_90[] = {
    {"elect.sync %ro|%po, -1; shl.b32 %ro, %ro, 1;", "iii", RESULT_BITS, {0, 0}},
};

static const op_pattern atomics[] = {
    {"st.global.b64 [%slot], %l0; atom<|.relaxed.gpu|.acq_rel.sys>.global<.add|.min|.max><.u32|.s32> %r3, [%slot], %r1; ld.global.u32 %r4, [%slot]; mov.b64 %lo, {%r3, %r4};", "iii", RESULT_BITS, {0, 0}},
    {"st.global.b64 [%slot], %l0; atom.global<.inc|.dec>.u32 %r3, [%slot], %r1; ld.global.u32 %r4, [%slot]; mov.b64 %lo, {%r3, %r4};", "iii", RESULT_BITS, {0, 0}},
    {"st.global.b64 [%slot], %l0; atom.global<.and|.or|.xor|.exch>.b32 %r3, [%slot], %r1; ld.global.u32 %r4, [%slot]; mov.b64 %lo, {%r3, %r4};", "iii", RESULT_BITS, {0, 0}},
    {"and.b32 %r0, %r0, 1; and.b32 %r1, %r1, 1; st.global.b32 [%slot], %r0; atom.global.cas.b32 %r3, [%slot], %r1, %r2; ld.global.u32 %r4, [%slot]; mov.b64 %lo, {%r3, %r4};", "iii", RESULT_BITS, {0, 0}},
    {"st.global.b64 [%slot], %l0; atom.global<.add.u64|.min.u64|.min.s64|.max.u64|.max.s64|.and.b64|.or.b64|.xor.b64|.exch.b64> %l3, [%slot], %l1; ld.global.u64 %l4, [%slot]; mul.lo.u64 %l4, %l4, 3; xor.b64 %lo, %l3, %l4;", "iii", RESULT_BITS, {0, 0}},
    {"and.b64 %l0, %l0, 1; and.b64 %l1, %l1, 1; st.global.b64 [%slot], %l0; atom.global.cas.b64 %l3, [%slot], %l1, %l2; ld.global.u64 %l4, [%slot]; mul.lo.u64 %l4, %l4, 3; xor.b64 %lo, %l3, %l4;", "iii", RESULT_BITS, {0, 0}},
    {"st.global.b32 [%slot], %r0; red.global<.add.u32|.min.s32|.max.u32|.xor.b32|.inc.u32> [%slot], %r1; ld.global.u32 %ro, [%slot];", "iii", RESULT_BITS, {0, 0}},
    {"st.global.b32 [%slot], %r0; atom.global.add.f32 %f3, [%slot], %f1; ld.global.f32 %fo, [%slot];", "fff", RESULT_F32, {0, 0}},
    {"st.global.b32 [%slot], %r0; red.global.add.f32 [%slot], %f1; ld.global.f32 %fo, [%slot];", "fff", RESULT_F32, {0, 0}},
    {"st.global.b64 [%slot], %l0; atom.global.add.f64 %d3, [%slot], %d1; ld.global.f64 %do, [%slot];", "ddd", RESULT_F64, {0, 0}},
    {"st.global.b32 [%slot], %r0; atom.global.add.noftz.f16x2 %r3, [%slot], %r1; ld.global.u32 %ro, [%slot];", "hhh", RESULT_F16X2, {0, 0}},
    {"st.global.b32 [%slot], %r0; atom.global.add.noftz.f16 %h3, [%slot], %h1; ld.global.b16 %ho, [%slot];", "hhh", RESULT_F16, {0, 0}},
    {"st.global.b16 [%slot], %h0; and.b16 %h1, %h0, 0xfffe; atom.global.cas.b16 %h3, [%slot], %h1, %h2; ld.global.b16 %ho, [%slot];", "iii", RESULT_BITS, {0, 0}},
    {"st.shared.b32 [%shared], %r0; atom.shared<.add.u32|.min.u32|.min.s32|.max.s32|.inc.u32|.dec.u32|.and.b32|.or.b32|.xor.b32|.exch.b32> %r3, [%shared], %r1; ld.shared.u32 %r4, [%shared]; mov.b64 %lo, {%r3, %r4};", "iii", RESULT_BITS, {0, 0}},
    {"st.shared.b64 [%shared], %l0; atom.shared<.add.u64|.min.s64|.max.u64|.exch.b64> %l3, [%shared], %l1; ld.shared.u64 %l4, [%shared]; mul.lo.u64 %l4, %l4, 3; xor.b64 %lo, %l3, %l4;", "iii", RESULT_BITS, {0, 0}},
    {"st.shared.b32 [%shared], %r0; atom.shared.add.f32 %f3, [%shared], %f1; ld.shared.f32 %fo, [%shared];", "fff", RESULT_F32, {0, 0}},
    {"cvta.shared.u64 %t1, 0; cvt.u64.u32 %t2, %shared; cvta.shared.u64 %t1, %t2; st.u32 [%t1], %r0; atom.add.u32 %r3, [%t1], %r1; ld.u32 %r4, [%t1]; mov.b64 %lo, {%r3, %r4};", "iii", RESULT_BITS, {0, 0}},
};

static const op_pattern memory[] = {
    {"st.global.v2.b64 [%slot], {%l0, %l1}; ld<|.volatile|.relaxed.gpu>.global<.u8|.s8|.u16|.s16|.u32|.s32> %r3, [%slot+<0|4|12>]; mov.b32 %ro, %r3;", "iii", RESULT_BITS, {0, 0}},
    {"st.global.v2.b64 [%slot], {%l0, %l1}; ld.global<|.ca|.cg|.cs|.lu|.cv>.u64 %lo, [%slot+8];", "iii", RESULT_BITS, {0, 0}},
    {"st.global.v4.b32 [%slot+16], {%r0, %r1, %r2, %r0}; ld.global.v4<.u32|.s32|.b32> {%r3, %r4, %r5, %r6}, [%slot+16]; mad.lo.u32 %r3, %r3, 3, %r4; mad.lo.u32 %r5, %r5, 5, %r6; mov.b64 %lo, {%r3, %r5};", "iii", RESULT_BITS, {0, 0}},
    {"st.global.v2.u16 [%slot], {%h0, %h1}; st.global.v4.u8 [%slot+4], {%h0, %h1, %h2, %h0}; ld.global.u64 %lo, [%slot];", "iii", RESULT_BITS, {0, 0}},
    {"st.global.v4.u16 [%slot], {%h0, %h1, %h2, %h0}; ld.global.v4<.u8|.s8> {%h3, %h4, %h5, %h6}, [%slot]; mov.b64 %lo, {%h3, %h4, %h5, %h6};", "iii", RESULT_BITS, {0, 0}},
    {"st<.wb|.cg|.cs|.wt>.global.f64 [%slot], %d0; ld.global.f64 %do, [%slot];", "iii", RESULT_BITS, {0, 0}},
    {"st.shared.v2.b64 [%shared], {%l0, %l1}; ld.shared<.u8|.s8|.u16|.s16|.u32> %r3, [%shared+<0|4|12>]; mov.b32 %ro, %r3;", "iii", RESULT_BITS, {0, 0}},
    {"st.shared.v4.f32 [%shared+16], {%f0, %f1, %f2, %f0}; ld.shared.v2.u64 {%l3, %l4}, [%shared+16]; mad.lo.u64 %lo, %l3, 3, %l4;", "iii", RESULT_BITS, {0, 0}},
    {"st.local.v2.b64 [%local], {%l0, %l1}; ld.local<.u8|.s8|.u16|.s16|.u32> %r3, [%local+<0|4|12>]; mov.b32 %ro, %r3;", "iii", RESULT_BITS, {0, 0}},
    {"st.local.b64 [%local], %l0; st.local.b64 [%local+8], %l1; and.b32 %r3, %r2, 12; cvt.u64.u32 %l3, %r3; add.u64 %l3, %l3, %local; ld.local.u32 %ro, [%l3];", "iii", RESULT_BITS, {0, 0}},
    {"cvta.local.u64 %t1, %local; st.u64 [%t1+8], %l0; ld.local.u64 %lo, [%local+8];", "iii", RESULT_BITS, {0, 0}},
    {"cvta.local.u64 %t1, %local; cvt.u64.u32 %t2, %shared; cvta.shared.u64 %t2, %t2; isspacep.<local|shared|global|const> %po, <%t1|%t2|%slot>;", "iii", RESULT_BITS, {0, 0}},
    {"cvta.to.global.u64 %t1, %slot; st.global.u64 [%t1], %l0; prefetch.global.L2 [%t1]; ld.u64 %lo, [%t1];", "iii", RESULT_BITS, {0, 0}},
    {"st.global.v2.b64 [%slot], {%l0, %l1}; membar.gl; cp.async<.ca|.cg>.shared.global [%shared], [%slot], 16; cp.async.commit_group; cp.async.wait_group 0; ld.shared.v2.u64 {%l3, %l4}, [%shared]; mad.lo.u64 %lo, %l3, 3, %l4;", "iii", RESULT_BITS, {0, 0}},
    {"st.global.v2.b64 [%slot], {%l0, %l1}; st.shared.b64 [%shared], %l2; membar.gl; and.b32 %r3, %r2, 7; cp.async.ca.shared.global [%shared], [%slot], 8, %r3; cp.async.wait_all; ld.shared.u64 %lo, [%shared];", "iii", RESULT_BITS, {0, 0}},
    {"mov.b64 {%r3, %r4}, %l0; mov.b64 %lo, {%r4, %r3};", "iii", RESULT_BITS, {0, 0}},
    {"mov.b64 {%h3, %h4, %h5, %h6}, %l0; mov.b64 %lo, {%h6, %h4, %h3, %h5};", "iii", RESULT_BITS, {0, 0}},
    {"mov.b32 {%h3, %h4}, %r0; mov.b32 %ro, {%h4, %h3};", "iii", RESULT_BITS, {0, 0}},
};

#define FAMILY(name, list, cc) {name, list, sizeof(list) / sizeof((list)[0]), cc}
const op_family op_families[] = {
    FAMILY("integer add, multiply, dot", add_and_multiply, 80),
    FAMILY("integer divide", divide, 80),
    FAMILY("bits and shifts", bits, 80),
    FAMILY("f32 arithmetic", f32_arithmetic, 80),
    FAMILY("f64 arithmetic", f64_arithmetic, 80),
    FAMILY("f16 arithmetic", f16_arithmetic, 80),
    FAMILY("min, max with xorsign", xorsign, 90),
    FAMILY("bf16 arithmetic", bf16_arithmetic, 90),
    FAMILY("convert integers", convert_integer, 80),
    FAMILY("convert from floats", convert_from_float, 80),
    FAMILY("convert to floats", convert_to_float, 80),
    FAMILY("convert bf16, fp8", convert_bf16, 90),
    FAMILY("compare, select", compare_and_select, 80),
    FAMILY("approximations", approximate, 80),
    FAMILY("approximations, bf16", approximate_bf16, 90),
    FAMILY("warp-wide", warp_wide, 80),
    FAMILY("warp-wide, sm_90", warp_wide_90, 90),
    FAMILY("atomics", atomics, 80),
    FAMILY("memory, packing", memory, 80),
};
const size_t op_family_count = sizeof op_families / sizeof op_families[0];
