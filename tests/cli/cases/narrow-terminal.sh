# on a terminal that is narrower than the table, each row is a block, and no line is broken by it
script -qec "stty cols 60; $FAKE show --all" /dev/null | tr -d '\r' | head -n 14
echo "longest: $(script -qec "stty cols 60; $FAKE show --all" /dev/null | tr -d '\r' | wc -L)"
script -qec "stty cols 200; $FAKE kernels" /dev/null | tr -d '\r' | head -n 2
