# The shards together have every scenario once.
exec 2>&1
sizes=n=1,2,3,4,5,6,7,8,9,10,11,12,14,15,16,17,18,19,20,1M,2M,3M,4M,5M
rows() { # OPTION...
    $FAKE warm axpy scale --size $sizes -q --format csv "$@" | tail -n +2 | cut -d, -f1,2
}
rows >all
for count in 1 2 3 4 5 7 8 16 64; do
    index=0
    while [ $index -lt $count ]; do
        rows --shard $index/$count
        index=$((index + 1))
    done >parts
    sort all >a && sort parts >b && cmp a b && echo "$count: $(wc -l <parts)"
done
echo == the same in every version
rows --shard 0/8
$FAKE warm axpy --size n=1 --shard 0/1000
exit_of $FAKE warm axpy --size n=1 --shard 1/1000 --format json
for text in 1 4/4 -1/4 1/x 0/99999999; do
    $FAKE warm axpy --shard "$text"
done
echo "exit $?"
