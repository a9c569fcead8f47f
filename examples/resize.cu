// y is the image sampled every `step` pixels with interpolation: with a texture's filter, whose weights
// have 8 bits, or with exact weights of four texels, read at their centers from the same texture

#pragma gputune kernel(resize)
#pragma gputune problem(w = 1920, h = 1080)
#pragma gputune args(out float y[h][w], in float image[h][ceil_div(w, 8) * 8] = uniform(0, 1), int w, int h, \
                     float step = 0.6)
#pragma gputune texture(image, filter = linear, address = border, width = w) // rows are padded to 32 bytes
#pragma gputune tune(FILTER = 1, 0) // 1: the texture unit interpolates; 0: the kernel does
#pragma gputune tune(BLOCK_X = 16, 32, 64) tune(BLOCK_Y = 1, 4, 8)
#pragma gputune default(BLOCK_X = 32, BLOCK_Y = 8)
#pragma gputune block(BLOCK_X, BLOCK_Y)
#pragma gputune grid(ceil_div(w, BLOCK_X), ceil_div(h, BLOCK_Y))
#pragma gputune work(bytes = 8 * w * h)
#pragma gputune reference(resize_reference, block = 32, 8, grid = ceil_div(w, 32), ceil_div(h, 8), atol = 0.01)

__global__ void resize(float *y, cudaTextureObject_t image, int w, int h, float step)
{
    int i = blockIdx.x * BLOCK_X + threadIdx.x, j = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (i >= w || j >= h)
        return;
    float u = i * step, v = j * step; // the center of texel (a, b) is at (a + 0.5, b + 0.5)
#if FILTER
    y[j * w + i] = tex2D<float>(image, u + 0.5f, v + 0.5f);
#else
    float a = floorf(u), b = floorf(v), s = u - a, t = v - b;
    float top = (1 - s) * tex2D<float>(image, a + 0.5f, b + 0.5f) + s * tex2D<float>(image, a + 1.5f, b + 0.5f);
    float low = (1 - s) * tex2D<float>(image, a + 0.5f, b + 1.5f) + s * tex2D<float>(image, a + 1.5f, b + 1.5f);
    y[j * w + i] = (1 - t) * top + t * low;
#endif
}

__device__ float pixel(const float *image, int a, int b, int w, int h)
{
    return a >= 0 && a < w && b >= 0 && b < h ? image[b * ((w + 7) / 8 * 8) + a] : 0;
}

__global__ void resize_reference(float *y, const float *image, int w, int h, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w || j >= h)
        return;
    float u = i * step, v = j * step;
    int a = (int)floorf(u), b = (int)floorf(v);
    float s = u - a, t = v - b;
    y[j * w + i] = (1 - t) * ((1 - s) * pixel(image, a, b, w, h) + s * pixel(image, a + 1, b, w, h)) +
                   t * ((1 - s) * pixel(image, a, b + 1, w, h) + s * pixel(image, a + 1, b + 1, w, h));
}
