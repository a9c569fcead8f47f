for command in warm show run check compare kernels space emit embed devices doctor forget prune merge replay wisdom report export; do
    $FAKE help $command || echo "exit $?"
    echo ==
done
$FAKE template --help
$FAKE help help | head -n 1
$FAKE show --help | head -n 1
