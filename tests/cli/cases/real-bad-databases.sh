# With an unusable database the work is done, and a warning and the exit code report the problem.
compile() {
    $GPUTUNE warm axpy --compile-only --arch sm_90 --only VEC=1 --only BLOCK=256 --only UNROLL=1 \
        --format csv 2>err | tail -n +2 | cut -d, -f3,4
    grep -v ' compiled, ' err | sed 's| /[^ ]*/| .../|g; s/Permission denied/No such file or directory/'
}
head -c 5000 /dev/zero | tr '\0' x >garbage.db
GPUTUNE_DB=$PWD/garbage.db compile
head -c 100 garbage.db | tail -c 5 && echo
mkdir folder.db
GPUTUNE_DB=$PWD/folder.db compile
GPUTUNE_DB=/proc/x.db compile
