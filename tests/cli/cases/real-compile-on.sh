# compile workers that a command starts: winners are the same, and what goes wrong there is said in one line
exec 2>&1
export MARK="$PWD"
. "${0%/*}/../elsewhere.sh"
. "${0%/*}/../left.sh"
warm two.db --compile-on '2:sh -c "echo >>there; exec \"\$@\"" sh' >two
cmp one two && echo "the same"
wc -l <there
echo == with shares of two GPUs
GPUTUNE_EMU_DEVICES=h200,h200 $GPUTUNE warm axpy --driver emu -q --db three.db --size n=1000,2000 --only VEC=1 --only BLOCK=64,256 \
    --only UNROLL=1 --cache hot --gpus 0,1 --compile-on '3:sh -c "echo >>shared; exec \"\$@\"" sh' --format csv | cut -d, -f1,2,16
wc -l <shared
echo == without measuring
$GPUTUNE warm axpy --db four.db --compile-only --arch sm_90 --only VEC=1 --only BLOCK=64,128 --only UNROLL=1 \
    --compile-on 'echo hello; exec' --format csv 2>&1 | sed '/none has answered/d' | cut -d, -f1-4 # three are compiled before it must have answered
echo == like ssh
cat >ssh <<'SSH'
#!/bin/sh
host=$1
shift
echo "Welcome to $host" # a .bashrc that speaks
case $host in
unknown) echo "ssh: Could not resolve hostname $host: Name or service not known" >&2 && exit 255 ;;
locked) echo "$host: Permission denied (publickey)." >&2 && exit 255 ;;
slow) sleep 0.2 ;;
full) echo "bash: line 1: $1: No space left on device" >&2 && exit 126 ;;
esac
if [ "$host" = cut ]; then # in the middle of a frame
    "$@" | dd bs=1 count=300 2>/dev/null
    echo "Connection to $host closed by remote host." >&2
    exit 255
fi
exec sh -c "$*" # as the remote shell
SSH
chmod +x ssh
for host in slow unknown locked full; do
    warm $host.db --compile-on "./ssh $host" >out 2>errors
    cmp one out && sed "s|$GPUTUNE_WORKER|WORKER|g" errors
done
$GPUTUNE warm axpy --driver emu --db cut.db --size n=1000 --only BLOCK=256 --cache hot --compile-on "./ssh cut" 2>&1 >/dev/null |
    grep 'started again'
echo == mistakes
for text in '' 0:ssh 3: 999:ssh '2: '; do
    warm none.db --compile-on "$text"
done
echo == killed
$GPUTUNE warm gemm --driver emu -q --db five.db --size m=256 --size n=256 --size k=256 \
    --compile-on 'sh -c "echo >>started; exec \"\$@\"" sh' --compile-on 'sh -c "sleep 1000; : pretend" sh' >/dev/null &
command=$!
until [ -e started ]; do
    sleep 0.05
done
[ -n "$(left)" ] && echo "they run"
kill -9 $command
wait $command 2>/dev/null
left_in_the_end
echo "== started by hand"
"$GPUTUNE_WORKER" --command true --stdio </dev/null >/dev/null
echo "exit code $?"
