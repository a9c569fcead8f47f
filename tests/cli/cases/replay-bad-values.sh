for words in '--strategy modle' '--strategy random,lokal' '--strategy simplex' '--seed x' '--seeds -1' \
    '--evaluations 50,x' '--evaluations 0' '--workers many'; do
    # shellcheck disable=SC2086
    $FAKE replay space.json $words
    echo "$words: exit $?"
done
$FAKE replay
echo "exit $?"
