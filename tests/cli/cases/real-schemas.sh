# Every command's JSON is valid by its schema, from canned answers and from the emulator.
tests=$(cd "$(dirname "$0")/.." && pwd)
unset GPUTUNE_DB
python3 -c 'import jsonschema' 2>/dev/null || exit 0 # tools/setup installs it
count=0
fake() {
    count=$((count + 1))
    $FAKE "$@" --format json -q >"$count-fake-$1.json" 2>/dev/null
}
real() {
    count=$((count + 1))
    $GPUTUNE "$@" --format json -q >"$count-real-$1.json"
}
replays() {
    count=$((count + 1))
    $REPLAY "$@" --format json -q >"$count-real-replay.json"
}
page() { # stores the data of a report
    count=$((count + 1))
    "$@" report | sed '1,/id="data">/d; /<\/script>/,$d' >"$count-report.json"
}
for words in '' restricted part bad-default broken; do
    export GPUTUNE_FAKE=$words
    for more in '' --all --why; do
        fake show $more
    done
    fake warm axpy scale
    fake run axpy
    fake run axpy -c VEC=1 -c VEC=2
    fake forget axpy
    fake forget --outdated
    page $FAKE
done
export GPUTUNE_FAKE="race nonvrtc"
fake check axpy
fake doctor
fake devices
fake kernels
fake space axpy
fake warm axpy --compile-only --arch sm_90
GPUTUNE_FAKE=rules fake show --rules
export GPUTUNE_DB=$PWD/x.db
emu="--driver emu"
axpy="-s n=1000 --only VEC=1,4 --only BLOCK=64 --only UNROLL=1"
real warm axpy $emu $axpy
real show $emu
real show $emu --all
real show $emu --all --history
real show axpy $emu --why --history
real show axpy $emu --why
page $GPUTUNE
real run axpy $emu -s n=1000
real check axpy --max-variants 1
real kernels
real devices $emu
real doctor $emu
real space gemm $emu
real warm axpy --compile-only --arch sm_90 --only VEC=1 --only BLOCK=64 --only UNROLL=1
$GPUTUNE export axpy -o space.json -q
$GPUTUNE warm axpy $emu $axpy --only BLOCK=64,1024 --only UNROLL=1,8 -q >failed # a block of 1024 fails
$GPUTUNE export axpy -o t4.json -q
$GPUTUNE export axpy --format kernel-tuner -o kernel-tuner.json -q
replays space.json --seeds 2 --evaluations 2
replays space.json --seeds 2 --evaluations 2 --workers 2
real forget axpy $emu
real show $emu
"$tests/validate" "$tests/../../schema" ./*.json
