# compile and measure workers behind a real ssh and sshd, which talk over a pipe: no daemon, no port
exec 2>&1
. "${0%/*}/../left.sh"
export COMPILE_SLOWLY=5
MARK=$PWD
sshd=$(command -v sshd || echo /usr/sbin/sshd)
[ -x "$sshd" ] && [ -d /run/sshd ] && command -v ssh >/dev/null ||
    { echo "no sshd here, or no /run/sshd" && exit 77; }
ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f user && cp user.pub authorized
cat >config <<CONFIG
HostKey $PWD/host
AuthorizedKeysFile $PWD/authorized
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv MARK=$MARK${GPUTUNE_NVRTC:+ GPUTUNE_NVRTC=$GPUTUNE_NVRTC}
CONFIG
cat >there <<SSH
#!/bin/sh
exec ssh -F none -o BatchMode=yes -o IdentitiesOnly=yes -o UserKnownHostsFile=$PWD/known -o LogLevel=ERROR \\
    -o StrictHostKeyChecking=\${CHECK:-accept-new} -o "ProxyCommand=$sshd -i -f $PWD/config" -i $PWD/\$KEY localhost "\$@"
SSH
chmod +x there
ssh-keygen -q -t ed25519 -N '' -f stranger
warm() { # DATABASE COMMAND KERNELS: so many that ssh has its answer before they are tuned
    $GPUTUNE warm $3 --driver emu --db "$1" --size n=1000 --compile-on "$2" -v 2>&1 >/dev/null |
        sed -n "s/.*\( on [0-9]* workers\), .*/\1/p; s/[a-z]*@/USER@/; s/; try: .*; going/; try: ...; going/; /warning/p" | LC_ALL=C sort -u
}
cores=$(nproc)
warm one.db "2:KEY=user ./there" "axpy copy" | sed "s/ $((cores + 2)) / two more than cores /"
warm two.db "KEY=stranger ./there" "axpy copy gather" | sed "s/ $cores / as many as cores /"
echo == measuring there
measure() { # DATABASE [--measure-on COMMAND]
    $GPUTUNE warm axpy --driver emu -q --size n=1000 --only UNROLL=1 --format csv --db "$@" 2>&1 |
        cut -d, -f1-5,14-16
}
measure here.db >here
measure there.db --measure-on 'KEY=user ./there' | cmp here - && echo "the same"
measure none.db --measure-on 'KEY=stranger ./there' | sed 's/[a-z]*@/USER@/; s/; try: .*/; try: .../'
echo == cut in the middle, once
measure cut.db --measure-on 'KEY=user ./there' --force >cut &
command=$!
here() { # FILE TEXT: processes of this folder that have it
    for process in $(grep -lsxz "$2" /proc/[0-9]*/"$1"); do
        process=${process%/*}
        [ "$(readlink "$process/cwd")" != "$PWD" ] || echo "${process#/proc/}"
    done
}
until [ -n "$(here cmdline compile)" ]; do # the one there has answered by then
    sleep 0.05
done
kill -9 $(here cmdline ssh)
wait $command
cmp here cut && echo "the same"
echo == killed
$GPUTUNE warm gemm --driver emu -q --db three.db --size m=256 --size n=256 --size k=256 \
    --compile-on 'KEY=user ./there' --measure-on 'KEY=user ./there' >/dev/null &
command=$!
until [ -n "$(left)" ]; do
    sleep 0.05
done
kill -9 $command
wait $command 2>/dev/null
left_in_the_end
echo "nothing more is left"
