/* Values that ranks share, on the device: ghosts of node blocks and of matrix rows, and what every rank needs of all. Where NCCL
 * is found and every rank has a device of its own the messages join the device's stream: nothing waits for the host, and all of
 * it can be recorded in a graph. Else they travel through host memory that the device reaches, by MPI, which is right for every
 * MPI, aware of devices or not. On the host exchange/host/halo.h does the same. */
#ifndef RHX_EXCHANGE_H
#define RHX_EXCHANGE_H
#include "device/device.h"
#include <petscsf.h>

PetscErrorCode RhxExchangeRegisterOptions(void); /* -exchange_transport, -exchange_nccl */

typedef enum { RHX_EXCHANGE_FLOAT, RHX_EXCHANGE_DOUBLE } RhxExchangeType;

/* ---- The ranks of a communicator, each with its device ---- */

typedef struct RhxLink_s *RhxLink;
/* The link of device and communicator: made by the first call, gone with the last RhxLinkRestore. Collective, as all here. */
PetscErrorCode RhxLinkGet(RhxDevice device, MPI_Comm comm, RhxLink *link);
PetscErrorCode RhxLinkRestore(RhxLink *link);
/* Messages join the device's stream; false on one rank too. */
PetscErrorCode RhxLinkIsOnStream(RhxLink link, PetscBool *on);
/* One sentence for the user, such as "messages by NCCL 2.27.7"; borrowed, the same on all ranks. */
PetscErrorCode RhxLinkDescribe(RhxLink link, const char **sentence);
/* Memory that kernels and RhxLinkGather can use. */
PetscErrorCode RhxLinkMalloc(RhxLink link, size_t bytes, const char *what, void **ptr);
PetscErrorCode RhxLinkFree(RhxLink link, void *ptr);
/* Rank r has count[r] values of array at first[r]; after it every rank has all. array: of RhxLinkMalloc. */
PetscErrorCode RhxLinkGather(RhxLink link, RhxExchangeType type, const PetscMPIInt *count, const PetscMPIInt *first,
                             void *array);

/* ---- Ghosts ---- */

typedef struct RhxExchange_s *RhxExchange;
/* sf: from entries of this rank (roots) to ghosts (leaves), none of them this rank's own; leaf i is entry first + i of a
 * vector. On one rank nothing is exchanged. */
PetscErrorCode RhxExchangeCreate(RhxDevice device, PetscSF sf, PetscInt first, RhxExchange *exchange);
PetscErrorCode RhxExchangeDestroy(RhxExchange *exchange);
/* Ghosts from their owners: v[entries][width], device memory. Begin packs and, on the stream, sends; End receives. Between them
 * neither own entries nor ghosts may change. Several exchanges of one link are one message a neighbour and, through the host,
 * one wait. */
PetscErrorCode RhxExchangeBegin(PetscInt n, const RhxExchange *exchange, RhxExchangeType type, PetscInt width,
                                void *const *v);
PetscErrorCode RhxExchangeEnd(PetscInt n, const RhxExchange *exchange, RhxExchangeType type, PetscInt width,
                              void *const *v);
PetscErrorCode RhxExchangeGhosts(RhxExchange exchange, RhxExchangeType type, PetscInt width, void *v); /* both */
/* Adds ghosts into their owners, always in the same order. */
PetscErrorCode RhxExchangeAdd(RhxExchange exchange, PetscInt width, double *v);
#endif
