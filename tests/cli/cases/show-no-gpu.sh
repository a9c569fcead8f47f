# Results of all GPUs, or of a GPU given by name, are shown without a GPU.
export GPUTUNE_FAKE=nogpu
for option in --any-gpu "--gpu Test"; do
    $FAKE show axpy $option --driver cuda 2>&1 | grep -o "^gputune: .*GPUs[^,]*\|^axpy .*9000"
done
