/* Uniform refinement after distribution: each rank refines its cells. A node between ranks is numbered by the rank on whose
 * range of numbers its first corner falls, so that numbers, and positions at the seam of a periodic mesh, are those of a mesh
 * that was refined as a whole. */
#include "mesh/impl.h"
#include "mesh/refine_impl.h"
#include "plugin/doing.h"
#include <stdlib.h>

typedef struct {
  RhxCellList list;
  PetscInt *natural;  /* [nvertices] numbers in the whole mesh */
  PetscSFNode *owner; /* [nvertices] rank that owns it, its vertex there */
} Part;

/* A new node as a rank sends it, corners by their numbers in the whole mesh; `slot` is the receiver's. */
typedef struct {
  RhxNewNode node;
  PetscReal x[3];
  PetscInt rank, slot;
} Question;

typedef struct {
  PetscInt number;
  PetscSFNode owner;
  PetscReal x[3];
} Answer;

/* ---- Part and mesh ---- */

static PetscErrorCode take_owners(RhxMesh mesh, const PetscInt *ncells, PetscInt nvertices, PetscSFNode **owner)
{
  const PetscSFNode *remote;
  const PetscInt *leaf;
  PetscInt n, vStart;
  PetscMPIInt rank;
  PetscSF sf;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
  PetscCall(PetscMalloc1(nvertices, owner));
  for (PetscInt v = 0; v < nvertices; v++) {
    (*owner)[v].rank = rank;
    (*owner)[v].index = v;
  }
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &vStart, NULL));
  PetscCall(DMGetPointSF(mesh->dm, &sf));
  PetscCall(PetscSFGetGraph(sf, NULL, &n, &leaf, &remote));
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt p = leaf ? leaf[k] : k;

    if (p < vStart) continue;
    (*owner)[p - vStart].rank = remote[k].rank;
    (*owner)[p - vStart].index = remote[k].index - ncells[remote[k].rank];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ncells: of every rank. */
