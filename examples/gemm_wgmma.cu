// gemm_wgmma: C = A * B^T in bfloat16 with TMA and wgmma, for compute capability 9.0 alone
//
// Each block makes a tile of BM x BN. One thread has TMA bring tiles of A and B, 64 elements of k at
// a time and swizzled by 128 bytes, STAGES ahead; each group of four warps multiplies 64 rows.
#include <cuda_bf16.h>

#pragma gputune kernel(gemm_wgmma)
#pragma gputune problem(m = 4096, n = 4096, k = 4096)
#pragma gputune args(in __nv_bfloat16 a[m][k], in __nv_bfloat16 b[n][k], out float c[m][n], int m, int n, int k)
#pragma gputune tensormap(a, box = (BM, 64), swizzle = 128, l2 = L2)
#pragma gputune tensormap(b, box = (BN, 64), swizzle = 128, l2 = L2)
#pragma gputune tune(BM = 64, 128, 256) tune(BN = 64, 128, 256) tune(STAGES = 2, 3, 4, 6)
#pragma gputune tune(L2 = 0, 256) tune(SWEEP = 1, 8)
#pragma gputune default(BM = 128, BN = 128, STAGES = 4)
#pragma gputune require(BM + BN <= 384)
#pragma gputune block(2 * BM)
#pragma gputune grid(ceil_div(m, BM) * ceil_div(n, BN))
#pragma gputune shared(STAGES * (BM + BN) * 128 + 1024)
#pragma gputune launch_bounds(2 * BM)
#pragma gputune work(flops = 2.0 * m * n * k, bytes = 2.0 * (m * k + n * k) + 4.0 * m * n)
#pragma gputune reference(gemm_reference, block = (16, 16), grid = (ceil_div(n, 16), ceil_div(m, 16)))

#define BK 64

// ---- Barriers and copies ---------------------------------------------------------------------

__device__ uint32_t shared_address(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

__device__ void barrier_init(uint64_t *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

__device__ void barrier_expect(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

__device__ void barrier_wait(uint64_t *barrier, uint32_t parity)
{
    uint32_t done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    }
}

__device__ void copy_tile(void *to, const CUtensorMap *map, int column, int row, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
                 : "memory");
}

// ---- Multiplying -----------------------------------------------------------------------------

// Of a tile of rows of 128 bytes, swizzled by 128 bytes: groups of 8 rows are 1024 bytes apart.
__device__ uint64_t descriptor(const void *tile)
{
    uint64_t start = (shared_address(tile) & 0x3ffff) >> 4;
    return start | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

template <int N> __device__ void multiply(float (&d)[N / 2], uint64_t a, uint64_t b);
template <> __device__ void multiply<64>(float (&d)[32], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "%32, %33, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),
                   "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
                   "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
                   "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b));
}
template <> __device__ void multiply<128>(float (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),
                   "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
                   "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
                   "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
                   "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                   "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
                   "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
                   "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                   "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]),
                   "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
                   "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                   "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                 : "l"(a), "l"(b));
}
template <> __device__ void multiply<256>(float (&d)[128], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
                 "%128, %129, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),
                   "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
                   "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
                   "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
                   "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                   "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
                   "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
                   "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                   "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]),
                   "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
                   "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                   "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]),
                   "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]),
                   "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
                   "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]),
                   "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]),
                   "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
                   "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]),
                   "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]),
                   "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
                   "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]),
                   "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]),
                   "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]),
                   "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
                   "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]),
                   "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]),
                   "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]),
                   "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
                 : "l"(a), "l"(b));
}

__device__ void multiply_tiles(float (&d)[BN / 2], const void *a, const void *b)
{
    uint64_t left = descriptor(a), right = descriptor(b);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < BK / 16; i++) {
        multiply<BN>(d, left + 2 * i, right + 2 * i); // 16 elements are 32 bytes
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// ---- The kernel ------------------------------------------------------------------------------

// SWEEP rows of tiles are worked on together, so that they find B in L2.
__device__ void tile_of_block(int tiles_m, int tiles_n, int *tile_m, int *tile_n)
{
    int sweep = (int)blockIdx.x / (SWEEP * tiles_n), first = sweep * SWEEP;
    int rows = min(SWEEP, tiles_m - first), within = (int)blockIdx.x - first * tiles_n;
    *tile_m = first + within % rows;
    *tile_n = within / rows;
}

__device__ void store(float *c, const float (&d)[BN / 2], int row, int column, int m, int n)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    row += 16 * warp + lane / 4;
    column += lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < BN / 2; i++) {
        int at_row = row + i / 2 % 2 * 8, at_column = column + i / 4 * 8 + i % 2;
        if (at_row < m && at_column < n) {
            c[(size_t)at_row * n + at_column] = d[i];
        }
    }
}

__global__ void gemm_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                           float *c, int m, int n, int k)
{
    extern __shared__ unsigned char raw[];
    __shared__ alignas(8) uint64_t full[STAGES];
    unsigned char *tiles = raw + (1024 - shared_address(raw) % 1024) % 1024;
    const int stage_bytes = (BM + BN) * BK * 2, steps = (k + BK - 1) / BK;
    int tile_m, tile_n;
    tile_of_block((m + BM - 1) / BM, (n + BN - 1) / BN, &tile_m, &tile_n);
    auto bring = [&](int step) {
        unsigned char *stage = tiles + step % STAGES * stage_bytes;
        uint64_t *barrier = &full[step % STAGES];
        barrier_expect(barrier, stage_bytes);
        copy_tile(stage, &a, step * BK, tile_m * BM, barrier);
        copy_tile(stage + BM * BK * 2, &b, step * BK, tile_n * BN, barrier);
    };
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&full[i]);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        for (int step = 0; step < STAGES && step < steps; step++) {
            bring(step);
        }
    }
    __syncthreads();
    float d[BN / 2] = {};
    const int group = threadIdx.x / 128;
    for (int step = 0; step < steps; step++) {
        unsigned char *stage = tiles + step % STAGES * stage_bytes;
        barrier_wait(&full[step % STAGES], step / STAGES % 2);
        multiply_tiles(d, stage + group * 64 * BK * 2, stage + BM * BK * 2);
        __syncthreads(); // all groups have read the stage
        if (threadIdx.x == 0 && step + STAGES < steps) {
            bring(step + STAGES);
        }
    }
    store(c, d, tile_m * BM + group * 64, tile_n * BN, m, n);
}

__global__ void gemm_reference(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int m, int n,
                               int k)
{
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row < m && column < n) {
        float sum = 0;
        for (int i = 0; i < k; i++) {
            sum += __bfloat162float(a[(size_t)row * k + i]) * __bfloat162float(b[(size_t)column * k + i]);
        }
        c[(size_t)row * n + column] = sum;
    }
}
