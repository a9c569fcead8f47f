for words in '--strategy modle' '--strategy random,lokal' '--strategy simplex' '--seed x' '--seeds -1' \
    '--evaluations 50,x' '--evaluations 0' '--workers many'; do
    # shellcheck disable=SC2086
    $REPLAY space.json $words
    echo "$words: exit $?"
done
$REPLAY
echo "exit $?"
