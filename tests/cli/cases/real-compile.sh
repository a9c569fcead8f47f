export GPUTUNE_DB=$PWD/x.db
for time in first second; do
    $GPUTUNE warm axpy -q --compile-only --arch sm_90 --only VEC=1,4 --only BLOCK=256 --only UNROLL=1,2 \
        --format csv | cut -d, -f2-4
done
stat -c %a x.db
