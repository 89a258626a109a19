/* A wall in space as a surface for ParaView. */
#include "diagnostics/wall_impl.h"
#include "diagnostics/wall_surface_impl.h"
#include "petsc_compat.h"

/* Points: the entries at their places, then nodes of faces that see them at that of a periodic image. */
PetscErrorCode RhxWallMakeSurface(const RhxWallMesh *w, RhxWallSurface *s)
{
  PetscInt n = w->nentries;

  PetscFunctionBegin;
  s->nfaces = w->nfaces;
  PetscCall(PetscMalloc1(w->nfaces, &s->face));
  PetscCall(PetscMalloc2(n + 4 * w->nfaces, &s->point, n + 4 * w->nfaces, &s->place));
  for (PetscInt i = 0; i < n; i++) {
    s->point[i] = i;
    PetscCall(PetscArraycpy(s->place[i], w->x[w->e[i].node], 3));
  }
  for (PetscInt f = 0; f < w->nfaces; f++) {
    const RhxWallFace *face = &w->face[f];
    double size = 0;
    for (int a = 1; a < face->n; a++)
      for (int d = 0; d < 3; d++) size = PetscMax(size, PetscAbs(face->x[a][d] - face->x[0][d]));
    for (int a = 0; a < 4; a++) {
      double away = 0;
      s->face[f][a] = a < face->n ? w->entry[f][a] : -1;
      if (a >= face->n) continue;
      for (int d = 0; d < 3; d++) away += PetscAbs(face->x[a][d] - s->place[w->entry[f][a]][d]);
      if (away <= 1e-6 * size) continue;
      s->point[n] = w->entry[f][a];
      PetscCall(PetscArraycpy(s->place[n], face->x[a], 3));
      s->face[f][a] = n++;
    }
  }
  s->npoints = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const RhxWall *wall;
  const RhxWallField *field;
} Filling;

static PetscErrorCode fill(void *ctx, PetscInt i, double *out)
{
  const Filling *f = ctx;
  const PetscInt n = f->field[i].components;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < f->wall->surface->npoints; k++)
    PetscCall(PetscArraycpy(
        out + k * n, f->field[i].values + f->wall->surface->point[k] * f->field[i].stride + f->field[i].first, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const RhxWall *wall, PetscInt nfields, const RhxWallField *field, RhxVtu **vtu,
                               RhxVtuField **description)
{
  const RhxWallSurface *s = wall->surface;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(nfields, description));
  for (PetscInt i = 0; i < nfields; i++) {
    PetscCall(PetscStrncpy((*description)[i].name, field[i].name, sizeof((*description)[i].name)));
    (*description)[i].components = field[i].components;
  }
  PetscCall(RhxVtuCreateSurface(wall->comm, s->npoints, (const double(*)[3])s->place, s->nfaces,
                                (const PetscInt(*)[4])s->face, vtu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallWriteSeries(const RhxWall *wall, RhxFieldSeries series, PetscInt step, double t, PetscInt nfields,
                                  const RhxWallField *field)
{
  Filling filling = {wall, field};
  RhxVtuField *description;
  RhxVtu *vtu;

  PetscFunctionBegin;
  PetscCall(describe(wall, nfields, field, &vtu, &description));
  PetscCall(RhxFieldSeriesWrite(series, vtu, step, t, nfields, description, fill, &filling));
  PetscCall(RhxVtuDestroy(&vtu));
  PetscCall(PetscFree(description));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxWallWriteSurface(const RhxWall *wall, RhxOutput output, const char *name, double t, PetscInt nfields,
                                   const RhxWallField *field)
{
  Filling filling = {wall, field};
  RhxVtuField *description;
  RhxVtu *vtu;

  PetscFunctionBegin;
  PetscCall(describe(wall, nfields, field, &vtu, &description));
  PetscCall(RhxFieldFileWrite(output, name, vtu, t, nfields, description, fill, &filling));
  PetscCall(RhxVtuDestroy(&vtu));
  PetscCall(PetscFree(description));
  PetscFunctionReturn(PETSC_SUCCESS);
}
