/* The part of NCCL that is used, declared here so that it is not needed to build, and opened at run time;
 * do not include NVIDIA's header beside it. */
#ifndef RHX_EXCHANGE_NCCL_IMPL_H
#define RHX_EXCHANGE_NCCL_IMPL_H
#include <stddef.h>

typedef struct {
  char bytes[128];
} NcclId;

#define RHX_NCCL_FUNCTIONS(X)                                                                     \
  X(GetVersion, "ncclGetVersion", (int *version))                                                 \
  X(GetUniqueId, "ncclGetUniqueId", (NcclId * id))                                                \
  X(CommInitRank, "ncclCommInitRank", (void **comm, int size, NcclId id, int rank))               \
  X(CommDestroy, "ncclCommDestroy", (void *comm))                                                 \
  X(GroupStart, "ncclGroupStart", (void))                                                         \
  X(GroupEnd, "ncclGroupEnd", (void))                                                             \
  X(Send, "ncclSend", (const void *from, size_t n, int type, int peer, void *comm, void *stream)) \
  X(Recv, "ncclRecv", (void *to, size_t n, int type, int peer, void *comm, void *stream))         \
  X(Broadcast, "ncclBroadcast", (const void *from, void *to, size_t n, int type, int root, void *comm, void *stream))

typedef struct {
#define RHX_MEMBER(member, symbol, parameters) int(*member) parameters;
  RHX_NCCL_FUNCTIONS(RHX_MEMBER)
#undef RHX_MEMBER
  const char *(*GetErrorString)(int code);
  int version; /* 22707 for 2.27.7 */
} Nccl;

enum { NCCL_FLOAT = 7, NCCL_DOUBLE = 8 };

/* path: the library, or empty: searched in the loader's folders, CUDA_HOME and the packages of VIRTUAL_ENV. NULL: why there is
 * none is in reason. Opened once a process. */
const Nccl *RhxNccl(const char *path, char *reason, size_t length);
#endif
