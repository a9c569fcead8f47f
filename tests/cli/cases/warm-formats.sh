for format in table json csv; do
    $FAKE warm axpy --quiet --format $format
done
