/* Copies: the only place that moves data between host and device. Long ones go by pieces through two buffers that the device reaches without
 * the driver's help: one travels while the host copies the other. */
#include "device/device.h"
#include "device/driver_impl.h"
#include "petsc_compat.h"
#include "plugin/event.h"
#include <string.h>

#define PIECE ((size_t)1 << 20) /* bytes of a buffer */
#define LONG (PIECE / 8)        /* shorter ones go as they are */

static struct {
  RhxCopyCount to_device, to_host;
} copies;
static RhxEvent to_device_event = RHX_EVENT("RhxCopyToDevice"), to_host_event = RHX_EVENT("RhxCopyToHost");

static void count(RhxCopyCount *counter, size_t bytes)
{
  if (bytes > RHX_COPY_SCALARS)
    counter->arrays++;
  else
    counter->scalars++;
  counter->bytes += (double)bytes;
}

/* The buffers, made by the first long copy; where the host has no such memory left there are none. */
static PetscErrorCode has_pieces(RhxDevice d, PetscBool *has)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2 && !d->pieces_tried; i++) {
    if (d->cu->MemHostAlloc(&d->piece[i], PIECE, CUDA_HOST_PORTABLE_MAPPED)) d->piece[i] = NULL;
    RHX_CUDA(d->cu, "making an event", "", EventCreate(&d->arrived[i], 0));
  }
  d->pieces_tried = PETSC_TRUE;
  *has = (PetscBool)(d->piece[0] && d->piece[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDevicePiecesFree(RhxDevice d)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2 && d->pieces_tried; i++) {
    if (d->piece[i]) RHX_CUDA(d->cu, "freeing host memory", "", MemFreeHost(d->piece[i]));
    RHX_CUDA(d->cu, "ending an event", "", EventDestroy(d->arrived[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static size_t length_of(size_t bytes, size_t k) { return PetscMin(PIECE, bytes - k * PIECE); }

static PetscErrorCode send_pieces(RhxDevice d, char *dst, const char *src, size_t bytes)
{
  PetscFunctionBegin;
  for (size_t k = 0; k * PIECE < bytes; k++) {
    const size_t n = length_of(bytes, k);
    if (k > 1) RHX_CUDA(d->cu, "copying to it", "", EventSynchronize(d->arrived[k % 2]));
    memcpy(d->piece[k % 2], src + k * PIECE, n);
    RHX_CUDA(d->cu, "copying to it", "",
             MemcpyHtoDAsync((CudaPointer)(uintptr_t)(dst + k * PIECE), d->piece[k % 2], n, d->stream));
    RHX_CUDA(d->cu, "copying to it", "", EventRecord(d->arrived[k % 2], d->stream));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fetch_pieces(RhxDevice d, char *dst, const char *src, size_t bytes)
{
  const size_t last = (bytes - 1) / PIECE;

  PetscFunctionBegin;
  for (size_t k = 0; k <= last + 1; k++) {
    if (k <= last) {
      RHX_CUDA(
          d->cu, "copying from it", "",
          MemcpyDtoHAsync(d->piece[k % 2], (CudaPointer)(uintptr_t)(src + k * PIECE), length_of(bytes, k), d->stream));
      RHX_CUDA(d->cu, "copying from it", "", EventRecord(d->arrived[k % 2], d->stream));
    }
    if (!k) continue;
    RHX_CUDA(d->cu, "copying from it", "", EventSynchronize(d->arrived[(k - 1) % 2]));
    memcpy(dst + (k - 1) * PIECE, d->piece[(k - 1) % 2], length_of(bytes, k - 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_to_device(RhxDevice d, void *dst, const void *src, size_t bytes)
{
  PetscBool pieces = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&to_device_event));
  if (bytes > LONG) PetscCall(has_pieces(d, &pieces));
  if (pieces)
    PetscCall(send_pieces(d, dst, src, bytes));
  else
    RHX_CUDA(d->cu, "copying to it", "", MemcpyHtoDAsync((CudaPointer)(uintptr_t)dst, src, bytes, d->stream));
  RHX_CUDA(d->cu, "copying to it", "", StreamSynchronize(d->stream));
  if (bytes > RHX_COPY_SCALARS)
    PetscCall(PetscLogCpuToGpu((PetscLogDouble)bytes));
  else
    PetscCall(PetscLogCpuToGpuScalar((PetscLogDouble)bytes));
  count(&copies.to_device, bytes);
  PetscCall(RhxEventEnd(&to_device_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_to_host(RhxDevice d, void *dst, const void *src, size_t bytes)
{
  PetscBool pieces = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RhxEventBegin(&to_host_event));
  if (bytes > LONG) PetscCall(has_pieces(d, &pieces));
  if (pieces)
    PetscCall(fetch_pieces(d, dst, src, bytes));
  else
    RHX_CUDA(d->cu, "copying from it", "", MemcpyDtoHAsync(dst, (CudaPointer)(uintptr_t)src, bytes, d->stream));
  RHX_CUDA(d->cu, "copying from it", "", StreamSynchronize(d->stream));
  if (bytes > RHX_COPY_SCALARS)
    PetscCall(PetscLogGpuToCpu((PetscLogDouble)bytes));
  else
    PetscCall(PetscLogGpuToCpuScalar((PetscLogDouble)bytes));
  count(&copies.to_host, bytes);
  PetscCall(RhxEventEnd(&to_host_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceCopy(RhxDevice device, void *dst, const void *src, size_t bytes, RhxCopyKind kind)
{
  PetscFunctionBegin;
  if (!bytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(kind == RHX_COPY_ON_DEVICE || !device->capturing, PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "A copy between host and device cannot be recorded in a graph: got one between Begin and End, expected it "
             "outside");
  if (kind == RHX_COPY_TO_DEVICE)
    PetscCall(copy_to_device(device, dst, src, bytes));
  else if (kind == RHX_COPY_TO_HOST)
    PetscCall(copy_to_host(device, dst, src, bytes));
  else
    RHX_CUDA(device->cu, "copying on it", "",
             MemcpyDtoDAsync((CudaPointer)(uintptr_t)dst, (CudaPointer)(uintptr_t)src, bytes, device->stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceUpload(RhxDevice device, const void *host, size_t bytes, const char *what, void **ptr)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceMalloc(device, bytes, what, ptr));
  PetscCall(RhxDeviceCopy(device, *ptr, host, bytes, RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceCopyCount(RhxCopyCount *to_device, RhxCopyCount *to_host)
{
  PetscFunctionBegin;
  *to_device = copies.to_device;
  *to_host = copies.to_host;
  PetscFunctionReturn(PETSC_SUCCESS);
}
