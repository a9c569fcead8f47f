/* PTX of small kernels, each with its CUDA source in a comment. */
#pragma once

#define PTX ".version 9.0\n.target sm_80\n.address_size 64\n"

/* clang-format off */
/* void add(float *y, float a, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i < n) y[i] += a; } */
__attribute__((unused)) static const char ptx_add[] = PTX
    ".visible .entry add(.param .u64 y, .param .f32 a, .param .u32 n)\n{\n"
    ".reg .pred %p; .reg .f32 %f<3>; .reg .b32 %r<5>; .reg .b64 %d<3>;\n"
    "ld.param.u64 %d0, [y]; ld.param.f32 %f0, [a]; ld.param.u32 %r0, [n];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.s32 %r4, %r1, %r2, %r3; setp.ge.s32 %p, %r4, %r0; @%p bra OUT;\n"
    "mul.wide.s32 %d1, %r4, 4; add.s64 %d2, %d0, %d1;\n"
    "ld.global.f32 %f1, [%d2]; add.f32 %f2, %f1, %f0; st.global.f32 [%d2], %f2;\n"
    "OUT: ret;\n}\n";

/* void spin(volatile int *flag) { while (*flag == 0) ; } */
__attribute__((unused)) static const char ptx_spin[] = PTX
    ".visible .entry spin(.param .u64 flag)\n{\n"
    ".reg .pred %p; .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [flag];\n"
    "L: ld.volatile.global.u32 %r, [%d]; setp.eq.s32 %p, %r, 0; @%p bra L; ret;\n}\n";

/* void wild(int *y, int n) { y[n] = 1; } */
__attribute__((unused)) static const char ptx_wild[] = PTX
    ".visible .entry wild(.param .u64 y, .param .u32 n)\n{\n"
    ".reg .b32 %r<2>; .reg .b64 %d<3>; ld.param.u64 %d0, [y]; ld.param.u32 %r0, [n];\n"
    "mul.wide.s32 %d1, %r0, 4; add.s64 %d2, %d0, %d1; mov.u32 %r1, 1; st.global.u32 [%d2], %r1; ret;\n}\n";

/* void peek(const int *from, int *to) { *to = *from; } */
__attribute__((unused)) static const char ptx_peek[] = PTX
    ".visible .entry peek(.param .u64 from, .param .u64 to)\n{\n"
    ".reg .b32 %r; .reg .b64 %d<2>; ld.param.u64 %d0, [from]; ld.param.u64 %d1, [to];\n"
    "ld.global.u32 %r, [%d0]; st.global.u32 [%d1], %r; ret;\n}\n";

/* struct block { int v[2000]; };
   void large(const __grid_constant__ block b, int *out) { int s = 0; for (int i = 0; i < 2000; i++) s += b.v[i]; *out = s; } */
__attribute__((unused)) static const char ptx_block[] = PTX
    ".visible .entry large(.param .align 4 .b8 b[8000], .param .u64 out)\n{\n"
    ".reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d<2>;\n"
    "mov.b64 %d0, b; ld.param.u64 %d1, [out]; mov.u32 %r0, 0; mov.u32 %r1, 0;\n"
    "L: ld.param.u32 %r2, [%d0]; add.s32 %r1, %r1, %r2; add.s64 %d0, %d0, 4;\n"
    "add.s32 %r0, %r0, 1; setp.ne.s32 %p, %r0, 2000; @%p bra L;\n"
    "st.global.u32 [%d1], %r1; ret;\n}\n";

/* __constant__ int table[4]; __device__ int counter = 7;
   void look(int *out) { out[threadIdx.x] = table[threadIdx.x] + counter; } */
__attribute__((unused)) static const char ptx_table[] = PTX
    ".const .align 4 .b8 table[16];\n.global .align 4 .u32 counter = 7;\n"
    ".visible .entry look(.param .u64 out)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d<5>; ld.param.u64 %d0, [out];\n"
    "mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; mov.u64 %d2, table; add.s64 %d3, %d2, %d1;\n"
    "ld.const.u32 %r1, [%d3]; ld.global.u32 %r2, [counter]; add.s32 %r3, %r2, %r1;\n"
    "add.s64 %d4, %d0, %d1; st.global.u32 [%d4], %r3; ret;\n}\n";

/* extern __shared__ int tile[];
   void __launch_bounds__(256) reverse(int *y) { int t = threadIdx.x; tile[t] = y[t]; __syncthreads(); y[t] = tile[blockDim.x-1-t]; } */
__attribute__((unused)) static const char ptx_tile[] = PTX
    ".extern .shared .align 16 .b8 tile[];\n"
    ".visible .entry reverse(.param .u64 y)\n.maxntid 256, 1, 1\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %d<3>; ld.param.u64 %d0, [y]; mov.u32 %r0, %tid.x;\n"
    "mul.wide.s32 %d1, %r0, 4; add.s64 %d2, %d0, %d1; ld.global.u32 %r1, [%d2];\n"
    "shl.b32 %r2, %r0, 2; mov.u32 %r3, tile; add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1; bar.sync 0;\n"
    "mov.u32 %r5, %ntid.x; not.b32 %r6, %r0; add.s32 %r5, %r5, %r6; shl.b32 %r5, %r5, 2;\n"
    "add.s32 %r5, %r3, %r5; ld.shared.u32 %r7, [%r5]; st.global.u32 [%d2], %r7; ret;\n}\n";

