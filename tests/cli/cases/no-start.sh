# What only reads results gets its device without the driver; what deletes them does not.
export GPUTUNE_FAKE=nostart
$FAKE show axpy | head -n 2
$FAKE wisdom export axpy -q | head -c 7
echo
for command in "forget axpy" "forget --outdated" "warm axpy" "run axpy"; do
    $FAKE $command --driver cuda
    echo "exit $?"
done

# The results of all GPUs, or of a named one, need no GPU at all.
export GPUTUNE_FAKE=nogpu
for option in --any-gpu "--gpu Test"; do
    $FAKE show axpy $option --driver cuda | head -n 2
done
