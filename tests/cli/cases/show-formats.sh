for format in json csv; do
    $FAKE show --all --format $format
done
