# A reference written as an expression for each element of each output.
export GPUTUNE_DRIVER=emu GPUTUNE_DB=:memory:
run() { # FILE
    $GPUTUNE run "./$1" -q --format csv -c B=64 -c B=128 | tail -n +2 | cut -d, -f8,9
}
cat >axpy.cu <<'END'
#pragma gputune kernel(axpy) tune(B = 64, 128) block(B) grid(ceil_div(n, B))
#pragma gputune problem(n = 1000) args(inout float y[n], in float x[n], float a = 1.5, int n)
#pragma gputune reference(y[i] = a * x[i] + y[i])
__global__ void axpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] += a * x[i] + (B == 128 && i == 70);
}
END
cat >multiply.cu <<'END'
#pragma gputune kernel(multiply) tune(B = 64, 128) block(B) grid(ceil_div(n * m, B))
#pragma gputune problem(n = 20, m = 30, l = 9) define(HALF = 2)
#pragma gputune args(out float c[n][m], in float a[n][l], in float b[l][m], out int z[ceil_div(n, HALF)], int n, int m, int l)
#pragma gputune reference(c[i][j] = sum(l, [&](int k) { return a[i][k] * b[k][j]; }), z[i] = 2 * i, atol = 1e-4)
__global__ void multiply(float *c, const float *a, const float *b, int *z, int n, int m, int l)
{
    int at = blockIdx.x * B + threadIdx.x;
    float s = 0;
    for (int k = 0; k < l && at < n * m; k++) s += a[at / m * l + k] * b[k * m + at % m];
    if (at < n * m) c[at] = s;
    if (at < (n + 1) / 2) z[at] = 2 * at + (B == 128 && at == 3);
}
END
cat >planes.cu <<'END'
#pragma gputune kernel(planes) tune(B = 64, 128) block(B) grid(ceil_div(n * m * l, B))
#pragma gputune problem(n = 4, m = 30, l = 5, type T = float, double)
#pragma gputune args(out T y[n][m][l], in T x[n][m][l], int n, int m, int l)
#pragma gputune reference(y[i][j][k] = i > 0 ? x[max(i - 1, 0)][j][min(l - 1, l - 1 - k)] : 0)
__global__ void planes(T *y, const T *x, int n, int m, int l)
{
    int at = blockIdx.x * B + threadIdx.x, row = at / l * l, from = row + l - 1 - at % l - m * l;
    if (at < n * m * l) y[at] = at >= m * l ? x[from] : 0;
}
END
run axpy.cu
run multiply.cu
run planes.cu
sed '1i #define max(a, b) ((a) > (b) ? (a) : (b))' planes.cu >macro.cu
run macro.cu
# A member has the name of a buffer.
sed 's/inout/out/; s/float a = 1.5/float2 a = {1.5, 2}/; s/a \* x\[i\] + y\[i\]/a.x * x[i] + a.y/; s/float a,/float2 a,/
    s/+= a \* x\[i\]/= a.y + a.x * x[i]/' axpy.cu >member.cu
run member.cu
# A pointer argument can be null instead of a buffer.
sed 's/float a = 1.5/const unsigned char *bias = null, void *rest = null, &/; s/float a, int n)/const unsigned char *bias, void *rest, &/
    s/a \* x\[i\]/(bias || rest ? 2 : a) * x[i]/g' axpy.cu >null.cu
run null.cu
sed 's/ = null//' null.cu >mistake.cu
run mistake.cu
mistake() { # FILE REFERENCE
    sed "s/reference(.*)/reference($2)/" "$1" >mistake.cu
    run mistake.cu
}
mistake multiply.cu 'c[i] = 0'
mistake axpy.cu 'y[i] = a * x[i] + w'
mistake axpy.cu 'y[i][j] = x[i][j]'
mistake axpy.cu 'y = a * x'
mistake axpy.cu 'x[i] = y[i]'
mistake axpy.cu 'y[i] ='
mistake axpy.cu 'y[2 * i] = 1'
mistake axpy.cu 'y[i] = 1, block = 64'
mistake multiply.cu 'c[i] = 0, z[i] = c[i]'
mistake axpy.cu 'y[i] = sqrt(-2 - x[i])'
# Sizes that are no kernel arguments, and expressions that are not valid C++, work in extents and values.
sed 's/\[n\]/[max(m, 1K)]/g; s/n = 1000/m = 7/; s/y\[i\] = a/y[i] = m/
    s/float a = 1.5, int n/int a = m, int n = max(m, 1K)/; s/float a,/int a,/; s/(n, B)/(max(m, 1K), B)/' axpy.cu >sizes.cu
run sizes.cu
# An expression reads the previous contents of an inout buffer, at other elements and for another output.
cat >neighbours.cu <<'END'
#pragma gputune kernel(shift) tune(B = 64, 128) block(B) grid(1)
#pragma gputune problem(n = 64, m = 50) args(inout float y[n][m], out float z[n * m], int rows = n, int width = m)
#pragma gputune reference(y[i][j] = i + 1 < n ? y[i + 1][j] + y[i][j] : 0, z[i] = y[i])
__global__ void shift(float *y, float *z, int rows, int width)
{
    for (int i = 0; i < rows; i++) {
        for (int j = threadIdx.x; j < width; j += B) {
            int at = i * width + j;
            z[at] = y[at];
            y[at] = i < rows - 1 ? y[at + width] + y[at] : B == 128;
        }
    }
}
END
run neighbours.cu
