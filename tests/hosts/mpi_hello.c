/* SPDX-License-Identifier: Apache-2.0
 * Says where each rank runs, and that all of them can talk to each other, near and far. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, sum = 0, near = 0;
  char host[256] = "";
  MPI_Comm neighbours;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &neighbours);
  MPI_Comm_size(neighbours, &near);
  gethostname(host, sizeof host - 1);
  printf("rank %d of %d on %s, %d here, sum %d\n", rank, size, host, near, sum);
#ifdef MPICH_VERSION
  /* Over UCX and TCP the MPI_Finalize of MPICH 4.0 may wait for ever: a rank that flushes needs answers of ranks that wait for
   * the launcher and answer nothing. So all leave without it, after a while in which what they said last can get through. */
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  for (double end = MPI_Wtime() + 0.3; MPI_Wtime() < end; usleep(1000)) {
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  }
  _exit(0);
#endif
  MPI_Finalize();
  return 0;
}
