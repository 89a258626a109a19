#include "exchange/exchange.h"
#include "exchange/link_impl.h"
#include "petsc_compat.h"

#define THREADS 256 /* of kernels/exchange.cuh */

/* Entries that travel, in the order of the ranks at the other end. */
typedef struct {
  PetscMPIInt n; /* ranks */
  PetscMPIInt *rank;
  PetscInt *start; /* [n + 1] of a rank's entries */
  void *list;      /* [start[n]] entries, on the device */
  void *buffer;    /* [start[n]][width] */
} Border;

struct RhxExchange_s {
  RhxLink link;
  PetscInt first; /* entry of leaf 0 */
  Border own, ghost;
  PetscInt nshared;                   /* own entries that are ghosts elsewhere */
  void *shared, *shared_start, *slot; /* [nshared], [nshared + 1], blocks of own.buffer that belong to them */
  size_t room;                        /* bytes of an entry that the buffers have room for */
  MPI_Request *request;               /* [own.n + ghost.n] */
};

/* ---- Set-up ---- */

static PetscErrorCode make_border(RhxDevice device, PetscInt n, const PetscMPIInt *rank, const PetscInt *start,
                                  const PetscInt *entry, Border *border)
{
  PetscFunctionBegin;
  border->n = (PetscMPIInt)n;
  PetscCall(PetscMalloc2(n, &border->rank, n + 1, &border->start));
  PetscCall(PetscArraycpy(border->rank, rank, n));
  border->start[0] = 0;
  for (PetscInt k = 0; k < n; k++) border->start[k + 1] = start[k + 1];
  PetscCall(RhxDeviceUpload(device, entry, sizeof(*entry) * border->start[n], "the lists of ghosts", &border->list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which blocks of the buffer each own entry gets, in the order of the ranks. */
static PetscErrorCode make_slots(RhxExchange x, const PetscInt *entry)
{
  const PetscInt n = x->own.start[x->own.n];
  PetscInt *sorted, *slot, *shared, *start;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &sorted, n, &slot, n, &shared, n + 1, &start));
  PetscCall(PetscArraycpy(sorted, entry, n));
  for (PetscInt k = 0; k < n; k++) slot[k] = k;
  PetscCall(PetscSortIntWithArray(n, sorted, slot));
  for (PetscInt k = 0; k < n; k++)
    if (!k || sorted[k] != sorted[k - 1]) {
      shared[x->nshared] = sorted[k];
      start[x->nshared++] = k;
    }
  start[x->nshared] = n;
  for (PetscInt k = 0; k < x->nshared; k++) PetscCall(PetscSortInt(start[k + 1] - start[k], slot + start[k]));
  PetscCall(RhxDeviceUpload(x->link->device, shared, sizeof(*shared) * x->nshared, "the lists of ghosts", &x->shared));
  PetscCall(RhxDeviceUpload(x->link->device, start, sizeof(*start) * (x->nshared + 1), "the lists of ghosts",
                            &x->shared_start));
  PetscCall(RhxDeviceUpload(x->link->device, slot, sizeof(*slot) * n, "the lists of ghosts", &x->slot));
  PetscCall(PetscFree4(sorted, slot, shared, start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Messages ---- */

/* Room for entries of so many bytes; before anything is recorded. */
static PetscErrorCode prepare(RhxExchange x, size_t bytes)
{
  Border *const border[] = {&x->own, &x->ghost};

  PetscFunctionBegin;
  if (bytes <= x->room) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceSynchronize(x->link->device));
  for (int k = 0; k < 2; k++) {
    if (border[k]->buffer) PetscCall(RhxLinkFree(x->link, border[k]->buffer));
    border[k]->buffer = NULL;
    PetscCall(RhxLinkMalloc(x->link, bytes * PetscMax(border[k]->start[border[k]->n], 1), "the buffers of ghosts",
                            &border[k]->buffer));
  }
  x->room = bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxLaunch shape_of(PetscInt values)
{
  return (RhxLaunch){{(unsigned)((values + THREADS - 1) / THREADS)}, {THREADS}, 0};
}

static PetscErrorCode pack(RhxExchange x, Border *border, PetscInt base, RhxExchangeType type, PetscInt width, void *v)
{
  int n = (int)border->start[border->n], w = (int)width, b = (int)base;

  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunchOverlapped(x->link->device, x->link->pack[type], shape_of(width * n),
                                      RHX_ARGUMENTS(&n, &w, &border->list, &b, &v, &border->buffer)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode unpack(RhxExchange x, RhxExchangeType type, PetscInt width, void *v)
{
  Border *border = &x->ghost;
  int n = (int)border->start[border->n], w = (int)width, base = (int)x->first;

  PetscFunctionBegin;
  PetscCall(RhxDeviceLaunch(x->link->device, x->link->unpack[type], shape_of(width * n),
                            RHX_ARGUMENTS(&n, &w, &border->list, &base, &border->buffer, &v)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Part k of a buffer, and how many values it has. */
static char *part(const Border *border, PetscMPIInt k, RhxExchangeType type, PetscInt width, size_t *n)
{
  *n = (size_t)width * (border->start[k + 1] - border->start[k]);
  return (char *)border->buffer + RhxTypeSize(type) * width * border->start[k];
}

/* Joins the stream; between GroupStart and GroupEnd. */
static PetscErrorCode send_on_stream(RhxExchange x, const Border *from, const Border *to, RhxExchangeType type,
                                     PetscInt width)
{
  const RhxLink l = x->link;
  size_t n;

  PetscFunctionBegin;
  for (PetscMPIInt k = 0; k < from->n; k++) {
    const char *at = part(from, k, type, width, &n);
    RHX_NCCL(l, Send(at, n, RhxNcclType(type), from->rank[k], l->nccl_comm, l->stream));
  }
  for (PetscMPIInt k = 0; k < to->n; k++) {
    char *at = part(to, k, type, width, &n);
    RHX_NCCL(l, Recv(at, n, RhxNcclType(type), to->rank[k], l->nccl_comm, l->stream));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The device has packed; done at return. */
static PetscErrorCode send_by_host(RhxExchange x, const Border *from, const Border *to, RhxExchangeType type,
                                   PetscInt width)
{
  MPI_Request *request = x->request;
  size_t n;

  PetscFunctionBegin;
  for (PetscMPIInt k = 0; k < to->n; k++) {
    char *at = part(to, k, type, width, &n);
    PetscCallMPI(MPI_Irecv(at, (PetscMPIInt)n, RhxMpiType(type), to->rank[k], 0, x->link->comm, request++));
  }
  for (PetscMPIInt k = 0; k < from->n; k++) {
    const char *at = part(from, k, type, width, &n);
    PetscCallMPI(MPI_Isend(at, (PetscMPIInt)n, RhxMpiType(type), from->rank[k], 0, x->link->comm, request++));
  }
  PetscCallMPI(MPI_Waitall((PetscMPIInt)(request - x->request), x->request, MPI_STATUSES_IGNORE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One border's buffer to the other's of the neighbours. */
static PetscErrorCode send(RhxExchange x, const Border *from, const Border *to, RhxExchangeType type, PetscInt width)
{
  const RhxLink link = x->link;

  PetscFunctionBegin;
  if (link->nccl) {
    RHX_NCCL(link, GroupStart());
    PetscCall(send_on_stream(x, from, to, type, width));
    RHX_NCCL(link, GroupEnd());
  } else {
    PetscCall(RhxDeviceSynchronize(link->device));
    PetscCall(send_by_host(x, from, to, type, width));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Life ---- */

static PetscErrorCode clear(RhxExchange x, const Border *border)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceZero(x->link->device, border->buffer, sizeof(double) * PetscMax(border->start[border->n], 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NCCL connects two ranks at their first message, which is not to be one that is recorded. */
static PetscErrorCode connect(RhxExchange x)
{
  PetscFunctionBegin;
  PetscCall(clear(x, &x->own));
  PetscCall(clear(x, &x->ghost));
  PetscCall(send(x, &x->own, &x->ghost, RHX_EXCHANGE_DOUBLE, 1));
  PetscCall(send(x, &x->ghost, &x->own, RHX_EXCHANGE_DOUBLE, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxExchangeCreate(RhxDevice device, PetscSF sf, PetscInt first, RhxExchange *out)
{
  const PetscMPIInt *rank;
  const PetscInt *start, *entry;
  PetscInt n;
  RhxExchange x;

  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  x = *out;
  x->first = first;
  PetscCall(RhxLinkGet(device, PetscObjectComm((PetscObject)sf), &x->link));
  if (x->link->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFSetUp(sf));
  PetscCall(PetscSFGetLeafRanks(sf, &n, &rank, &start, &entry));
  PetscCall(make_border(device, n, rank, start, entry, &x->own));
  PetscCall(make_slots(x, entry));
  PetscCall(PetscSFGetRootRanks(sf, &n, &rank, &start, &entry, NULL));
  PetscCall(make_border(device, n, rank, start, entry, &x->ghost));
  PetscCall(PetscMalloc1(x->own.n + x->ghost.n, &x->request));
  PetscCall(prepare(x, sizeof(double)));
  PetscCall(connect(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_border(RhxExchange x, Border *border)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceFree(x->link->device, border->list));
  if (border->buffer) PetscCall(RhxLinkFree(x->link, border->buffer));
  PetscCall(PetscFree2(border->rank, border->start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxExchangeDestroy(RhxExchange *out)
{
  RhxExchange x = *out;

  PetscFunctionBegin;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(free_border(x, &x->own));
  PetscCall(free_border(x, &x->ghost));
  PetscCall(RhxDeviceFree(x->link->device, x->shared));
  PetscCall(RhxDeviceFree(x->link->device, x->shared_start));
  PetscCall(RhxDeviceFree(x->link->device, x->slot));
  PetscCall(PetscFree(x->request));
  PetscCall(RhxLinkRestore(&x->link));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Ghosts ---- */

PetscErrorCode RhxExchangeBegin(PetscInt n, const RhxExchange *exchange, RhxExchangeType type, PetscInt width,
                                void *const *v)
{
  const RhxLink link = n ? exchange[0]->link : NULL;

  PetscFunctionBegin;
  if (!link || link->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(prepare(exchange[k], RhxTypeSize(type) * width));
    PetscCall(pack(exchange[k], &exchange[k]->own, 0, type, width, v[k]));
  }
  if (!link->nccl) PetscFunctionReturn(PETSC_SUCCESS);
  RHX_NCCL(link, GroupStart());
  for (PetscInt k = 0; k < n; k++)
    PetscCall(send_on_stream(exchange[k], &exchange[k]->own, &exchange[k]->ghost, type, width));
  RHX_NCCL(link, GroupEnd());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxExchangeEnd(PetscInt n, const RhxExchange *exchange, RhxExchangeType type, PetscInt width,
                              void *const *v)
{
  const RhxLink link = n ? exchange[0]->link : NULL;

  PetscFunctionBegin;
  if (!link || link->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (!link->nccl) PetscCall(RhxDeviceSynchronize(link->device));
  for (PetscInt k = 0; k < n; k++) {
    if (!link->nccl) PetscCall(send_by_host(exchange[k], &exchange[k]->own, &exchange[k]->ghost, type, width));
    PetscCall(unpack(exchange[k], type, width, v[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxExchangeGhosts(RhxExchange exchange, RhxExchangeType type, PetscInt width, void *v)
{
  PetscFunctionBegin;
  PetscCall(RhxExchangeBegin(1, &exchange, type, width, &v));
  PetscCall(RhxExchangeEnd(1, &exchange, type, width, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxExchangeAdd(RhxExchange x, PetscInt width, double *v)
{
  const RhxLink link = x->link;
  int n = (int)x->nshared, w = (int)width;

  PetscFunctionBegin;
  if (link->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(prepare(x, sizeof(double) * width));
  PetscCall(pack(x, &x->ghost, x->first, RHX_EXCHANGE_DOUBLE, width, v));
  PetscCall(send(x, &x->ghost, &x->own, RHX_EXCHANGE_DOUBLE, width));
  PetscCall(RhxDeviceLaunch(link->device, link->add, shape_of(width * n),
                            RHX_ARGUMENTS(&n, &w, &x->shared, &x->shared_start, &x->slot, &x->own.buffer, &v)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
