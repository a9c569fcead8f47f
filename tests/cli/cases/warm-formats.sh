for format in table json csv md; do
    $FAKE warm axpy --quiet --format $format
done
