# show prints the current version of an edited template, and older ones with --history.
exec 2>&1
cp "$(dirname "$0")/../../poisoned/wrong_result.cu" mine.cu
warm() {
    $GPUTUNE warm ./mine.cu --driver emu -q --size n=1000 >/dev/null
}
edit() {
    sed -i "0,/^__global__/s//__device__ int $1;\n__global__/" mine.cu
}
show() { # prints each winner's kernel, and whether it is outdated
    $GPUTUNE show --driver emu -q --format csv "$@" |
        awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "outdated") column = i}
                 NR > 1 {print $1, $column}'
}
warm
edit once
warm
echo "a kernel given by name shows its newest version:"
show wrong_result
show
$GPUTUNE show --driver emu 2>&1 | grep history
echo "history:"
show --history
echo "a kernel given by path shows the version in the file:"
show --history ./mine.cu
edit again
show ./mine.cu
warm
show ./mine.cu
$GPUTUNE show ./mine.cu --history --driver emu -q | grep -c outdated
# forget --outdated deletes the older versions.
outdated() {
    $GPUTUNE forget --outdated --driver emu --format csv "$@" | awk -F, 'NR > 1 {print $1, $2}'
}
outdated -n ./mine.cu
outdated ./mine.cu
show --history ./mine.cu
outdated
exit_of $GPUTUNE forget --outdated --driver emu --db typo.db
# show creates no file.
echo "files:"
exit_of $GPUTUNE show --driver emu --db typo.db
GPUTUNE_DB=$PWD/new/none.db exit_of $GPUTUNE show --driver emu
exit_of $GPUTUNE show --driver emu --db mine.cu
ls
