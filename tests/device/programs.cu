// Small programs with fully determined results. Thread i writes out[i].
typedef unsigned long long u64;
typedef unsigned int u32;
#define PROGRAM(name) extern "C" __global__ void name(u64 *out, const u64 *in)
#define INDEX         (blockIdx.x * blockDim.x + threadIdx.x)

// ---- control flow

PROGRAM(early_exit)
{
    u64 x = in[INDEX];
    out[INDEX] = 1;
    if (x % 3 == 0) {
        return;
    }
    out[INDEX] = 2 + __popcll(x);
    if (threadIdx.x > 100) {
        asm volatile("exit;");
    }
    for (u32 i = 0;; i++) {
        if ((x >> i & 1) || i == 40) {
            out[INDEX] = 1000 + i;
            return;
        }
    }
}

// ---- warps

PROGRAM(split_warps)
{
    u32 x = u32(in[INDEX]), y = 0;
    u32 same = __match_any_sync(~0u, x & 3);
    for (u32 value = 0; value < 4; value++) {
        if ((x & 3) == value) {
            int leader = __ffs(same) - 1;
            y = __shfl_sync(same, x, leader) + __popc(__ballot_sync(same, x & 64));
            y += __reduce_max_sync(same, x >> 8);
            __syncwarp(same);
        }
    }
    out[INDEX] = u64(y) << 32 | __any_sync(~0u, y == 5) << 1 | __all_sync(~0u, y != 9);
}

// ---- atomics

__device__ u32 g_sum, g_min, g_max, g_or, g_xor, g_and = ~0u, g_inc, g_done, g_ready;
__device__ u64 g_sum64, g_max64;
__device__ float g_float;
__device__ double g_double;

PROGRAM(contended_atomics)
{
    __shared__ u32 s_sum, s_xor;
    if (threadIdx.x == 0) {
        s_sum = s_xor = 0;
    }
    __syncthreads();
    u32 x = u32(in[INDEX]);
    atomicAdd(&s_sum, x);
    atomicXor(&s_xor, x * 3);
    atomicAdd(&g_sum, x);
    atomicMin((int *)&g_min, (int)x);
    atomicMax(&g_max, x);
    atomicOr(&g_or, x & 0x0f0f);
    atomicAnd(&g_and, x | 0xff00ff00);
    atomicXor(&g_xor, x);
    atomicInc(&g_inc, 100);
    atomicAdd(&g_sum64, in[INDEX]);
    atomicMax(&g_max64, in[INDEX]);
    atomicAdd(&g_float, float(x & 63)); // the sum is exact in any order
    atomicAdd(&g_double, double(x & 1023));
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&g_done, 1);
        while (atomicAdd(&g_done, 0) < gridDim.x) { // the loop ends, because all blocks are resident
        }
        __threadfence();
    }
    __syncthreads();
    const volatile u32 *words[] = {&g_sum, &g_min, &g_max, &g_or, &g_xor, &g_and, &g_inc};
    u64 y;
    switch (threadIdx.x % 12) {
    case 7: y = *(volatile u64 *)&g_sum64; break;
    case 8: y = *(volatile u64 *)&g_max64; break;
    case 9: y = __float_as_uint(*(volatile float *)&g_float); break;
    case 10: y = __double_as_longlong(*(volatile double *)&g_double); break;
    case 11: y = u64(s_sum) << 32 | s_xor; break;
    default: y = *words[threadIdx.x % 12];
    }
    out[INDEX] = y;
}

__device__ u64 g_product = 1;
PROGRAM(compare_and_swap)
{
    u64 factor = in[INDEX] | 1, seen = g_product, expected;
    do {
        expected = seen;
        seen = atomicCAS(&g_product, expected, expected * factor);
    } while (seen != expected);
    out[INDEX] = INDEX;
    __threadfence();
    if (atomicAdd(&g_ready, 1) + 1 == gridDim.x * blockDim.x) {
        __threadfence();
        out[0] = atomicAdd(&g_product, 0);
    }
}

// ---- memory

__constant__ u32 primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
__constant__ double halves[4] = {0.5, 0.25, 0.125};
__device__ u32 initial[5] = {1, 2, 3};
__device__ u32 *pointer = &initial[1];
__constant__ const u32 *table_of_tables[] = {primes + 4, primes};
PROGRAM(constants)
{
    u64 x = in[INDEX];
    u64 y = primes[x & 15] * 1000000ull + pointer[x & 1] * 1000 + table_of_tables[x >> 4 & 1][x & 7];
    out[INDEX] = y + __double2ull_rn(halves[x & 3] * 64) + initial[x % 5];
}

