/* The traction at nodes of simplices. A reaction there is right to first order only, and so are its neighbours', in turns
 * to either side: few elements at a node, many at the next; their sums are right to second order. So force and area are
 * spread alike, to the faces and back; their quotient stands at the centroid of what was spread. What alternates from node
 * to node vanishes, a traction linear along the wall is met exactly. Treating what the result leaves of the reactions
 * likewise takes the smoothing of a bent traction to higher order (Tukey's twicing). */
#include "diagnostics/wall_impl.h"
#include "petsc_compat.h"

#define PASSES 2
#define SWEEPS 2

/* Integrals over the wall with a weight, at first the node's shape function: w t, w, and w (x - x_node). */
typedef struct {
  double force[3], area, moment[3];
} Share;

/* Sums of the fit of a gradient at an entry. */
typedef struct {
  double matrix[2][2], rhs[2][3];
} Fit;

typedef struct {
  const RhxWallMesh *w;
  const RhxWallStencil *st;
  double (*rest)[3]; /* [nentries] reaction less the integral of N times the traction so far */
  double (*traction)[3], (*gradient)[2][3];
  Share *share, *next;
  Fit *fit;
} Smoother;

static PetscErrorCode first_shares(Smoother *s)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->share, s->w->nentries));
  for (PetscInt f = 0; f < s->w->nfaces; f++) {
    const RhxWallFace *face = s->w->face + f;
    for (int a = 0; a < face->n; a++) {
      const PetscInt i = s->w->entry[f][a];
      Share *share = s->share + i;
      for (int d = 0; d < 3; d++) share->force[d] = s->rest[i][d];
      for (int b = 0; b < face->n; b++) {
        share->area += face->mass[a][b];
        for (int d = 0; d < 3; d++) share->moment[d] += face->mass[a][b] * (face->x[b][d] - face->x[a][d]);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each node takes the mean over its usable faces of the mean over their nodes. */
static PetscErrorCode spread(Smoother *s)
{
  Share *to = s->next;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(to, s->w->nentries));
  for (PetscInt f = 0; f < s->w->nfaces; f++) {
    const RhxWallFace *face = s->w->face + f;
    for (int a = 0; s->st->usable[f] && a < face->n; a++)
      for (int b = 0; b < face->n; b++) {
        const PetscInt i = s->w->entry[f][a];
        const Share *from = s->share + s->w->entry[f][b];
        const double part = 1 / (face->n * s->st->nusable[i]);
        to[i].area += part * from->area;
        for (int d = 0; d < 3; d++) {
          to[i].force[d] += part * from->force[d];
          to[i].moment[d] += part * (from->moment[d] + from->area * (face->x[b][d] - face->x[a][d]));
        }
      }
  }
  s->next = s->share;
  s->share = to;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fit_gradients(Smoother *s)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->fit, s->w->nentries));
  for (PetscInt f = 0; f < s->w->nfaces; f++) {
    const RhxWallFace *face = s->w->face + f;
    for (int a = 0; s->st->usable[f] && a < face->n; a++)
      for (int b = 0; b < face->n; b++) {
        const PetscInt i = s->w->entry[f][a];
        const Share *mine = s->share + i, *other = s->share + s->w->entry[f][b];
        double x[3], t[2];
        for (int d = 0; d < 3; d++)
          x[d] = face->x[b][d] - face->x[a][d] + other->moment[d] / other->area - mine->moment[d] / mine->area;
        RhxWallAlong(s->st->tangent[i], x, t);
        for (int k = 0; k < 2; k++) {
          for (int l = 0; l < 2; l++) s->fit[i].matrix[k][l] += t[k] * t[l];
          for (int d = 0; d < 3; d++)
            s->fit[i].rhs[k][d] += t[k] * (other->force[d] / other->area - mine->force[d] / mine->area);
        }
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the centroid to the node by the gradient. */
static void add_traction(Smoother *s, PetscInt i)
{
  const Share *share = s->share + i;
  double inverse[2][2], t[2];

  RhxWallInvert(s->fit[i].matrix, inverse);
  RhxWallAlong(s->st->tangent[i], share->moment, t);
  for (int d = 0; d < 3; d++) {
    s->traction[i][d] += share->force[d] / share->area;
    for (int k = 0; k < 2; k++) {
      const double g = inverse[k][0] * s->fit[i].rhs[0][d] + inverse[k][1] * s->fit[i].rhs[1][d];
      s->gradient[i][k][d] += g;
      s->traction[i][d] -= t[k] / share->area * g;
    }
  }
}

/* At ends, where the traction is not known, it goes by the gradient. */
static void update_rest(Smoother *s)
{
  for (PetscInt i = 0; i < s->w->nentries; i++)
    for (int d = 0; d < 3; d++) s->rest[i][d] = s->w->reaction[s->w->e[i].node][d];
  for (PetscInt f = 0; f < s->w->nfaces; f++) {
    const RhxWallFace *face = s->w->face + f;
    for (int a = 0; a < face->n; a++)
      for (int b = 0; b < face->n; b++) {
        const PetscInt i = s->w->entry[f][a], j = s->w->entry[f][b];
        double x[3], t[2];
        for (int d = 0; d < 3; d++) x[d] = face->x[b][d] - face->x[a][d];
        RhxWallAlong(s->st->tangent[i], x, t);
        for (int d = 0; d < 3; d++)
          s->rest[i][d] -= face->mass[a][b] * (s->st->nusable[j] ? s->traction[j][d]
                                                                 : s->traction[i][d] + t[0] * s->gradient[i][0][d] +
                                                                       t[1] * s->gradient[i][1][d]);
      }
  }
}

PetscErrorCode RhxWallSmooth(const RhxWallMesh *w, double (*traction)[3])
{
  Smoother s = {.w = w, .st = &w->stencil, .traction = traction};
  const PetscInt n = w->nentries;

  PetscFunctionBegin;
  PetscCall(PetscCalloc5(n, &s.rest, n, &s.gradient, n, &s.share, n, &s.next, n, &s.fit));
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    update_rest(&s);
    PetscCall(first_shares(&s));
    for (int pass = 0; pass < PASSES; pass++) PetscCall(spread(&s));
    PetscCall(fit_gradients(&s));
    for (PetscInt i = 0; i < n; i++)
      if (s.st->nusable[i]) add_traction(&s, i);
  }
  PetscCall(PetscFree5(s.rest, s.gradient, s.share, s.next, s.fit));
  PetscFunctionReturn(PETSC_SUCCESS);
}
