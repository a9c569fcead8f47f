// Textures of linear memory with elements of several types.
#pragma gputune kernel(textures)
#pragma gputune problem(n = 1500)
#pragma gputune args(out float y[n], in float x[n], in int2 p[n] = uniform(-9, 9), in ushort4 q[n] = index, in uint8_t w[n] = index, in double d[n], int n)
#pragma gputune texture(x) texture(p) texture(q) texture(w, read = normalized) texture(d)
#pragma gputune tune(BLOCK = 64, 256)
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune reference(textures_reference)

__global__ void textures(float *y, cudaTextureObject_t x, cudaTextureObject_t p, cudaTextureObject_t q,
                         cudaTextureObject_t w, cudaTextureObject_t d, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        int2 pair = tex1Dfetch<int2>(p, i), bits = tex1Dfetch<int2>(d, i);
        ushort4 four = tex1Dfetch<ushort4>(q, i);
        float beside = tex1Dfetch<float>(x, i + 1); // 0 after the end
        y[i] = beside + pair.x * pair.y + four.x % 7 + four.w % 5 + tex1Dfetch<float>(w, i) +
               (float)__hiloint2double(bits.y, bits.x);
    }
}

__global__ void textures_reference(float *y, const float *x, const int2 *p, const ushort4 *q,
                                   const unsigned char *w, const double *d, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = (i + 1 < n ? x[i + 1] : 0) + p[i].x * p[i].y + q[i].x % 7 + q[i].w % 5 +
               w[i] / 255.0f + (float)d[i];
    }
}
