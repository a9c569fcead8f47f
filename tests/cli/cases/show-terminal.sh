# a terminal that is too narrow: words are folded, and what matters least is left out
for columns in 60 100 200; do
    script -qec "stty cols $columns; NO_COLOR=1 $FAKE show" /dev/null </dev/null | tr -d '\r'
done
