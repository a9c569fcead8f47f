#!/bin/sh
#SBATCH --job-name=gputune
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=64
#SBATCH --time=02:00:00
#
# Tunes many scenarios on many nodes, whose GPUs are all of one model:
#
#     sbatch slurm.sh gemm --size m=1K,2K,4K --size n=1K,2K,4K --size k=1K,2K,4K
#
# A task for each node takes its part of the scenarios and spreads it over the node's GPUs. Each task
# writes a database of its own into the folder RESULTS, which all nodes must see; they are merged
# into RESULTS.db. Where a task was killed, submit the same again: what is finished is not measured
# once more.
set -u
RESULTS=${RESULTS:-$PWD/gputune-results}
export RESULTS
mkdir -p "$RESULTS" || exit 6
srun --kill-on-bad-exit=0 \
    sh -c 'exec gputune warm "$@" --gpus all --shard auto --db "$RESULTS/$SLURM_PROCID.db"' task "$@"
code=$?
gputune merge "$RESULTS"/*.db -o "$RESULTS.db" || exit
exit $code
