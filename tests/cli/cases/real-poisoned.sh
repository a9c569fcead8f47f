# variants that crash, compute wrong, write too far or do not compile cost themselves only
export GPUTUNE_DB=$PWD/x.db
poisoned=$(dirname "$0")/../../poisoned
for kernel in bad.cu:out_of_bounds wrong_result.cu bad.cu:past_the_end bad.cu:no_compile; do
    name=${kernel#*:}
    name=${name%.cu}
    $GPUTUNE warm "$poisoned/$kernel" --driver emu -q --size n=4096 --format csv | tail -n +2 |
        cut -d, -f1,4,14,15,16 | sed 's/BLOCK=[0-9]*/BLOCK=?/'
    $GPUTUNE show $name --driver emu -q --all --format csv | tail -n +2 | cut -d, -f8,9 | sort
done
# again: nothing is tried that is known to be bad
$GPUTUNE warm "$poisoned/bad.cu:out_of_bounds" --driver emu -q --size n=4096 --format csv | tail -n +2 | cut -d, -f16
$GPUTUNE warm "$poisoned/all_wrong.cu" --driver emu -q 2>err
echo "exit $?"
grep -c 'expected 2' err
