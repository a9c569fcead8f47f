# warm, show and run on the emulator.
some="--driver emu -q --size n=1000 --only VEC=1,4 --only BLOCK=64,256 --only UNROLL=1,2"
$GPUTUNE warm axpy $some --format csv | cut -d, -f1-3,16-
$GPUTUNE show --driver emu -q --all --format csv | tail -n +2 | wc -l
# A share of the bandwidth bounds the gain only if memory is the limit.
$GPUTUNE show --driver emu 2>&1 | grep -o 'latency-bound.*'
# The results do not apply to another GPU model.
exit_of $GPUTUNE show --driver emu:a100 -q
$GPUTUNE run axpy --driver emu -q --size n=1000 --config "VEC=4 BLOCK=64" --format csv | cut -d, -f1-4,8,9
# The emulator has no energy.
exit_of $GPUTUNE warm axpy $some --objective energy
