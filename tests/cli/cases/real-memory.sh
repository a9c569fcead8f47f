# --memory limits what a tuning allocates; a limit that is too small says how much is needed.
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=$PWD/x.db
for command in warm run; do
    for memory in 1K 10M 200M; do
        $GPUTUNE $command axpy -q --size n=64K --memory $memory >rows
        echo "$command --memory $memory: exit $?, $(tail -n +2 rows | wc -l) row"
    done
done
# scratch counts, too: each variant of a pipeline has its own
$GPUTUNE warm reduce -q --size n=64K --memory 10M >rows
$GPUTUNE warm axpy --memory much
$GPUTUNE warm axpy --force --size n=64K --memory 1K 2>notes | tail -n +2 | wc -l
grep -v 'not tried' notes >&2 # how much of the proof has time depends on the machine
