# Only commands that write or delete results start the driver; the others identify the GPU without it.
export GPUTUNE_FAKE=nostart
$FAKE show axpy -q | cut -c1-21
$FAKE wisdom export axpy -q | head -c 7
echo
for command in "forget axpy" "forget --outdated" "warm axpy" "run axpy"; do
    $FAKE $command --driver cuda
    echo "exit $?"
done

# Results of all GPUs, or of a GPU given by name, are shown without a GPU.
export GPUTUNE_FAKE=nogpu
for option in --any-gpu "--gpu Test"; do
    $FAKE show axpy $option --driver cuda -q | cut -c1-35
done