struct alignas(16) pixel {
    unsigned char r, g, b, a;
    short depth;
    float weight;
    double total;
};
PROGRAM(vectors)
{
    u32 i = INDEX & ~3u;
    const ulonglong2 pair = *(const ulonglong2 *)&in[i];
    const uint4 four = __ldg((const uint4 *)&in[i + 2]);
    const uchar4 bytes = *(const uchar4 *)&in[i];
    const short4 shorts = __ldcs((const short4 *)&in[i + 1]);
    const float2 floats = *(const float2 *)&in[i];
    __shared__ pixel pixels[64];
    pixel p = {bytes.x, bytes.y, bytes.z, bytes.w, shorts.z, float(four.x), double(four.y)};
    pixels[threadIdx.x] = p;
    __syncthreads();
    pixel q = pixels[threadIdx.x ^ 5];
    u64 y = pair.x + 3 * pair.y + (u64(four.z) << 32 | four.w) + __float_as_uint(floats.y);
    y += q.r + q.g * 3 + q.b * 5 + q.a * 7 + q.depth + __float_as_uint(q.weight);
    out[INDEX] = y ^ __double_as_longlong(q.total) ^ u64(long(shorts.w));
}

// ---- arithmetic

PROGRAM(wide_integers)
{
    u64 x = in[INDEX], z = in[INDEX ^ 1] | 1;
    u64 y = x / z + x % z * 3 + __umul64hi(x, z) + (u64)__mul64hi((long long)x, (long long)z);
    long long sx = (long long)(x >> 1), sz = (long long)(z >> 33) + 2;
    y ^= (u64)(-sx / sz) + (u64)(-sx % sz);
    y += u32(x) / (u32(z) | 1) + u32(x) % 1000 + x / 10 + x % 97;
    unsigned __int128 wide = (unsigned __int128)x * z;
    y ^= u64(wide >> 64) + u64(wide >> 17);
    out[INDEX] = y;
}

PROGRAM(bit_tricks)
{
    u64 x = in[INDEX];
    u32 a = u32(x), b = u32(x >> 32);
    u64 y = __clz(a) + 3 * __clzll(x) + 5 * __ffs(b) + 7 * __ffsll(x) + __popc(a) * 11 + __popcll(x);
    y ^= u64(__brev(a)) << 32 | __byte_perm(a, b, b & 0x7777);
    y += __funnelshift_l(a, b, a) + __funnelshift_rc(a, b, b);
    y ^= __brevll(x) + __usad(a, b, 9) + u64(__sad(int(a), int(b), 1)) + __uhadd(a, b);
    y += u32(__dp4a(int(a), int(b), 5)) + __dp2a_lo(ushort2{(unsigned short)a, 3}, uchar4{1, 2, 3, 4}, 7u);
    y ^= u64(__vadd2(a, b)) + __vmaxu4(a, b) + __vabsdiffs4(a, b) + __vcmpgts2(a, b);
    y += u32(__mulhi(int(a), int(b))) + __umulhi(a, b) + u32(__mul24(int(a), int(b)));
    out[INDEX] = y;
}

PROGRAM(float_sums)
{
    float sum = 0, x = __uint_as_float(u32(in[INDEX]));
    for (int i = 0; i < 16; i++) {
        float y = __uint_as_float(u32(in[(INDEX + i) & 1023]));
        sum = fmaf(y, x, sum);
        sum = __fadd_rz(sum, y);
        sum = fminf(fmaxf(sum, -1e30f), 1e30f);
    }
    out[INDEX] = __float_as_uint(sum);
}

PROGRAM(float_division)
{
    float x = __uint_as_float(u32(in[INDEX])), z = __uint_as_float(u32(in[INDEX ^ 3]));
    out[INDEX] = __float_as_uint(threadIdx.x & 1 ? x / z : threadIdx.x & 2 ? sqrtf(x) : 1 / x);
}

PROGRAM(double_division)
{
    double x = __longlong_as_double(in[INDEX]), z = __longlong_as_double(in[INDEX ^ 3]);
    double y = threadIdx.x & 1 ? x / z : threadIdx.x & 2 ? sqrt(x) : __drcp_rd(x);
    out[INDEX] = __double_as_longlong(y);
}

