# The shards together have every scenario once, and --shard auto takes the index from the environment.
exec 2>&1
sizes=n=1,2,3,4,5,6,7,8,9,10,11,12,14,15,16,17,18,19,20,1M,2M,3M,4M,5M
rows() { # OPTION...
    $FAKE warm axpy scale --size $sizes -q --format csv "$@" | tail -n +2 | cut -d, -f1,2
}
rows >all
for count in 1 2 3 4 5 7 8 16 64; do
    index=0
    while [ $index -lt $count ]; do
        rows --shard $index/$count
        index=$((index + 1))
    done >parts
    sort all >a && sort parts >b && cmp a b && echo "$count: $(wc -l <parts)"
done
echo == the same in every version
rows --shard 0/8
$FAKE warm axpy --size n=1 --shard 0/1000
$FAKE warm axpy --size n=1 --shard 1/1000 --format json
echo "exit $?"
echo == auto
export SLURM_STEP_ID=0
try() { # VARIABLE=VALUE... AUTO
    (for word; do
        case $word in
        *=*) export "$word" ;;
        *) $FAKE warm axpy --size n=1,2,3,4 --shard "$word" -q --format csv | cut -d, -f2 ;;
        esac
    done)
}
try SLURM_PROCID=1 SLURM_NTASKS=2 auto
try OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 auto
try PMI_RANK=1 PMI_SIZE=2 SLURM_PROCID=1 SLURM_NTASKS=2 auto/2
try JOB_COMPLETION_INDEX=1 auto/2
echo == not auto
try auto
(unset SLURM_STEP_ID && try SLURM_PROCID=0 SLURM_NTASKS=4 auto)
(unset SLURM_STEP_ID && try SLURM_PROCID=0 SLURM_NTASKS=4 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 auto)
try SLURM_PROCID=1 auto
try SLURM_NTASKS=4 auto
try PMI_SIZE=4 auto/4
try SLURM_PROCID=4 SLURM_NTASKS=4 auto
try SLURM_PROCID=x SLURM_NTASKS=4 auto
try SLURM_PROCID=0 SLURM_NTASKS=4 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 auto
try SLURM_PROCID=0 SLURM_NTASKS=4 auto/8
try JOB_COMPLETION_INDEX=1 auto
try JOB_COMPLETION_INDEX=2 auto/2
for text in '' 1 4/4 -1/4 a/4 1/ 1/x auto/ auto/0 automatic 0/0 0/99999999 ' 0/1'; do
    $FAKE warm axpy --shard "$text"
done
echo "exit $?"
