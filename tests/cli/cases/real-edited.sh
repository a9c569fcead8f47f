# After a clause was edited, a tuning has the same result as with a new database, and show lists it once.
write() { # REFERENCE AXIS DEFINE...
    cat <<TEMPLATE
#pragma gputune kernel(k)
#pragma gputune problem(n = 4K)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune($2)
#pragma gputune define($3)
#pragma gputune block(B)
#pragma gputune grid(ceil_div(ALL, B))
#pragma gputune reference($1, rtol = 1e-6)
__global__ void k(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * B + threadIdx.x;
    float w = i < n ? x[i] : 0;
    for (int q = 0; q < LOOPS; q++) w = w * 1.001f + 0.5f;
    if (i < n) y[i] = K * x[i] + (w == 1234.5f ? 1.0f : 0.0f);
}
__global__ void by_element(float *y, const float *x, size_t n)
{
    size_t i = blockIdx.x * 256ul + threadIdx.x;
    if (i < n) y[i] = K * x[i];
}
TEMPLATE
}
warm() { # DATABASE
    GPUTUNE_DB=$PWD/$1.db $GPUTUNE warm ./k.cu --driver emu -q --format csv | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["configuration"], "of", row["variants"], "failed", row["failed"])'
}
try() { # NAME, then write()'s arguments before and after the edit
    echo "$1:"
    write "$2" "$3" "$4" >k.cu
    warm "$1"
    write "$5" "$6" "$7" >k.cu
    warm "$1"
    warm "new-$1"
    GPUTUNE_DB=$PWD/$1.db $GPUTUNE show ./k.cu --driver emu -q --format csv | tail -n +2 | wc -l
}
kernel='by_element, block = 256, grid = ceil_div(n, 256)'
axis='B = 64, 128'
try faster "$kernel" "$axis" 'ALL = n, K = 2, LOOPS = B == 128 ? 900 : 100' \
    "$kernel" "$axis" 'ALL = n, K = 2, LOOPS = B == 128 ? 1 : 100'
try launched "$kernel" "$axis" 'ALL = n / 2, K = 2, LOOPS = 1' "$kernel" "$axis" 'ALL = n, K = 2, LOOPS = 1'
# These edits change the reference and the default, but not the other variant.
try expected "$kernel" "$axis" 'ALL = n, K = B == 64 ? 3 : 2, LOOPS = B == 64 ? 900 : 1' \
    "$kernel" "$axis" 'ALL = n, K = 2, LOOPS = B == 64 ? 900 : 1'
try self self "$axis" 'ALL = n, K = B == 64 ? 3 : 2, LOOPS = B == 64 ? 900 : 1' \
    self "$axis" 'ALL = n, K = 2, LOOPS = B == 64 ? 900 : 1'
try value "$kernel" "$axis" 'ALL = n, K = 2, LOOPS = B == 128 ? 900 : 1' \
    "$kernel" "$axis, 256" 'ALL = n, K = 2, LOOPS = B == 128 ? 900 : 1'
