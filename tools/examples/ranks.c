/* Lets all ranks of an MPI job launch the same variant, measured by rank 0. mpicc ranks.c
 * $(pkg-config --cflags --libs gputune) -lcuda; mpirun -np 4 ./a.out */
#include <cuda.h>
#include <gputune.h>
#include <mpi.h>
#include <stdio.h>

static int broadcast(void *user, void *data, size_t bytes)
{
    (void)user;
    return MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    int devices = 0;
    gputune *tuner = NULL;
    gputune_plan *axpy = NULL;
    gputune_info info = GPUTUNE_INFO_INIT;
    gputune_group group = GPUTUNE_GROUP_INIT;
    group.broadcast = broadcast;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &group.rank);
    if (cuInit(0) || cuDeviceGetCount(&devices) || cuDeviceGet(&device, group.rank % devices) ||
        cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context) ||
        gputune_open(&tuner, NULL) < 0 ||
        gputune_tune_together(&axpy, tuner, "axpy", GPUTUNE_SIZES({"n", 65536}), NULL, &group) <
            0) {
        fprintf(stderr, "rank %d: %s\n", group.rank, gputune_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    gputune_plan_info(&info, axpy);
    printf("rank %d: %s (%s)\n", group.rank, info.configuration, gputune_source_name(info.source));
    gputune_plan_release(axpy);
    gputune_close(tuner);
    MPI_Finalize();
    return 0;
}
