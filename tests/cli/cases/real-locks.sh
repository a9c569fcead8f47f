# runs of a --shard with one database look whether they see each other's locks
exec 2>&1
export GPUTUNE_EMU_FAULTS='cuLaunchKernelEx:*1=~2ms' # slow enough that the runs meet
both() { # DATABASE COMMAND...: two runs at once
    database=$1
    shift
    for rank in 0 1; do
        {
            "$@" $GPUTUNE warm axpy --driver emu -q --db "$database" --size n=1000,2000,3000,5000 --only VEC=1 \
                --only BLOCK=64,256 --only UNROLL=1 --shard $rank/2 >$rank.out 2>$rank.err
            echo $? >$rank.code
        } &
    done
    wait
    cat 0.code 1.code | sort | tail -1
}
both seen.db env
cat 0.err 1.err
echo == a file system that shows them to nobody
# What SQLite makes of such a file system differs: a run that it ends at once is seen by nobody.
for attempt in 1 2 3; do
    rm -f unseen.db*
    both unseen.db env LD_PRELOAD="${FAKE%/*}/no_locks.so" >code
    grep -q 'are not seen here' 0.err 1.err && break
done
cat code && rm code
cat 0.err 1.err | grep 'are not seen here' | sed 's/shard [01] on [^ ]* /shard N on HOST /' | sort -u
ls
