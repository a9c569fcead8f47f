# Merged results of shards equal those of a single run, even after a kill. Shards can share one database.
exec 2>&1
warm() { # DATABASE OPTION...
    database=$1
    shift
    $GPUTUNE warm axpy --driver emu -q --db "$database" --size n=1000,2000,3000,4000,5000,7000 --only VEC=1 \
        --only BLOCK=64,256 --only UNROLL=1 --format csv "$@"
}
winners() { # DATABASE
    $GPUTUNE show --driver emu -q --db "$1" --format csv | cut -d, -f1-5 | sort
}
warm single.db >/dev/null
winners single.db >single
wc -l <single
echo == one database per rank, and one rank is killed
for rank in 1 2; do
    warm $rank.db --shard $rank/3 >$rank.out &
done
(
    export COMPILE_SLOWLY=1 GPUTUNE_EMU_FAULTS='cuLaunchKernelEx:*1=~1ms' # slow enough to be killed in the middle
    exec $GPUTUNE warm axpy --driver emu -q --db 0.db --size n=1000,2000,3000,4000,5000,7000 --only VEC=1 \
        --only BLOCK=64,256 --only UNROLL=1 --shard 0/3
) >/dev/null &
rank=$!
finished() { # DATABASE
    $GPUTUNE show --driver emu -q --db "$1" --format json 2>/dev/null | grep -c '"unfinished": false'
}
until [ "$(finished 0.db)" != 0 ]; do
    sleep 0.2
done
kill -9 $rank
wait
finished=$(finished 0.db)
warm 0.db --shard 0/3 >0.out
cut -d, -f2 0.out
[ "$(grep -c cached 0.out)" = "$finished" ] && echo "scenarios that were finished are not measured again"
grep -q measured 0.out && echo "the other scenarios are measured"
$GPUTUNE merge 0.db 1.db 2.db -o merged.db
winners merged.db | cmp - single && echo "the shards together found the winners of a single run"
echo == one database for all ranks
for rank in 0 1 2; do
    warm shared.db --shard $rank/3 >$rank.out &
done
wait
cat 0.out 1.out 2.out | grep -c measured
winners shared.db | cmp - single && echo "the shards together found the winners of a single run"
