# Exported results can be read by replay, and by Kernel Tuner's reader in simulation mode.
one="--driver emu -q --only VEC=1,4,8 --only BLOCK=256,1024 --only UNROLL=1,8"
$GPUTUNE warm axpy $one --size n=1000 --strategy exhaustive >/dev/null
for format in t4 kernel-tuner; do
    $GPUTUNE export axpy --format $format -q -o $format.json
    $REPLAY $format.json --seeds 2 --evaluations 50 --format json |
        sed -n 's/.*\("configurations".*\), "optimum_ns".*/\1/p'
done
# The export lists the axes with their values, and the failed variants with their reason.
sed -n '2p;4,9p' kernel-tuner.json
grep -o '"8,1024,8,float".*"message"' kernel-tuner.json
grep -o '"configuration": {"VEC": 8, "BLOCK": 1024, "UNROLL": 8, "T": "float"}\|"invalidity": "runtime", "correctness": 1, "measurements": \[\]' t4.json
grep -o 'a block of [^"]*' kernel-tuner.json
# Kernel Tuner looks for a closing brace on the last line.
tail -c 4 kernel-tuner.json
read="$("${KERNEL_TUNER_PYTHON:-python3}" "$(dirname "$0")/../../../tools/bench/read_by_kernel_tuner.py" \
    kernel-tuner.json 2>&1)"
case $read in
skipped* | "") ;;
*12\ configurations,\ 11\ with\ a\ time*failures:\ RuntimeFailedConfig) ;;
*) echo "Kernel Tuner: $read" ;;
esac
# With several scenarios, export asks for one and lists them.
$GPUTUNE warm axpy $one --size n=2000 >/dev/null
$GPUTUNE export axpy 2>&1 | sed 's/--scenario [0-9a-f]*/--scenario H/'
$GPUTUNE export axpy --size n=2K 2>&1 | sed 's/--scenario [0-9a-f]*/--scenario H/'
$GPUTUNE export axpy --size n=2000 -q | sed -n 2p
hash=$($GPUTUNE show axpy --driver emu -q -f json | sed -n 's/.*"n=1000 T=float".*"scenario": "\([0-9a-f]\{8\}\).*/\1/p')
$GPUTUNE export axpy --scenario "$hash" -q | sed -n 2p
$GPUTUNE export axpy --gpu a100 >/dev/null 2>&1
echo "exit $?"
$GPUTUNE export axpi
exit_of $GPUTUNE export copy
exit_of $GPUTUNE export axpy --size n=2000 -o no-folder/x.json
exit_of $GPUTUNE export axpy --db typo.db
ls
