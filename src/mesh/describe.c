/* What the DM tells PETSc of the mesh: positions, also as cells of a periodic mesh see them, and boundary labels. */
#include "mesh/impl.h"

/* Values of `dofs` numbers at points [start, end) as a section and a Vec of them. */
static PetscErrorCode create_values(PetscInt dim, PetscInt start, PetscInt end, const PetscInt *dofs,
                                    PetscSection section, Vec *values)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscSectionSetNumFields(section, 1));
  PetscCall(PetscSectionSetFieldComponents(section, 0, dim));
  PetscCall(PetscSectionSetChart(section, start, end));
  for (PetscInt p = start; p < end; p++) {
    PetscCall(PetscSectionSetDof(section, p, dofs ? dofs[p - start] : dim));
    PetscCall(PetscSectionSetFieldDof(section, p, 0, dofs ? dofs[p - start] : dim));
  }
  PetscCall(PetscSectionSetUp(section));
  PetscCall(PetscSectionGetStorageSize(section, &n));
  PetscCall(VecCreate(PETSC_COMM_SELF, values));
  PetscCall(PetscObjectSetName((PetscObject)*values, "coordinates"));
  PetscCall(VecSetSizes(*values, n, PETSC_DETERMINE));
  PetscCall(VecSetBlockSize(*values, dim));
  PetscCall(VecSetType(*values, VECSTANDARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_vertices(RhxMesh mesh)
{
  PetscSection section;
  Vec coordinates;
  PetscInt vStart, vEnd;
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &vStart, &vEnd));
  PetscCall(DMSetCoordinateDim(mesh->dm, mesh->dim));
  PetscCall(DMGetCoordinateSection(mesh->dm, &section));
  PetscCall(create_values(mesh->dim, vStart, vEnd, NULL, section, &coordinates));
  PetscCall(VecGetArrayWrite(coordinates, &a));
  PetscCall(PetscArraycpy(a, mesh->x, (vEnd - vStart) * mesh->dim));
  PetscCall(VecRestoreArrayWrite(coordinates, &a));
  PetscCall(DMSetCoordinatesLocal(mesh->dm, coordinates));
  PetscCall(VecDestroy(&coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lengths after which the mesh repeats itself: how far cells see vertices from where these are; 0: not periodic. */
static PetscErrorCode find_lengths(RhxMesh mesh, PetscInt cStart, PetscInt cEnd, PetscReal length[3], PetscReal size[3])
{
  PetscReal most[6] = {0};

  PetscFunctionBegin;
  for (PetscInt c = cStart; c < cEnd; c++) {
    DMPolytopeType type;
    PetscInt nn, vertex[RHX_MAX_CELL_NODES];
    const PetscReal *xc = mesh->xc + (size_t)(c - cStart) * RHX_MAX_CELL_NODES * mesh->dim;

    PetscCall(RhxMeshGetCell(mesh, c, &type, &nn, vertex));
    for (PetscInt a = 0; a < nn; a++)
      for (PetscInt d = 0; d < mesh->dim; d++) {
        most[d] = PetscMax(most[d], PetscAbsReal(xc[a * mesh->dim + d] - mesh->x[vertex[a] * mesh->dim + d]));
        most[3 + d] = PetscMax(most[3 + d], PetscAbsReal(xc[a * mesh->dim + d] - xc[d]));
      }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 6, MPIU_REAL, MPIU_MAX, mesh->comm));
  for (PetscInt d = 0; d < mesh->dim; d++) {
    length[d] = most[d] > 1e-9 * most[3 + d] ? most[d] : 0;
    size[d] = length[d] > 0 ? 1.1 * most[3 + d] : -1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions as each cell sees them, corners in the order of its cone. */
static PetscErrorCode set_cells(RhxMesh mesh)
{
  PetscReal length[3] = {0}, size[3] = {-1, -1, -1};
  PetscSection section;
  Vec coordinates;
  PetscInt cStart, cEnd, *dofs;
  DM cells;
  PetscScalar *a;

  PetscFunctionBegin;
  if (!mesh->xc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMPlexGetHeightStratum(mesh->dm, 0, &cStart, &cEnd));
  PetscCall(find_lengths(mesh, cStart, cEnd, length, size));
  PetscCall(DMSetPeriodicity(mesh->dm, size, NULL, length));
  PetscCall(PetscMalloc1(cEnd - cStart, &dofs));
  for (PetscInt c = cStart; c < cEnd; c++) {
    PetscCall(DMPlexGetConeSize(mesh->dm, c, &dofs[c - cStart]));
    dofs[c - cStart] *= mesh->dim;
  }
  PetscCall(DMGetCoordinateDM(mesh->dm, &cells));
  PetscCall(DMClone(cells, &cells));
  PetscCall(PetscSectionCreate(mesh->comm, &section));
  PetscCall(create_values(mesh->dim, cStart, cEnd, dofs, section, &coordinates));
  PetscCall(VecGetArrayWrite(coordinates, &a));
  for (PetscInt c = cStart; c < cEnd; c++) {
    const PetscReal *xc = mesh->xc + (size_t)(c - cStart) * RHX_MAX_CELL_NODES * mesh->dim;
    const PetscInt nn = dofs[c - cStart] / mesh->dim;
    PetscInt order[RHX_MAX_CELL_NODES];

    for (PetscInt k = 0; k < nn; k++) order[k] = k;
    rhx_plex_vtk_order(rhx_cell_type(mesh->dim, nn), order);
    for (PetscInt k = 0; k < nn; k++, a += mesh->dim) PetscCall(PetscArraycpy(a, xc + order[k] * mesh->dim, mesh->dim));
  }
  PetscCall(VecRestoreArrayWrite(coordinates, NULL));
  PetscCall(DMSetCellCoordinateDM(mesh->dm, cells));
  PetscCall(DMSetCellCoordinateSection(mesh->dm, mesh->dim, section));
  PetscCall(DMSetCellCoordinatesLocal(mesh->dm, coordinates));
  PetscCall(DMDestroy(&cells));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(VecDestroy(&coordinates));
  PetscCall(PetscFree(dofs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks vertices of label k's faces, of other ranks' faces too. mark[chart]: room. */
static PetscErrorCode mark_vertices(RhxMesh mesh, PetscInt k, PetscSF sf, PetscInt vStart, PetscInt npoints, int *mark)
{
  PetscInt nroots;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(mark, npoints));
  for (PetscInt i = mesh->face_start[k]; i < mesh->face_start[k + 1]; i++) {
    const PetscInt side = mesh->face[i] % RHX_MAX_SIDES;
    PetscInt nn, vertex[RHX_MAX_CELL_NODES];
    DMPolytopeType type;
    const RhxCellSides *sides;

    PetscCall(RhxMeshGetCell(mesh, mesh->face[i] / RHX_MAX_SIDES, &type, &nn, vertex));
    sides = RhxCellTypeSides(type);
    for (PetscInt a = 0; a < sides->nn; a++) mark[vStart + vertex[sides->node[side][a]]] = 1;
  }
  PetscCall(PetscSFGetGraph(sf, &nroots, NULL, NULL, NULL));
  if (nroots < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFReduceBegin(sf, MPI_INT, mark, mark, MPI_MAX));
  PetscCall(PetscSFReduceEnd(sf, MPI_INT, mark, mark, MPI_MAX));
  PetscCall(PetscSFBcastBegin(sf, MPI_INT, mark, mark, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPI_INT, mark, mark, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A label a boundary name, 1 at the vertices of its faces: faces are no points of this DM. */
static PetscErrorCode set_labels(RhxMesh mesh)
{
  PetscInt pStart, pEnd, vStart, vEnd;
  PetscSF sf;
  int *mark;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, &pEnd));
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &vStart, &vEnd));
  PetscCall(DMGetPointSF(mesh->dm, &sf));
  PetscCall(PetscMalloc1(pEnd, &mark));
  for (PetscInt k = 0; k < mesh->nlabels; k++) {
    DMLabel label;

    PetscCall(mark_vertices(mesh, k, sf, vStart, pEnd, mark));
    PetscCall(DMCreateLabel(mesh->dm, mesh->label[k]));
    PetscCall(DMGetLabel(mesh->dm, mesh->label[k], &label));
    for (PetscInt v = vStart; v < vEnd; v++)
      if (mark[v]) PetscCall(DMLabelSetValue(label, v, 1));
  }
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMeshDescribe(RhxMesh mesh)
{
  PetscFunctionBegin;
  PetscCall(set_vertices(mesh));
  PetscCall(set_cells(mesh));
  PetscCall(set_labels(mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
