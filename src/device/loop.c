/* Loops inside graphs. */
#include "device/driver_impl.h"

/* CUgraphNodeParams with its conditional member; sizes are part of NVIDIA's
 * binary interface. */
typedef struct {
  int type, zero[3];
  union {
    long long padding[29];
    struct {
      unsigned long long loop;
      int type;
      unsigned size;
      void **body; /* set by the driver */
      void *context;
    } conditional;
  } of;
  long long end;
} NodeParameters;

PetscErrorCode RhxDeviceGraphRecording(RhxDevice device, PetscBool *recording)
{
  PetscFunctionBegin;
  *recording = device->capturing;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceHasLoops(RhxDevice device, PetscBool *has)
{
  PetscFunctionBegin;
  *has = (PetscBool)(device->state.driver >= 12040 && device->state.nvrtc >= 12040 &&
                     device->cu->GraphConditionalHandleCreate != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The graph being recorded and the nodes that the next one follows. */
static PetscErrorCode recorded(RhxDevice d, void **graph, void *const **nodes, size_t *n)
{
  int status = 0;

  PetscFunctionBegin;
  PetscCheck(d->capturing && !d->outer, PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "A loop belongs into a graph: got one outside or inside another "
             "loop, expected it between Begin and End");
  RHX_CUDA(d->cu, "asking about the graph", "", StreamGetCaptureInfo(d->stream, &status, NULL, graph, nodes, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceLoopCreate(RhxDevice d, unsigned long long *loop)
{
  void *graph = NULL, *const *nodes = NULL;
  size_t n = 0;

  PetscFunctionBegin;
  PetscCall(recorded(d, &graph, &nodes, &n));
  RHX_CUDA(d->cu, "making a loop", "",
           GraphConditionalHandleCreate(loop, graph, d->context, 0, CUDA_CONDITIONAL_ASSIGN_DEFAULT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceLoopBegin(RhxDevice d, unsigned long long loop)
{
  void *graph = NULL, *const *nodes = NULL, *node = NULL;
  size_t n = 0;
  NodeParameters parameters;

  PetscFunctionBegin;
  PetscCall(recorded(d, &graph, &nodes, &n));
  PetscCall(PetscMemzero(&parameters, sizeof(parameters)));
  parameters.type = CUDA_NODE_CONDITIONAL;
  parameters.of.conditional.loop = loop;
  parameters.of.conditional.type = CUDA_CONDITIONAL_WHILE;
  parameters.of.conditional.size = 1;
  parameters.of.conditional.context = d->context;
  RHX_CUDA(d->cu, "adding a loop", "", GraphAddNode(&node, graph, nodes, n, &parameters));
  RHX_CUDA(d->cu, "adding a loop", "",
           StreamUpdateCaptureDependencies(d->stream, &node, 1, CUDA_CAPTURE_SET_DEPENDENCIES));
  RHX_CUDA(
      d->cu, "beginning a loop", "",
      StreamBeginCaptureToGraph(d->body, parameters.of.conditional.body[0], NULL, NULL, 0, CUDA_CAPTURE_THREAD_LOCAL));
  d->outer = d->stream;
  d->stream = d->body;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceLoopEnd(RhxDevice d)
{
  void *body = NULL;

  PetscFunctionBegin;
  PetscCheck(d->outer, PETSC_COMM_SELF, PETSC_ERR_ORDER, "A loop ends that did not begin: expected Begin before End");
  d->stream = d->outer;
  d->outer = NULL;
  RHX_CUDA(d->cu, "ending a loop", "", StreamEndCapture(d->body, &body));
  PetscFunctionReturn(PETSC_SUCCESS);
}
