// Where ParaView draws: an X server that is there, one of our own, or none. All functions of all ranks.
#ifndef RHX_DISPLAY_H
#define RHX_DISPLAY_H
#include <mpi.h>

bool RhxDisplayOpen(MPI_Comm comm); // DISPLAY, or one Xvfb a node
bool RhxDisplayAlive(MPI_Comm comm);
bool RhxDisplayWatched(MPI_Comm comm, int (*act)(void *), void *context,
                       int *result); // false: the X server died in `act`
void RhxDisplayClose(MPI_Comm comm);
bool RhxEglOpen(); // this rank
#endif
