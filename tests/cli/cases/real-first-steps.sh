# First steps without a GPU, and common mistakes.
exec 2>&1
one="--driver emu --only VEC=1 --only BLOCK=256 --only UNROLL=1"
echo "a size that is too large for the emulator is reported at once, and the others are tuned:"
$GPUTUNE warm axpy $one -q --size n=1K,1G --format csv | cut -d, -f1-2
$GPUTUNE run gemm --driver emu --size m=8K --size n=8K --size k=8K
echo "an explicit time limit replaces the default (this one is too short for the size):"
$GPUTUNE run axpy --driver emu --size n=4M --time-limit 1
$GPUTUNE run axpy --driver emu --size n=4K --time-limit 0.001
echo "a mistyped database path creates no folder:"
$GPUTUNE warm axpy $one --size n=1000 --db no/such/folder/x.db -q >/dev/null
ls
echo "commands use the same names for times:"
names() {
    grep -o '"[a-z_]*_ns"' | sort -u | tr '\n' ' '
    echo
}
$GPUTUNE warm axpy $one --size n=1K --format json | names
$GPUTUNE show axpy --driver emu --format json | names
$GPUTUNE run axpy --driver emu --size n=1K --format json -q | names
echo "grid and block:"
$GPUTUNE warm axpy $one --size n=1K --format json | grep -o '"grid": "[0-9x]*", "block": "[0-9x]*"'
$GPUTUNE run axpy --driver emu --size n=1K --format json -q | grep -o '"grid": "[0-9x]*", "block": "[0-9x]*"'
cp "$(dirname "$0")/../../poisoned/wrong_result.cu" mine.cu
echo "a time limit that is too short; the message names the kernel only once:"
$GPUTUNE warm gemm --driver emu --size "m=4K n=4K k=4K" --time-limit 0.5 2>&1 | grep "warning: .*not tuned" | sed 's/about [0-9]* s/about X s/'
echo "two notes: the size is reduced on the emulator, and a template needs its path:"
$GPUTUNE space axpy --driver emu | head -n 1
$GPUTUNE space axpy --driver emu --size n=1M | head -n 1
$GPUTUNE warm mine --driver emu
