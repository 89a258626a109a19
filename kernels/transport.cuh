// As kernels/momentum.cuh, of the matrix of implicit transport of a mode.
#define RHX_OF_MODES 1
#include <kernels/momentum.cuh>
