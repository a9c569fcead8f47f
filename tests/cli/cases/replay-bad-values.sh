for words in '--strategy random,lokal' '--seeds -1' '--evaluations 50,x' '--evaluations 0'; do
    # shellcheck disable=SC2086
    $REPLAY space.json $words
    echo "$words: exit $?"
done
exit_of $REPLAY