static PetscErrorCode part_create(RhxMesh mesh, const PetscInt *number, const PetscInt *ncells, Part *part)
{
  RhxCellList *list = &part->list;
  PetscInt cStart, cEnd, vStart, vEnd, nconn = 0;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(mesh->dm, 0, &cStart, &cEnd));
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &vStart, &vEnd));
  PetscCall(RhxCellListAllocate(list, mesh->dim, cEnd - cStart, (cEnd - cStart) * RHX_MAX_CELL_NODES, vEnd - vStart));
  PetscCall(PetscMalloc1(list->ncells, &list->number));
  PetscCall(PetscArraycpy(list->number, number, list->ncells));
  PetscCall(PetscArraycpy(list->x, mesh->x, list->nvertices * mesh->dim));
  if (mesh->xc) PetscCall(PetscMalloc1((size_t)list->ncells * RHX_MAX_CELL_NODES * mesh->dim + 1, &list->xc));
  for (PetscInt c = 0; c < list->ncells; c++) {
    PetscInt nn, vertex[RHX_MAX_CELL_NODES];

    PetscCall(RhxMeshGetCell(mesh, cStart + c, &list->type[c], &nn, vertex));
    PetscCall(PetscArraycpy(list->conn + nconn, vertex, nn));
    if (mesh->xc)
      PetscCall(PetscArraycpy(list->xc + (size_t)nconn * mesh->dim,
                              mesh->xc + (size_t)c * RHX_MAX_CELL_NODES * mesh->dim, nn * mesh->dim));
    list->offset[c + 1] = nconn += nn;
  }
  part->natural = mesh->natural;
  mesh->natural = NULL;
  PetscCall(take_owners(mesh, ncells, list->nvertices, &part->owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode part_destroy(Part *part)
{
  PetscFunctionBegin;
  PetscCall(RhxCellListDestroy(&part->list));
  PetscCall(PetscFree(part->natural));
  PetscCall(PetscFree(part->owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices that other ranks own. */
static PetscErrorCode join_ranks(const Part *part, const PetscInt *ncells, DM dm)
{
  const PetscInt nvertices = part->list.nvertices;
  PetscInt n = 0, *leaf;
  PetscSFNode *remote;
  PetscMPIInt rank;
  PetscSF sf;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)dm), &rank));
  for (PetscInt v = 0; v < nvertices; v++) n += part->owner[v].rank != rank;
  PetscCall(PetscMalloc1(n, &leaf));
  PetscCall(PetscMalloc1(n, &remote));
  n = 0;
  for (PetscInt v = 0; v < nvertices; v++) {
    if (part->owner[v].rank == rank) continue;
    leaf[n] = part->list.ncells + v;
    remote[n].rank = part->owner[v].rank;
    remote[n++].index = ncells[part->owner[v].rank] + part->owner[v].index;
  }
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)dm), &sf));
  PetscCall(PetscSFSetGraph(sf, part->list.ncells + nvertices, n, leaf, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  PetscCall(DMSetPointSF(dm, sf));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ncells: of every rank, refined. */
static PetscErrorCode put_back(RhxMesh mesh, Part *part, const PetscInt *ncells)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  PetscCall(DMDestroy(&mesh->dm));
  PetscCall(RhxMeshCreateTopology(mesh->comm, mesh->dim, &part->list, &mesh->dm));
  if (size > 1) PetscCall(join_ranks(part, ncells, mesh->dm));
  PetscCall(PetscFree(mesh->x));
  mesh->x = part->list.x;
  part->list.x = NULL;
  mesh->natural = part->natural;
  part->natural = NULL;
  if (!mesh->xc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(mesh->xc));
  PetscCall(RhxMeshPadPositions(&part->list, &mesh->xc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Numbers of new nodes ---- */

/* The new nodes of this rank, sorted by their corners' numbers in the whole mesh. */
static PetscErrorCode ask(const Part *part, const RhxRefinement *r, const RhxCellList *fine, PetscMPIInt rank,
                          Question **question)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(r->nnodes, question));
  for (PetscInt k = 0; k < r->nnodes; k++) {
    Question *q = *question + k;
    PetscInt n = 0;

    q->node = r->node[k];
    q->rank = rank;
    for (; n < 4 && q->node.v[n] >= 0; n++)
      if (r->node[k].v[1] >= 0) q->node.v[n] = part->natural[q->node.v[n]];
    PetscCall(PetscSortInt(n, q->node.v));
    PetscCall(PetscArraycpy(q->x, fine->x + q->node.vertex * fine->dim, fine->dim));
  }
  if (r->nnodes) qsort(*question, (size_t)r->nnodes, sizeof(**question), RhxNewNodeCompare);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Items of `bytes` bytes, count[r] of them to rank r and from[r] back. */
static PetscErrorCode exchange(MPI_Comm comm, size_t bytes, const PetscMPIInt *count, const void *item,
                               const PetscMPIInt *from, void *received)
{
  PetscMPIInt size, *start, *begin;
  MPI_Datatype unit;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscCalloc2(size + 1, &start, size + 1, &begin));
  for (PetscMPIInt r = 0; r < size; r++) {
    start[r + 1] = start[r] + count[r];
    begin[r + 1] = begin[r] + from[r];
  }
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)bytes, MPI_BYTE, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCallMPI(MPI_Alltoallv(item, count, start, unit, received, from, begin, unit, comm));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscCall(PetscFree2(start, begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Answers to n questions: equal ones are one node, numbered from *nvertices of the whole mesh on. */
static PetscErrorCode answer(MPI_Comm comm, PetscInt n, Question *question, PetscInt *nvertices, Answer *answers)
{
  PetscInt nnodes = 0, first = 0, sum;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) question[k].slot = k;
  if (n) qsort(question, (size_t)n, sizeof(*question), RhxNewNodeCompare);
  for (PetscInt k = 0; k < n; k++) nnodes += !k || RhxNewNodeCompare(&question[k], &question[k - 1]);
  PetscCallMPI(MPI_Scan(&nnodes, &first, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(&nnodes, &sum, 1, MPIU_INT, MPI_SUM, comm));
  first += *nvertices - nnodes;
  for (PetscInt i = 0, j; i < n; i = j, first++) {
    const Question *owner = &question[i], *place = owner;

    for (j = i + 1; j < n && !RhxNewNodeCompare(&question[i], &question[j]); j++) {
      if (question[j].node.seen > place->node.seen) place = &question[j];
      if ((question[j].rank < owner->rank) == (first % 2 == 0)) owner = &question[j];
    }
    for (PetscInt k = i; k < j; k++) {
      Answer *a = &answers[question[k].slot];
      a->number = first;
      a->owner.rank = owner->rank;
      a->owner.index = owner->node.vertex;
      PetscCall(PetscArraycpy(a->x, place->x, 3));
    }
  }
  *nvertices += sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Answers to all ranks' sorted questions. */
static PetscErrorCode ask_all(RhxMesh mesh, PetscInt nnodes, const Question *question, Answer *answers)
{
  const PetscInt64 range = PetscMax(mesh->ncells, mesh->nvertices);
  PetscMPIInt size, *to, *from;
  PetscInt n = 0;
  Question *asked;
  Answer *reply;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  PetscCall(PetscCalloc2(size, &to, size, &from));
  for (PetscInt k = 0; k < nnodes; k++) to[(PetscInt64)question[k].node.v[0] * size / range]++;
  PetscCallMPI(MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, mesh->comm));
  for (PetscMPIInt r = 0; r < size; r++) n += from[r];
  PetscCall(PetscMalloc1(n, &asked));
  PetscCall(PetscCalloc1(n, &reply));
  PetscCall(exchange(mesh->comm, sizeof(*question), to, question, from, asked));
  PetscCall(answer(mesh->comm, n, asked, &mesh->nvertices, reply));
  PetscCall(exchange(mesh->comm, sizeof(*reply), from, reply, to, answers));
  PetscCall(PetscFree(asked));
  PetscCall(PetscFree(reply));
  PetscCall(PetscFree2(to, from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers and owners of the fine list's vertices into the part, positions of new ones into the list. */
static PetscErrorCode number_nodes(RhxMesh mesh, Part *part, const RhxRefinement *r, RhxCellList *fine)
{
  PetscInt nold = part->list.nvertices, *natural;
  PetscSFNode *owner;
  PetscMPIInt rank;
  Question *question;
  Answer *answers;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
  PetscCall(PetscMalloc1(r->nnodes, &answers));
  PetscCall(ask(part, r, fine, rank, &question));
  PetscCall(ask_all(mesh, r->nnodes, question, answers));
  PetscCall(PetscMalloc1(fine->nvertices, &natural));
  PetscCall(PetscMalloc1(fine->nvertices, &owner));
  PetscCall(PetscArraycpy(natural, part->natural, nold));
  PetscCall(PetscArraycpy(owner, part->owner, nold));
  for (PetscInt k = 0; k < r->nnodes; k++) {
    const PetscInt v = question[k].node.vertex;

    natural[v] = answers[k].number;
    owner[v] = answers[k].owner;
    PetscCall(PetscArraycpy(fine->x + v * fine->dim, answers[k].x, fine->dim));
  }
  PetscCall(PetscFree(question));
  PetscCall(PetscFree(answers));
  PetscCall(PetscFree(part->natural));
  PetscCall(PetscFree(part->owner));
  part->natural = natural;
  part->owner = owner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Faces ---- */

/* Is a fine vertex one of the n of a coarse side, or a mean of them alone? */
static PetscBool lies_on(const RhxRefinement *r, PetscInt vertex, PetscInt n, const PetscInt *side)
{
  const PetscInt old = r->coarse->nvertices;
  const PetscInt *v = vertex < old ? &vertex : r->node[vertex - old].v;

  if (vertex >= old && v[1] < 0) return PETSC_FALSE; /* the centre of a cell */
  for (PetscInt i = 0; i < (vertex < old ? 1 : 4) && v[i] >= 0; i++) {
    PetscInt k = 0;

    while (k < n && side[k] != v[i]) k++;
    if (k == n) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Faces of a cell's children that lie on one of its faces, ascending. */
static PetscInt child_faces(const RhxRefinement *r, const RhxCellList *fine, PetscInt face, PetscInt *child)
{
  const RhxCellList *list = r->coarse;
  const PetscInt cell = face / RHX_MAX_SIDES, nchildren = list->dim == 3 ? 8 : 4;
  const RhxCellSides *sides = RhxCellTypeSides(list->type[cell]);
  PetscInt n = 0, side[4];

  for (PetscInt i = 0; i < sides->nn; i++)
    side[i] = list->conn[list->offset[cell] + sides->node[face % RHX_MAX_SIDES][i]];
  for (PetscInt c = nchildren * cell; c < nchildren * (cell + 1); c++)
    for (PetscInt k = 0; k < sides->n; k++) {
      PetscInt i = 0;

      while (i < sides->nn && lies_on(r, fine->conn[fine->offset[c] + sides->node[k][i]], sides->nn, side)) i++;
      if (i == sides->nn) child[n++] = RHX_MAX_SIDES * c + k;
    }
  return n;
}

static PetscErrorCode refine_faces(RhxMesh mesh, const RhxRefinement *r, const RhxCellList *fine)
{
  const PetscInt nchildren = mesh->dim == 3 ? 4 : 2;
  PetscInt *face;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->face_start[mesh->nlabels] * nchildren, &face));
  for (PetscInt k = 0; k < mesh->face_start[mesh->nlabels]; k++) {
    const PetscInt n = child_faces(r, fine, mesh->face[k], face + nchildren * k);

    PetscCheck(n == nchildren, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "-dm_refine: a face became %" PetscInt_FMT ", expected %" PetscInt_FMT, n, nchildren);
  }
  PetscCall(PetscFree(mesh->face));
  mesh->face = face;
  for (PetscInt l = 0; l <= mesh->nlabels; l++) mesh->face_start[l] *= nchildren;
  for (PetscInt l = 0; l < mesh->nlabels; l++)
    PetscCall(PetscSortInt(mesh->face_start[l + 1] - mesh->face_start[l], face + mesh->face_start[l]));
  for (PetscInt l = 0; l < mesh->nnames; l++) {
    mesh->label_faces[l] *= nchildren;
    mesh->inner_faces[l] *= nchildren;
  }
  mesh->unlabelled *= nchildren;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All ---- */

typedef struct {
  RhxMesh mesh;
  RhxCellList *coarse, *fine;
  RhxRefinement *refinement;
} Context;

static PetscErrorCode refine_part(void *arg)
{
  Context *ctx = (Context *)arg;

  PetscFunctionBegin;
  PetscCall(RhxRefinementCreate(ctx->coarse, ctx->refinement, ctx->fine));
  if (ctx->fine->ncells) PetscCall(RhxCellListCheck(ctx->fine, ctx->mesh->source, &ctx->mesh->quality));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode share_quality(RhxMesh mesh)
{
  RhxMeshQuality *q = &mesh->quality;
  double least[2] = {q->hmin, q->jacobian}, most[2] = {q->hmax, q->aspect};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_DOUBLE, MPI_MIN, mesh->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, mesh->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, q->count, DM_NUM_POLYTOPES, MPIU_INT, MPI_SUM, mesh->comm));
  q->hmin = least[0];
  q->jacobian = least[1];
  q->hmax = most[0];
  q->aspect = most[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refine_once(RhxMesh mesh, Part *part)
{
  RhxRefinement r = {0};
  RhxCellList fine = {0};
  Context ctx = {mesh, &part->list, &fine, &r};

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&mesh->quality, sizeof(mesh->quality)));
  mesh->quality.hmin = mesh->quality.jacobian = PETSC_MAX_REAL;
  PetscCall(RhxMeshOnAll(mesh->comm, refine_part, &ctx));
  PetscCall(share_quality(mesh));
  PetscCall(number_nodes(mesh, part, &r, &fine));
  PetscCall(refine_faces(mesh, &r, &fine));
  mesh->ncells *= mesh->dim == 3 ? 8 : 4;
  PetscCall(RhxRefinementDestroy(&r));
  PetscCall(RhxCellListDestroy(&part->list));
  part->list = fine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshRefine(RhxMesh mesh, const PetscInt *number)
{
  Part part = {.natural = NULL};
  PetscInt cStart, cEnd, *ncells;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  PetscCall(DMPlexGetHeightStratum(mesh->dm, 0, &cStart, &cEnd));
  PetscCall(PetscMalloc1(size, &ncells));
  cEnd -= cStart;
  PetscCallMPI(MPI_Allgather(&cEnd, 1, MPIU_INT, ncells, 1, MPIU_INT, mesh->comm));
  PetscCall(part_create(mesh, number, ncells, &part));
  for (PetscInt k = 0; k < mesh->refine[1]; k++) {
    RhxDoing("refining the parts of the mesh, %" PetscInt_FMT " of %" PetscInt_FMT, k + 1, mesh->refine[1]);
    PetscCall(refine_once(mesh, &part));
  }
  RhxDoing("numbering the mesh that is refined");
  PetscCallMPI(MPI_Allgather(&part.list.ncells, 1, MPIU_INT, ncells, 1, MPIU_INT, mesh->comm));
  PetscCall(put_back(mesh, &part, ncells));
  PetscCall(PetscFree(ncells));
  PetscCall(part_destroy(&part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
