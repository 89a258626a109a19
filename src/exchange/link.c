#include "device/kernels.h"
#include "exchange/link_impl.h"
#include "petsc_compat.h"
#include "plugin/option.h"

enum { TRANSPORT_AUTO, TRANSPORT_NCCL, TRANSPORT_HOST };

typedef struct {
  int transport;
  char nccl[RHX_STRING_LENGTH];
} Options;

static const RhxRow rows[] = {
    {"transport", RHX_CHOICE, 0, offsetof(Options, transport), "auto", RHX_ANY, 0, 0, "auto|nccl|host", "",
     "how the devices of several ranks exchange values: by NCCL, or through host memory by MPI; auto: by NCCL where it "
     "is "
     "found and every rank has a device of its own"},
    {"nccl", RHX_STRING, 0, offsetof(Options, nccl), "", RHX_ANY, 0, 0, NULL, "",
     "path of libnccl.so.2; empty: searched in the loader's folders, CUDA_HOME, the packages of VIRTUAL_ENV"},
};
static const RhxOptionTable table = {"exchange", "exchange_", PETSC_STATIC_ARRAY_LENGTH(rows), rows};
static RhxLink links; /* of this process */

PetscErrorCode RhxExchangeRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why NCCL cannot be taken, the same text on all ranks; empty: it can. */
static PetscErrorCode find_nccl(RhxLink link, const char *path, char *reason, size_t length)
{
  PetscMPIInt mine, first;
  PetscBool shared;

  PetscFunctionBegin;
  reason[0] = '\0';
  PetscCall(RhxDeviceIsShared(link->device, &shared));
  if (shared) PetscCall(PetscStrncpy(reason, "ranks share a device", length));
  link->nccl = RhxNccl(path, reason, length);
  mine = reason[0] ? link->rank : link->size;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, link->comm));
  if (first < link->size) PetscCallMPI(MPI_Bcast(reason, (int)length, MPI_CHAR, first, link->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The communicator of NCCL; a failure of any rank is one of all. */
static PetscErrorCode start_nccl(RhxLink link, char *reason, size_t length)
{
  NcclId id = {{0}};
  int code = 0, any;

  PetscFunctionBegin;
  if (!link->rank) code = link->nccl->GetUniqueId(&id);
  PetscCallMPI(MPI_Bcast(&code, 1, MPI_INT, 0, link->comm));
  PetscCallMPI(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, link->comm));
  if (!code) code = link->nccl->CommInitRank(&link->nccl_comm, link->size, id, link->rank);
  PetscCallMPI(MPI_Allreduce(&code, &any, 1, MPI_INT, MPI_MAX, link->comm));
  if (any) {
    PetscCall(PetscSNPrintf(reason, length, "it does not start: %s", link->nccl->GetErrorString(any)));
    if (!code) (void)link->nccl->CommDestroy(link->nccl_comm);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose_transport(RhxLink link)
{
  Options options;
  char reason[1024] = "-exchange_transport host";

  PetscFunctionBegin;
  PetscCall(RhxOptionTableRead(link->comm, &table, NULL, &options));
  if (options.transport != TRANSPORT_HOST) {
    PetscCall(find_nccl(link, options.nccl, reason, sizeof(reason)));
    if (!reason[0]) PetscCall(start_nccl(link, reason, sizeof(reason)));
    PetscCheck(!reason[0] || options.transport == TRANSPORT_AUTO, link->comm, PETSC_ERR_SUP,
               "-exchange_transport: got nccl, expected host or auto, because NCCL cannot be taken: %s", reason);
  }
  if (reason[0]) {
    link->nccl = NULL;
    PetscCall(PetscSNPrintf(link->sentence, sizeof(link->sentence), "messages through host memory (NCCL: %s)", reason));
  } else {
    const int v = link->nccl->version;
    PetscCall(PetscSNPrintf(link->sentence, sizeof(link->sentence), "messages by NCCL %d.%d.%d", v / 10000,
                            v / 100 % 100, v % 100));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NCCL connects ranks at their first message, which is not to be one that is recorded. */
static PetscErrorCode connect(RhxLink link)
{
  PetscMPIInt *count, *first;
  void *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(link->size, &count, link->size, &first));
  for (PetscMPIInt r = 0; r < link->size; r++) {
    count[r] = 1;
    first[r] = r;
  }
  PetscCall(RhxLinkMalloc(link, sizeof(double) * link->size, "messages", &values));
  PetscCall(RhxDeviceZero(link->device, values, sizeof(double) * link->size));
  PetscCall(RhxLinkGather(link, RHX_EXCHANGE_DOUBLE, count, first, values));
  PetscCall(RhxDeviceSynchronize(link->device));
  PetscCall(RhxLinkFree(link, values));
  PetscCall(PetscFree2(count, first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_program(RhxLink link)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceKernelsCreate(link->device, "kernels/exchange.cuh", NULL, &link->program));
  PetscCall(RhxDeviceProgramGetFunction(link->program, "rhx_pack_4", &link->pack[RHX_EXCHANGE_FLOAT]));
  PetscCall(RhxDeviceProgramGetFunction(link->program, "rhx_pack_8", &link->pack[RHX_EXCHANGE_DOUBLE]));
  PetscCall(RhxDeviceProgramGetFunction(link->program, "rhx_unpack_4", &link->unpack[RHX_EXCHANGE_FLOAT]));
  PetscCall(RhxDeviceProgramGetFunction(link->program, "rhx_unpack_8", &link->unpack[RHX_EXCHANGE_DOUBLE]));
  PetscCall(RhxDeviceProgramGetFunction(link->program, "rhx_add", &link->add));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLinkGet(RhxDevice device, MPI_Comm comm, RhxLink *out)
{
  RhxLink link;

  PetscFunctionBegin;
  for (link = links; link; link = link->next) {
    int same;
    if (link->device != device) continue;
    PetscCallMPI(MPI_Comm_compare(link->comm, comm, &same));
    if (same == MPI_IDENT || same == MPI_CONGRUENT) break;
  }
  if (!link) {
    PetscCall(PetscNew(&link));
    link->device = device;
    PetscCallMPI(MPI_Comm_dup(comm, &link->comm));
    PetscCallMPI(MPI_Comm_rank(comm, &link->rank));
    PetscCallMPI(MPI_Comm_size(comm, &link->size));
    PetscCall(RhxDeviceGetStream(device, &link->stream));
    link->next = links;
    links = link;
    if (link->size > 1) PetscCall(choose_transport(link));
    if (link->size > 1) PetscCall(make_program(link));
    if (link->size > 1) PetscCall(connect(link));
  }
  link->count++;
  *out = link;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLinkRestore(RhxLink *out)
{
  RhxLink link = *out;

  PetscFunctionBegin;
  *out = NULL;
  if (!link || --link->count) PetscFunctionReturn(PETSC_SUCCESS);
  for (RhxLink *at = &links; *at; at = &(*at)->next)
    if (*at == link) {
      *at = link->next;
      break;
    }
  if (link->nccl) {
    PetscCall(RhxDeviceSynchronize(link->device));
    RHX_NCCL(link, CommDestroy(link->nccl_comm));
  }
  PetscCall(RhxDeviceProgramDestroy(&link->program));
  PetscCallMPI(MPI_Comm_free(&link->comm));
  PetscCall(PetscFree(link));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLinkIsOnStream(RhxLink link, PetscBool *on)
{
  PetscFunctionBegin;
  *on = (PetscBool)(link->nccl != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLinkDescribe(RhxLink link, const char **sentence)
{
  PetscFunctionBegin;
  *sentence = link->sentence;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLinkMalloc(RhxLink link, size_t bytes, const char *what, void **ptr)
{
  PetscFunctionBegin;
  if (link->nccl)
    PetscCall(RhxDeviceMalloc(link->device, bytes, what, ptr));
  else
    PetscCall(RhxDeviceMallocHost(link->device, PetscMax(bytes, 1), ptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLinkFree(RhxLink link, void *ptr)
{
  PetscFunctionBegin;
  if (link->nccl)
    PetscCall(RhxDeviceFree(link->device, ptr));
  else
    PetscCall(RhxDeviceFreeHost(link->device, ptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLinkGather(RhxLink link, RhxExchangeType type, const PetscMPIInt *count, const PetscMPIInt *first,
                             void *array)
{
  PetscFunctionBegin;
  if (!link->nccl) {
    PetscCall(RhxDeviceSynchronize(link->device));
    PetscCallMPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, array, count, first, RhxMpiType(type), link->comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RHX_NCCL(link, GroupStart());
  for (PetscMPIInt r = 0; r < link->size; r++) {
    char *part = (char *)array + RhxTypeSize(type) * first[r];
    if (count[r]) RHX_NCCL(link, Broadcast(part, part, count[r], RhxNcclType(type), r, link->nccl_comm, link->stream));
  }
  RHX_NCCL(link, GroupEnd());
  PetscFunctionReturn(PETSC_SUCCESS);
}
