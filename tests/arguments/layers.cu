// Textures of CUDA arrays with one to three dimensions, with layers, and with rows of any length.
#pragma gputune kernel(layers)
#pragma gputune problem(w = 67, h = 35, d = 5)
#pragma gputune args(out float y[d][h][w], in float image[d][h][w] = uniform(0, 1), in float line[d][w], in float4 vol[d][h][w], in float p[w], in uint8_t q[h][w] = index, int w, int h, int d)
#pragma gputune texture(image, memory = layered, filter = linear, address = border)
#pragma gputune texture(line, memory = layered) texture(vol, memory = array, address = wrap, coordinates = normalized)
#pragma gputune texture(p, memory = array, filter = linear) texture(q, memory = array, read = normalized)
#pragma gputune tune(BLOCK_X = 16, 32)
#pragma gputune block(BLOCK_X, 4)
#pragma gputune grid(ceil_div(w, BLOCK_X), ceil_div(h, 4), d)
#pragma gputune reference(layers_reference, block = 32, 8, grid = (ceil_div(w, 32), ceil_div(h, 8), d))
__global__ void layers(float *y, cudaTextureObject_t image, cudaTextureObject_t line, cudaTextureObject_t vol, cudaTextureObject_t p, cudaTextureObject_t q, int w, int h, int d)
{
    int i = blockIdx.x * BLOCK_X + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y, k = blockIdx.z;
    if (i >= w || j >= h) return;
    float4 v = tex3D<float4>(vol, (i + 1.5f) / w, (j + 0.5f) / h, (k + 1.5f) / d);
    y[(k * h + j) * w + i] = tex2DLayered<float>(image, i + 1.0f, j + 0.5f, k) + tex1DLayered<float>(line, i + 0.5f, k + 1) + v.x + v.w
       + tex1D<float>(p, i + 1.0f) + tex2D<float>(q, i + 0.5f, j + 0.5f);
}
__global__ void layers_reference(float *y, const float *image, const float *line, const float4 *vol, const float *p, const unsigned char *q, int w, int h, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
    if (i >= w || j >= h) return;
    const float *row = image + (k * h + j) * w;
    float4 v = vol[((k + 1) % d * h + j) * w + (i + 1) % w];
    int up = k + 1 < d ? k + 1 : d - 1;
    y[(k * h + j) * w + i] = 0.5f * (row[i] + (i + 1 < w ? row[i + 1] : 0)) + line[up * w + i] + v.x + v.w
      + 0.5f * (p[i] + p[i + 1 < w ? i + 1 : w - 1]) + q[j * w + i] / 255.0f;
}