PROGRAM(math_f32)
{
    float x = __uint_as_float(u32(in[INDEX])), p = fabsf(x), y = 0;
    switch (INDEX % 16) {
    case 0: y = sinf(x); break;
    case 1: y = cosf(x); break;
    case 2: y = expf(x); break;
    case 3: y = logf(p); break;
    case 4: y = powf(p, 0.3f); break;
    case 5: y = tanhf(x); break;
    case 6: y = erff(x); break;
    case 7: y = cbrtf(x); break;
    case 8: y = exp2f(x); break;
    case 9: y = log2f(p); break;
    case 10: y = atan2f(x, 1.5f); break;
    case 11: y = rsqrtf(p); break;
    case 12: y = rintf(x) + truncf(x); break;
    case 13: y = floorf(x) - ceilf(x); break;
    case 14: y = log1pf(p); break;
    case 15: y = fmodf(x, 0.7f); break;
    }
    out[INDEX] = __float_as_uint(y);
}

PROGRAM(math_f64)
{
    double x = __longlong_as_double(in[INDEX]), p = fabs(x), y = 0;
    switch (INDEX % 12) {
    case 0: y = sin(x); break;
    case 1: y = cos(x); break;
    case 2: y = exp(x); break;
    case 3: y = log(p); break;
    case 4: y = pow(p, 0.3); break;
    case 5: y = tanh(x); break;
    case 6: y = erf(x); break;
    case 7: y = cbrt(x); break;
    case 8: y = rint(x) + trunc(x); break;
    case 9: y = floor(x) - ceil(x); break;
    case 10: y = rsqrt(p); break;
    case 11: y = atan(x); break;
    }
    out[INDEX] = __double_as_longlong(y);
}

// ---- clusters

#if __CUDA_ARCH__ >= 900
__device__ u32 cluster_word(int which)
{
    u32 v = 0;
    switch (which) {
    case 0: asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(v)); break;
    case 1: asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(v)); break;
    case 2: asm("mov.u32 %0, %%clusterid.x;" : "=r"(v)); break;
    case 3: asm("mov.u32 %0, %%nclusterid.x;" : "=r"(v)); break;
    case 4: asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(v)); break;
    case 5: asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(v)); break;
    }
    return v;
}
__device__ void cluster_sync()
{
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

PROGRAM(cluster_ranks)
{
    u64 y = 0;
    for (int i = 0; i < 6; i++) {
        y = y * 100 + cluster_word(i);
    }
    out[INDEX] = y + (in[INDEX] & 0);
}

__device__ void rotate(u64 *out, const u64 *in)
{
    __shared__ u64 box[64];
    const u32 size = __clusterSizeInBlocks(), rank = __clusterRelativeBlockRank();
    box[threadIdx.x] = in[INDEX] + rank;
    cluster_sync();
    u64 sum = 0;
    for (u32 i = 0; i < size; i++) {
        const u64 *there = (const u64 *)__cluster_map_shared_rank(box, (rank + i) % size);
        sum = sum * 5 + there[(threadIdx.x + i * 7) & 63];
    }
    cluster_sync();
    u64 *next = (u64 *)__cluster_map_shared_rank(box, (rank + 1) % size);
    next[threadIdx.x] = sum;
    cluster_sync();
    out[INDEX] = box[63 - threadIdx.x];
}
PROGRAM(cluster_rotate) { rotate(out, in); }
PROGRAM(cluster_16) { rotate(out, in); }

/* Uses 32-bit maxima, because on an H200 the results of 64-bit maxima
 * in the shared memory of other blocks vary from run to run. */
PROGRAM(cluster_atomics)
{
    __shared__ u32 counts[16];
    __shared__ u32 most;
    const u32 size = __clusterSizeInBlocks();
    if (threadIdx.x < 16) {
        counts[threadIdx.x] = 0;
        most = 0;
    }
    cluster_sync();
    u64 x = in[INDEX];
    u32 *there = (u32 *)__cluster_map_shared_rank(counts, (x >> 4) % size);
    atomicAdd(&there[x & 15], u32(x));
    atomicMax((u32 *)__cluster_map_shared_rank(&most, x % size), u32(x));
    cluster_sync();
    out[INDEX] = threadIdx.x < 60 ? counts[threadIdx.x & 15] : most;
    cluster_sync();
}
#endif
