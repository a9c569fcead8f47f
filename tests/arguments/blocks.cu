// Several parameter blocks, including a struct and a __constant__ variable that the caller fills.
struct stencil {
    float weight[3];
    int step;
    bool wrap;
};
__constant__ float bias[16];
#pragma gputune kernel(blocks)
#pragma gputune problem(n = 700)
#pragma gputune pass(s : stencil = value, constant, global : {uniform(0, 1), .step = constant(2), .wrap = constant(1)})
#pragma gputune pass(table : double[600] = value, split, constant, global)
#pragma gputune constant(bias : float[16] : uniform(-2, 2))
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BLOCK = 128) block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune reference(blocks_reference)

__global__ void blocks(GPUTUNE_PARAM(s) GPUTUNE_PARAM(table) float *y, const float *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x;
    if (i >= n) {
        return;
    }
    float sum = bias[i % 16] + float(table(i % 600));
    for (int k = 0; k < 3; k++) {
        size_t at = i + size_t(k * s().step);
        sum += s().weight[k] * (at < n ? x[at] : s().wrap ? x[at - n] : 0.0f);
    }
    y[i] = sum;
}

__global__ void blocks_reference(const stencil *s, const double *table, float *y, const float *x,
                                 size_t n)
{
    size_t i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        float sum = bias[i % 16] + float(table[i % 600]);
        for (int k = 0; k < 3; k++) {
            size_t at = i + size_t(k * s->step);
            sum += s->weight[k] * (at < n ? x[at] : s->wrap ? x[at - n] : 0.0f);
        }
        y[i] = sum;
    }
}
