#include "form/host/kernel.h"
#include "form/inside_impl.h"
#include "form/patch.h"
#include "petsc_compat.h"
#include <rheoplex/count.h>

/* A pass over one element: its nodes are the first ones of arrays of its own. */
typedef struct {
  RhxPass pass;
  PetscInt conn[8 * RHX_LANES];   /* [8][RHX_LANES] */
  PetscInt at[8 * 8 * RHX_LANES]; /* zeros */
  PetscScalar *in, *out;          /* [8][width], at rest; result */
  RhxFormStats stats;
} One;

static PetscErrorCode one_create(const RhxPass *pass, One *one)
{
  const RhxForm form = pass->form;
  const RhxSpace sp = form->space;
  const PetscInt width = PetscMax(sp->bs, PetscMax(form->naux, 1));
  PetscFunctionBegin;
  PetscCall(PetscCalloc2(8 * width, &one->in, 8 * width, &one->out));
  for (PetscInt a = 0; a < 8; a++)
    for (PetscInt m = 0; m < form->nmodes; m++) {
      double rest[6];
      PetscCall(RhxFormRest(form, m, rest));
      for (PetscInt k = 0; k < sp->ntens; k++)
        one->in[a * sp->bs + RhxFieldsGet(sp->fields, RHX_GROUP_MODES, m)->offset + k] = rest[k];
    }
  for (PetscInt i = 0; i < 8 * RHX_LANES; i++) one->conn[i] = i / RHX_LANES;
  one->pass = *pass;
  one->pass.x = one->in;
  one->pass.xdot = pass->xdot ? one->in : NULL;
  one->pass.aux = pass->aux ? one->in : NULL;
  one->pass.stats = pass->stats ? &one->stats : NULL;
  one->pass.out = one->pass.hoop = one->out;
  one->pass.at = one->at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A counter's value, which starts anew: a plugin may be there twice. */
static double taken(double *counter)
{
  const double n = *counter;
  *counter = 0.0;
  return n;
}

static double count(RhxForm form)
{
  double n = taken(&rhx_flops);
  if (form->viscous) n += taken(form->viscous->flops);
  for (PetscInt m = 0; m < form->nmodes; m++) n += taken(form->mode[m].law->flops);
  for (PetscInt k = 0; k < form->nowners; k++) n += taken(form->owner[k].plugin->flops);
  for (PetscInt k = 0; k < form->nstabilisers; k++) n += taken(form->stabiliser[k].plugin->flops);
  return n;
}

static PetscErrorCode count_cells(const RhxKernel *kernel, RhxPassKind kind, One *one, double *flops)
{
  PetscErrorCode (*const loop[])(const RhxPass *, const RhxCells *) = {
      [RHX_PASS_RESIDUAL] = kernel->residual,     [RHX_PASS_PROJECT] = kernel->project,
      [RHX_PASS_DIVERGENCE] = kernel->divergence, [RHX_PASS_GRADIENT] = kernel->gradient,
      [RHX_PASS_MOMENTUM] = kernel->momentum,     [RHX_PASS_TRANSPORT] = kernel->transport,
      [RHX_PASS_TOTALS] = kernel->totals};
  const RhxSpace sp = one->pass.form->space;
  const RhxPatch patch = one->pass.form->in->patch;
  const RhxCells *part = !patch                      ? NULL
                         : kind == RHX_PASS_RESIDUAL ? patch->residual
                         : kind == RHX_PASS_PROJECT  ? patch->project
                                                     : NULL;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < sp->ntypes; k++) {
    RhxCells cells = part ? part[k] : sp->cells[k];
    const double n = (double)cells.n;
    if (!cells.n) continue;
    cells.n = cells.ngroups = 1;
    cells.conn = one->conn;
    PetscCall(loop[kind](&one->pass, &cells));
    *flops += n * count(one->pass.form);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_faces(const RhxKernel *kernel, One *one, double *flops)
{
  const RhxForm form = one->pass.form;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nface_terms; k++) {
    const RhxFaceTerm *term = &form->face_term[k];
    for (PetscInt g = 0; g < term->faces->ngroups; g++) {
      RhxFaceGroup faces = term->faces->group[g];
      const double n = (double)faces.n;
      if (!faces.n) continue;
      faces.n = faces.ngroups = 1;
      faces.conn = one->conn;
      PetscCall(kernel->faces(&one->pass, &faces, term, g));
      *flops += n * count(form);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormPassFlops(const RhxPass *pass, RhxPassKind kind, double *flops)
{
  const RhxForm form = pass->form;
  const RhxSpace sp = form->space;
  const RhxKernel *kernel = sp->dim == 3       ? &rhx_count_d3t6
                            : form->swirl >= 0 ? &rhx_count_d2a6
                            : sp->axisymmetric ? &rhx_count_d2a4
                            : sp->ntens == 4   ? &rhx_count_d2t4
                                               : &rhx_count_d2t3;
  const int at = kind == RHX_PASS_TRANSPORT
                     ? (int)pass->mode
                     : (int)pass->rows | (pass->stats ? 8 : 0) | (pass->xdot ? 16 : 0) | (form->source ? 32 : 0);
  double *known =
      form->in->patch && kind <= RHX_PASS_PROJECT ? &form->in->patch->flops[kind][at] : &form->in->flops[kind][at];
  PetscFunctionBegin;
  if (*known == 0.0) {
    One one = {.conn = {0}};
    PetscCall(one_create(pass, &one));
    (void)count(form); /* other forms of this process share the counters */
    if (kind == RHX_PASS_FACES)
      PetscCall(count_faces(kernel, &one, known));
    else
      PetscCall(count_cells(kernel, kind, &one, known));
    PetscCall(PetscFree2(one.in, one.out));
  }
  *flops = *known;
  PetscFunctionReturn(PETSC_SUCCESS);
}
