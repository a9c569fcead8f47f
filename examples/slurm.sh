#!/bin/sh
#SBATCH --job-name=gputune
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=64
#SBATCH --time=02:00:00
#
# Tunes many scenarios on many nodes with GPUs of the same model:
#
#     sbatch slurm.sh gemm --size m=1K,2K,4K --size n=1K,2K,4K --size k=1K,2K,4K
#
# One task per node tunes a part of the scenarios on the node's GPUs. Each task writes its own database
# in the folder RESULTS, which all nodes must share; they are merged into RESULTS.db. If a task was
# killed, submit the same job again: finished scenarios are not measured again.
set -u
RESULTS=${RESULTS:-$PWD/gputune-results}
export RESULTS
mkdir -p "$RESULTS" || exit 6
srun --kill-on-bad-exit=0 \
    sh -c 'exec gputune warm "$@" --gpus all --shard "$SLURM_PROCID/$SLURM_NTASKS" --db "$RESULTS/$SLURM_PROCID.db"' task "$@"
code=$?
gputune merge "$RESULTS"/*.db -o "$RESULTS.db" || exit
exit $code
