# variants that crash, compute wrong, write too far or do not compile cost themselves only
export GPUTUNE_DB=$PWD/x.db
poisoned=$(dirname "$0")/../../poisoned
for name in out_of_bounds wrong_result past_the_end no_compile; do
    $GPUTUNE warm "$poisoned/$name.cu" --driver emu -q --size n=4096 --format csv | tail -n +2 |
        cut -d, -f1,4,14,15,16 | sed 's/BLOCK=[0-9]*/BLOCK=?/'
    $GPUTUNE show $name --driver emu -q --all --format csv | tail -n +2 | cut -d, -f8,9 | sort
done
# again: nothing is tried that is known to be bad
$GPUTUNE warm "$poisoned/out_of_bounds.cu" --driver emu -q --size n=4096 --format csv | tail -n +2 | cut -d, -f16
$GPUTUNE warm "$poisoned/all_wrong.cu" --driver emu -q 2>err
echo "exit $?"
grep -c 'expected 2' err
