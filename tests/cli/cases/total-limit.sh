for value in 0 abc; do
    $FAKE warm axpy --total-limit $value -q >/dev/null
    echo "$value: exit $?"
done
$FAKE warm axpy --total-limit 10 --compile-only -q
echo "with --compile-only: exit $?"
$FAKE warm axpy --size n=1K,1M --total-limit 10 --time-limit 2 -q --format csv | cut -d, -f1,2
# A kernel's first search gets three times as much as the others (axpy has records); unused time goes to later
# searches. The smaller of the two limits counts.
limits() {
    GPUTUNE_FAKE=limit $FAKE warm axpy scale --size n=1K,1M -q --format json "$@" | sed -n 's/.*"stop_reason": *\("[^"]*"\).*/\1/p'
}
limits --total-limit 80
limits --total-limit 80 --time-limit 35
