# On a narrow terminal, text is wrapped and the least important columns are left out.
for columns in 60 100; do
    script -qec "stty cols $columns; NO_COLOR=1 $FAKE show" /dev/null </dev/null | tr -d '\r'
done
