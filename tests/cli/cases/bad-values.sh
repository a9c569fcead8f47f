for value in 0 5 abc 1e999; do
    $FAKE warm axpy --time-limit $value -q >/dev/null
    echo "$value: exit $?"
done
for value in 7 abc -1 99999999999; do
    $FAKE warm axpy --max-variants "$value" -q >/dev/null
    echo "$value: exit $?"
done
for value in 0 1e-3 half; do
    $FAKE warm axpy --epsilon $value -q >/dev/null
    echo "$value: exit $?"
done
