/* The link as the exchanges see it. */
#ifndef RHX_EXCHANGE_LINK_IMPL_H
#define RHX_EXCHANGE_LINK_IMPL_H
#include "exchange/exchange.h"
#include "exchange/nccl_impl.h"

struct RhxLink_s {
  RhxLink next;
  PetscInt count;   /* of those who use it */
  RhxDevice device; /* borrowed */
  MPI_Comm comm;    /* a duplicate */
  PetscMPIInt rank, size;
  const Nccl *nccl; /* NULL: through host memory */
  void *nccl_comm, *stream;
  char sentence[1280];
  RhxDeviceProgram program;                  /* of kernels/exchange.cuh; NULL on one rank */
  RhxDeviceFunction pack[2], unpack[2], add; /* by RhxExchangeType */
};

#define RHX_NCCL(link, call)                                                                  \
  do {                                                                                        \
    const int code_ = (link)->nccl->call;                                                     \
    PetscCheck(!code_, PETSC_COMM_SELF, PETSC_ERR_LIB,                                        \
               "NCCL failed at %s: %s (option -exchange_transport host goes without)", #call, \
               (link)->nccl->GetErrorString(code_));                                          \
  } while (0)

static inline int RhxNcclType(RhxExchangeType type) { return type == RHX_EXCHANGE_FLOAT ? NCCL_FLOAT : NCCL_DOUBLE; }
static inline MPI_Datatype RhxMpiType(RhxExchangeType type)
{
  return type == RHX_EXCHANGE_FLOAT ? MPI_FLOAT : MPI_DOUBLE;
}
static inline size_t RhxTypeSize(RhxExchangeType type)
{
  return type == RHX_EXCHANGE_FLOAT ? sizeof(float) : sizeof(double);
}
#endif
