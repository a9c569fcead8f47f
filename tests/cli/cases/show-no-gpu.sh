# Results of all GPUs, or of a GPU given by name, are shown without a GPU.
export GPUTUNE_FAKE=nogpu
for option in --any-gpu "--gpu Test"; do
    $FAKE show axpy $option --driver cuda -q | cut -c1-35
done
