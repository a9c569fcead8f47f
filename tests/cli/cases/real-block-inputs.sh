# Parameter blocks are filled from expressions of the index or from files, by the template or by --input.
. "${0%/*}/../npy.sh"
# The files have the shorts 0 1 2 3, 3 2 1 0, and 0 1 2.
printf '\000\000\001\000\002\000\003\000' | npy up.npy '<i2' '(2, 2)'
printf '\003\000\002\000\001\000\000\000' | npy down.npy '<i2' '(4,)'
printf '\000\000\001\000\002\000' | npy short.npy '<i2' '(3,)'
cat >k.cu <<'END'
#pragma gputune kernel(k) problem(n = 100) tune(BLOCK = 64, 128) block(BLOCK) grid(1)
#pragma gputune args(out int y[n], int n)
#pragma gputune constant(order : short[4] : file("up.npy"))
#pragma gputune constant(corners : float2[4] : index * 0.5)
#pragma gputune pass(back : int[4] = value, constant, global : 3 - index)
#pragma gputune reference(wanted)
__constant__ short order[4];
__constant__ float2 corners[4];
__global__ void k(GPUTUNE_PARAM(back) int *y, int n)
{
    for (int i = threadIdx.x; i < n; i += BLOCK) {
        const float2 corner = corners[i % 4];
        y[i] = corner.x == i % 4 && corner.y == i % 4 + 0.5f ? order[i % 4] + back(i % 4) : -1;
    }
}
__global__ void wanted(const int *back, int *y, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        y[i] = order[0] == 0 ? 3 : 6 - 2 * (i % 4);
    }
}
END
tune() {
    $GPUTUNE warm ./k.cu --driver emu -q --format csv "$@" | tail -n +2 | cut -d, -f1,2
    echo "exit $?"
}
tune
tune --input order=down.npy
# Different data make a different scenario.
$GPUTUNE show k --driver emu --format csv | tail -n +2 | grep -o 'seed=[^,]*' | sed 's/=[0-9a-f]\{32\}/=HASH/' | sort
for input in order=short.npy corners=up.npy nothing=up.npy; do
    exit_of $GPUTUNE run ./k.cu --driver emu -q -i "$input"
done
# The message about a wrong reference mentions the file that was used.
sed -i 's/order\[0\] == 0 ? 3 :/order[0] == 0 ? 4 :/' k.cu
exit_of $GPUTUNE run ./k.cu --driver emu -q