/* void meet(int *here, int *missed) { if (threadIdx.x == 0) here[blockIdx.x] = 1; gputune_grid_sync();
   if (threadIdx.x < gridDim.x && here[threadIdx.x] == 0) atomicAdd(missed, 1); } in grids and blocks of one dimension */
__attribute__((unused)) static const char ptx_meet[] = PTX
    ".visible .entry meet(.param .u64 here, .param .u64 missed)\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %d<8>;\n"
    "ld.param.u64 %d0, [here]; ld.param.u64 %d1, [missed]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %nctaid.x; setp.ne.s32 %p0, %r0, 0; @%p0 bra ARRIVED;\n"
    "mul.wide.u32 %d2, %r1, 4; add.s64 %d2, %d0, %d2; mov.u32 %r3, 1; st.global.u32 [%d2], %r3;\n"
    "ARRIVED: mov.u32 %r4, %envreg1; mov.u32 %r5, %envreg2; cvt.u64.u32 %d3, %r4; cvt.u64.u32 %d4, %r5;\n"
    "bfi.b64 %d5, %d3, %d4, 32, 32; add.s64 %d5, %d5, 4; bar.sync 0; @%p0 bra MET;\n"
    "setp.eq.s32 %p1, %r1, 0; mov.u32 %r6, -2147483647; sub.s32 %r6, %r6, %r2; selp.b32 %r6, %r6, 1, %p1;\n"
    "atom.add.release.gpu.u32 %r7, [%d5], %r6;\n"
    "WAIT: ld.acquire.gpu.u32 %r8, [%d5]; xor.b32 %r8, %r8, %r7; setp.gt.s32 %p1, %r8, -1; @%p1 bra WAIT;\n"
    "MET: bar.sync 0; setp.ge.u32 %p2, %r0, %r2; @%p2 bra OUT;\n"
    "mul.wide.u32 %d6, %r0, 4; add.s64 %d7, %d0, %d6; ld.volatile.global.u32 %r9, [%d7];\n"
    "setp.ne.s32 %p2, %r9, 0; @%p2 bra OUT; atom.global.add.u32 %r10, [%d1], 1;\n"
    "OUT: ret;\n}\n";

/* void take(unsigned *got, unsigned long long bytes, int then) { int i = threadIdx.x; unsigned *p = (unsigned *)malloc(bytes);
   if (!p) return; p[0] = 1; got[i] += p[0]; if (then) free(p); if (then == 2) free(p); if (then == 3) got[i] += p[0];
   if (then == 4) { p = (unsigned *)malloc(bytes); p[bytes / 4] = 1; } } */
#define MALLOC "{ .param .b64 in; st.param.b64 [in+0], %d1; .param .b64 out; call.uni (out), malloc, (in); ld.param.b64 %d2, [out+0]; }\n"
#define FREE   "{ .param .b64 in; st.param.b64 [in+0], %d2; call.uni free, (in); }\n"
__attribute__((unused)) static const char ptx_take[] = PTX
    ".extern .func (.param .b64 out) malloc(.param .b64 in);\n.extern .func free(.param .b64 in);\n"
    ".visible .entry take(.param .u64 got, .param .u64 bytes, .param .u32 then)\n{\n"
    ".reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<6>;\n"
    "ld.param.u64 %d0, [got]; ld.param.u64 %d1, [bytes]; ld.param.u32 %r0, [then];\n" MALLOC
    "setp.eq.s64 %p, %d2, 0; @%p bra OUT; mov.u32 %r1, 1; st.u32 [%d2], %r1;\n"
    "mov.u32 %r2, %tid.x; mul.wide.s32 %d3, %r2, 4; add.s64 %d4, %d0, %d3;\n"
    "ld.global.u32 %r3, [%d4]; add.s32 %r3, %r3, 1; st.global.u32 [%d4], %r3;\n"
    "setp.eq.s32 %p, %r0, 0; @%p bra OUT;\n" FREE
    "setp.ne.s32 %p, %r0, 2; @%p bra USE;\n" FREE
    "USE: setp.ne.s32 %p, %r0, 3; @%p bra PAST;\n"
    "ld.u32 %r4, [%d2]; add.s32 %r4, %r3, %r4; st.global.u32 [%d4], %r4;\n"
    "PAST: setp.ne.s32 %p, %r0, 4; @%p bra OUT;\n" MALLOC
    "and.b64 %d5, %d1, -4; add.s64 %d5, %d2, %d5; st.u32 [%d5], %r1;\n"
    "OUT: ret;\n}\n";
#undef MALLOC
#undef FREE
/* clang-format on */
