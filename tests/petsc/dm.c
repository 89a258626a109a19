/* The DM of TS, SNES and KSP: fields by name, node blocks, labels, positions of a periodic mesh; PCFieldSplit by name.
 * Options of a case with a periodic direction and two modes: see CMakeLists.txt. */
#include "case/case.h"
#include "petsc_compat.h"
#include <petscdmplex.h>
#include <rheoplex/rheoplex.h>
#include <stdarg.h>
#include <stdio.h>

static int failures;

__attribute__((format(printf, 2, 3))) static void expect(int good, const char *format, ...)
{
  va_list list;

  if (good) return;
  va_start(list, format);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  failures++;
}

/* Rows of every field are those of its components in this rank's node blocks. */
static PetscErrorCode check_fields(DM dm, RhxSpace sp)
{
  PetscInt n;
  char **name;
  IS *is;

  PetscFunctionBegin;
  PetscCall(DMCreateFieldDecomposition(dm, &n, &name, &is, NULL));
  expect(n == sp->nfields, "%d fields, expected %d", (int)n, (int)sp->nfields);
  for (PetscInt f = 0; f < n; f++) {
    const RhxField *field = &sp->field[f];
    const PetscInt *row;
    PetscInt rows;

    expect(!strcmp(name[f], field->name), "field %d is '%s', expected '%s'", (int)f, name[f], field->name);
    PetscCall(ISGetLocalSize(is[f], &rows));
    expect(rows == sp->nowned * field->components, "%s has %d rows", name[f], (int)rows);
    PetscCall(ISGetIndices(is[f], &row));
    for (PetscInt k = 0; k < rows; k++) {
      const PetscInt node = k / field->components, c = k % field->components;
      expect(row[k] == (sp->rstart + node) * sp->bs + field->offset + c, "%s: row %d is %d", name[f], (int)k,
             (int)row[k]);
    }
    PetscCall(ISRestoreIndices(is[f], &row));
    PetscCall(ISDestroy(&is[f]));
    PetscCall(PetscFree(name[f]));
  }
  PetscCall(PetscFree(is));
  PetscCall(PetscFree(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local Vecs are arrays of the space: filled with node numbers, ghosts have their owners'. */
static PetscErrorCode check_ghosts(DM dm, RhxSpace sp)
{
  Vec g, l;
  PetscScalar *a;
  const PetscScalar *b;
  const PetscInt *global;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(DMCreateGlobalVector(dm, &g));
  PetscCall(DMCreateLocalVector(dm, &l));
  PetscCall(VecGetLocalSize(l, &n));
  expect(n == sp->nlocal * sp->bs, "a local Vec has %d values, expected %d", (int)n, (int)(sp->nlocal * sp->bs));
  PetscCall(VecGetArray(g, &a));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) a[k] = sp->rstart * sp->bs + k;
  PetscCall(VecRestoreArray(g, &a));
  PetscCall(DMGlobalToLocal(dm, g, INSERT_VALUES, l));
  PetscCall(VecGetArrayRead(l, &b));
  PetscCall(ISLocalToGlobalMappingGetIndices(sp->l2g, &global));
  for (PetscInt k = 0; k < sp->nlocal; k++)
    for (PetscInt c = 0; c < sp->bs; c++)
      expect(b[k * sp->bs + c] == global[k] * sp->bs + c, "local node %d, component %d: %g", (int)k, (int)c,
             b[k * sp->bs + c]);
  PetscCall(ISLocalToGlobalMappingRestoreIndices(sp->l2g, &global));
  PetscCall(VecRestoreArrayRead(l, &b));
  PetscCall(VecDestroy(&g));
  PetscCall(VecDestroy(&l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertices of a label are the nodes of its faces; cells see their corners where the space has them. */
static PetscErrorCode check_mesh(DM dm, RhxSpace sp)
{
  PetscInt vStart, vEnd, nv;
  PetscBool periodic;
  const PetscReal *length;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  for (PetscInt k = 0; k < sp->nlabels; k++) {
    const RhxFaces *faces = &sp->faces[k];
    PetscInt owned = 0, value;
    IS points;

    PetscCall(DMGetStratumIS(dm, faces->label, 1, &points));
    if (points) {
      const PetscInt *p;
      PetscCall(ISGetLocalSize(points, &nv));
      PetscCall(ISGetIndices(points, &p));
      for (PetscInt i = 0; i < nv; i++) owned += p[i] < vEnd && sp->vertex_node[p[i] - vStart] < sp->nowned;
      PetscCall(ISRestoreIndices(points, &p));
      PetscCall(ISDestroy(&points));
    }
    expect(owned == faces->nnodes, "label %s has %d owned vertices, expected %d", faces->label, (int)owned,
           (int)faces->nnodes);
    for (PetscInt i = 0; i < faces->nnodes; i++)
      for (PetscInt v = 0; v < sp->nlocal; v++)
        if (sp->vertex_node[v] == faces->node[i]) {
          PetscCall(DMGetLabelValue(dm, faces->label, vStart + v, &value));
          expect(value == 1, "label %s: vertex %d has %d", faces->label, (int)v, (int)value);
        }
  }
  PetscCall(DMGetPeriodicity(dm, NULL, NULL, &length));
  periodic = (PetscBool)(length && length[0] > 0);
  expect(periodic && PetscAbsReal(length[0] - 2) < 1e-12 && !(length[1] > 0), "the mesh repeats itself after %g, %g",
         length ? length[0] : 0, length ? length[1] : 0);
  for (PetscInt k = 0; k < sp->ntypes; k++)
    for (PetscInt e = 0; e < sp->cells[k].n; e++) {
      const RhxCells *ce = &sp->cells[k];
      const PetscScalar *a;
      PetscScalar *x;
      PetscInt n;
      PetscBool own;
      PetscReal off = 0;

      PetscCall(DMPlexGetCellCoordinates(dm, ce->cell[e], &own, &n, &a, &x));
      expect(own && n == ce->nn * sp->dim, "cell %d has %d coordinates", (int)ce->cell[e], (int)n);
      for (PetscInt i = 0; i < n; i++) /* 2D: corners of PETSc and VTK are the same */
        off = PetscMax(off,
                       PetscAbsReal(x[i] - ce->x[(e / RHX_LANES * ce->nn * sp->dim + i) * RHX_LANES + e % RHX_LANES]));
      expect(off == 0, "cell %d is seen %g m off", (int)ce->cell[e], off);
      PetscCall(DMPlexRestoreCellCoordinates(dm, ce->cell[e], &own, &n, &a, &x));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With -dm_plex_interpolate a label is 1 at its faces too, which are sides of one cell between its vertices. */
static PetscErrorCode check_faces(DM dm, RhxSpace sp)
{
  PetscBool faces = PETSC_FALSE;
  PetscInt depth, fStart, fEnd, value, size, count, found, most = 0;
  const PetscInt *cone;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-dm_plex_interpolate", &faces, NULL));
  PetscCall(DMPlexGetDepth(dm, &depth));
  PetscCallMPI(MPI_Allreduce(&depth, &most, 1, MPIU_INT, MPI_MAX, sp->comm));
  expect(most == (faces ? sp->dim : 1), "the DM has depth %d", (int)most);
  if (!faces) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt k = 0; k < sp->nlabels; k++) {
    found = 0;
    for (PetscInt f = fStart; f < fEnd; f++) {
      PetscCall(DMGetLabelValue(dm, sp->faces[k].label, f, &value));
      if (value != 1) continue;
      found++;
      PetscCall(DMPlexGetSupportSize(dm, f, &size));
      expect(size == 1, "label %s: face %d has %d cells", sp->faces[k].label, (int)f, (int)size);
      PetscCall(DMPlexGetConeSize(dm, f, &size));
      PetscCall(DMPlexGetCone(dm, f, &cone));
      for (PetscInt i = 0; i < size; i++) { /* 2D: vertices */
        PetscCall(DMGetLabelValue(dm, sp->faces[k].label, cone[i], &value));
        expect(value == 1, "label %s: vertex %d of face %d has %d", sp->faces[k].label, (int)cone[i], (int)f,
               (int)value);
      }
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPIU_INT, MPI_SUM, sp->comm));
    PetscCall(RhxMeshGetLabelFaceCount(sp->mesh, sp->faces[k].label, &count));
    expect(found == count && count > 0, "label %s: %d faces, expected %d", sp->faces[k].label, (int)found, (int)count);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Some fields of the DM, asked for backwards: ascending rows, and a DM of them with their names. */
static PetscErrorCode check_part(DM dm, RhxSpace sp)
{
  const PetscInt asked[] = {2, 0};
  const PetscInt width = sp->field[0].components + sp->field[2].components;
  const PetscInt *row;
  const char *name;
  PetscInt n, bs;
  PetscSection section;
  IS rows;
  DM part;
  Vec v;

  PetscFunctionBegin;
  PetscCall(DMCreateSubDM(dm, 2, asked, &rows, &part));
  PetscCall(ISGetLocalSize(rows, &n));
  PetscCall(ISGetBlockSize(rows, &bs));
  expect(n == sp->nowned * width && bs == width, "a part has %d rows in blocks of %d", (int)n, (int)bs);
  PetscCall(ISGetIndices(rows, &row));
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt node = k / width, c = k % width;
    const PetscInt at = c < sp->dim ? c : sp->field[2].offset + c - sp->dim;
    expect(row[k] == (sp->rstart + node) * sp->bs + at, "row %d of a part is %d", (int)k, (int)row[k]);
  }
  PetscCall(ISRestoreIndices(rows, &row));
  PetscCall(DMGetLocalSection(part, &section));
  for (PetscInt f = 0; f < 2; f++) {
    PetscCall(PetscSectionGetFieldName(section, f, &name));
    expect(!strcmp(name, sp->field[2 * f].name), "field %d of a part is '%s'", (int)f, name);
  }
  PetscCall(PetscSectionGetComponentName(section, 1, 2, &name));
  expect(!strcmp(name, "xy"), "component 2 of a stress is '%s'", name);
  PetscCall(DMCreateGlobalVector(part, &v));
  PetscCall(VecGetLocalSize(v, &bs));
  expect(bs == n, "a Vec of a part has %d values, expected %d", (int)bs, (int)n);
  PetscCall(VecDestroy(&v));
  PetscCall(DMDestroy(&part));
  PetscCall(ISDestroy(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char split_options[] =
    "-split_pc_type fieldsplit -split_pc_fieldsplit_type additive -split_fieldsplit_velocity_ksp_type preonly "
    "-split_fieldsplit_velocity_pc_type jacobi -split_fieldsplit_pressure_ksp_type preonly "
    "-split_fieldsplit_pressure_pc_type none -split_fieldsplit_stress_0_ksp_type preonly "
    "-split_fieldsplit_stress_0_pc_type none -split_fieldsplit_stress_1_ksp_type preonly "
    "-split_fieldsplit_stress_1_pc_type none";

/* Jacobi on velocity and nothing on the rest, by -split_fieldsplit_velocity_pc_type jacobi: names of the splits. */
static PetscErrorCode check_split(DM dm, RhxSpace sp)
{
  KSP ksp, *sub;
  PC pc;
  Mat A;
  Vec d, b;
  PetscInt n;
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(DMCreateGlobalVector(dm, &d));
  PetscCall(VecDuplicate(d, &b));
  PetscCall(VecGetArray(d, &a));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) a[k] = k % sp->bs < sp->dim ? 4 : 2;
  PetscCall(VecRestoreArray(d, &a));
  PetscCall(MatCreateAIJ(sp->comm, sp->nowned * sp->bs, sp->nowned * sp->bs, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL,
                         0, NULL, &A));
  PetscCall(MatDiagonalSet(A, d, INSERT_VALUES));
  PetscCall(PetscOptionsInsertString(NULL, split_options));
  PetscCall(KSPCreate(sp->comm, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "split_"));
  PetscCall(KSPSetDM(ksp, dm));
  PetscCall(RhxKSPSetDMPassive(ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(VecSet(b, 8));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFieldSplitGetSubKSP(pc, &n, &sub));
  expect(n == sp->nfields, "%d splits", (int)n);
  for (PetscInt f = 0; f < n; f++) {
    char expected[128];
    const char *prefix;
    PetscCall(PetscSNPrintf(expected, sizeof(expected), "split_fieldsplit_%s_", sp->field[f].name));
    PetscCall(KSPGetOptionsPrefix(sub[f], &prefix));
    expect(!strcmp(prefix, expected), "split %d has the prefix %s", (int)f, prefix);
  }
  PetscCall(PetscFree(sub));
  PetscCall(PCApply(pc, b, d));
  PetscCall(VecGetArray(d, &a));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++)
    expect(PetscAbsReal(a[k] - (k % sp->bs < sp->dim ? 2 : 8)) < 1e-12, "row %d of the split: %g", (int)k, a[k]);
  PetscCall(VecRestoreArray(d, &a));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(void)
{
  RhxCase rc;
  RhxForm form;
  TS ts;
  SNES snes;
  DM dm, other;
  Vec x;

  PetscFunctionBegin;
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(RhxCaseGetForm(rc, &form));
  PetscCall(RhxCaseGetTS(rc, &ts));
  PetscCall(RhxCaseGetState(rc, &x));
  PetscCall(TSGetDM(ts, &dm));
  PetscCall(VecGetDM(x, &other));
  expect(dm == other, "the state's DM is not the TS's");
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESGetDM(snes, &other));
  expect(dm == other, "the SNES's DM is not the TS's");
  PetscCall(check_fields(dm, form->space));
  PetscCall(check_part(dm, form->space));
  PetscCall(check_ghosts(dm, form->space));
  PetscCall(check_mesh(dm, form->space));
  PetscCall(check_faces(dm, form->space));
  PetscCall(check_split(dm, form->space));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscErrorCode code = RhxInitialize(&argc, &argv, NULL);

  if (code) return 1;
  code = check();
  if (RhxFinalize()) return 1;
  return code || failures ? 1 : 0;
}
