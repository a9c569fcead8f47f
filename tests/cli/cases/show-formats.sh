for format in json csv md; do
    $FAKE show --all --format $format
done
