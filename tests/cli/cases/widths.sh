# Tables fit 80 and 200 columns. check is left out, because its findings are lines like a compiler's.
exec 2>/dev/null
echo space >space.t4
while read -r command; do
    for columns in 80 200; do
        COLUMNS=$columns GPUTUNE_FAKE='part race' $FAKE $command >out
        case $columns:$command in # other tables are in their commands' cases
        80:warm* | 80:*--history) echo "== $command" && cat out ;;
        esac
        LC_ALL=C sed 's/[\x80-\xbf]//g' out | LC_ALL=C awk -v columns=$columns -v command="$command" \
            'length > columns { print command " prints a line that is too long: " $0 }'
    done
done <<END
warm axpy scale
show
show --any-gpu
show --all
show --all --any-gpu --history
show --why
run axpy
run axpy -c VEC=1 -c VEC=2
kernels
space axpy
devices
doctor
forget axpy
forget --outdated --dry-run
END
echo == COLUMNS=0
COLUMNS=0 script -qec "stty cols 40; NO_COLOR=1 $FAKE show" /dev/null </dev/null | tr -d '\r'
