# Sourced by the cases whose workers a command starts. How many there are depends on how long they compile.
export COMPILE_SLOWLY=2

# A tuning of axpy: its row without times. No cold cache, for which the emulator takes longest.
warm() { # DATABASE OPTION...
    database=$1
    shift
    $GPUTUNE warm axpy --driver emu --db "$database" --size n=1000 --only VEC=1,8 --only BLOCK=64,256 --only UNROLL=1 --cache hot \
        --format csv "$@" 2>told | cut -d, -f1-5,14-16
    grep -v 's left' told >&2
}
warm one.db >one
# The same tuning with compile and measure workers that the command starts.
same() { # DATABASE COMMAND
    warm "$1.db" --measure-on "$2" --compile-on "2:$2" >out
    cmp one out && echo "the same"
}
