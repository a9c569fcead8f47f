# The batch scripts of examples/, with an srun that starts three tasks on this machine.
exec 2>&1
examples=$(dirname "$0")/../../../examples
mkdir bin
cat >bin/srun <<'SRUN'
#!/bin/sh
[ "$1" = --kill-on-bad-exit=0 ] && shift
for rank in 0 1 2; do
    SLURM_PROCID=$rank SLURM_NTASKS=3 "$@" &
done
wait
SRUN
cat >bin/gputune <<'GPUTUNE'
#!/bin/sh
command=$1
shift
[ "$command" = merge ] || set -- --driver emu -q --format csv "$@"
exec $GPUTUNE "$command" "$@"
GPUTUNE
chmod +x bin/*
export PATH="$PWD/bin:$PATH" GPUTUNE_EMU_DEVICES=h200,h200
export RESULTS=results
warm="axpy --size n=1000,2000,3000,5000 --only VEC=1 --only BLOCK=256 --only UNROLL=1"
sh "$examples/slurm.sh" $warm | grep -c measured
sh "$examples/slurm.sh" $warm | grep -c cached
$GPUTUNE show --driver emu -q --db results.db --format csv | cut -d, -f1-4
echo == Kubernetes
sed -n 's/^ *exec gputune \(.*\)/\1/p; s/^ *\(--gpus .*\)/\1/p' "$examples/kubernetes.yaml" | tr '\n' ' ' >command
cat command
export JOB_COMPLETION_INDEX=3
eval "gputune $(sed 's|/results/|./|; s|gemm|axpy|; s|--size [mnk]=[0-9A-Z,]*||g' command) --size n=1000,2000,3000,4000 \
    --only VEC=1 --only BLOCK=256 --only UNROLL=1" | cut -d, -f2
ls ./3.db
