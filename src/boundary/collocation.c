/* Pieces of the history of the polymer that an inlet brings in. Behind an inlet the flow is developed, u.grad c = 0, so that at each node the law's own
 * equation is left, dc/dt = (L c + c L^T - rate(c))/a with L(t) of the given velocity, a-fold of a shift a. A piece is one step of it by
 * Radau IIA for all nodes, modes and ranks, as long as the largest of their errors lets it be: it depends on times alone, not on the steps of the run
 * nor on the number of ranks. Within it the unknown is the cubic through its beginning and the stages: a run whose steps are much shorter
 * than the relaxation times solves nothing in most of them. */
#include "boundary/memory_impl.h"
#include "boundary/shift_impl.h"
#include "form/relaxation.h"
#include "form/transient.h"

#define TOLERANCE 3e-10 /* of RhxFormTransient */
#define AT_ENDS 1e-7    /* the same where the ends alone count, which are closer by two orders, */
#define FORGIVEN \
  1e3 /* up to so many times that where they are e-fold forgotten: errors at ends grow with its power 5/4, */
#define FORGETS 0.6   /* so that the tolerance grows with this power of what is forgotten */
#define LONGEST 0.1   /* of the longest relaxation time: what is given for a hundredth of it is seen */
#define SHORTEST 1e-9 /* of the longest piece: one so short ends at a jump of what is given, and is taken */
#define ROUNDING 16   /* units in the last place of t, which no piece is shorter than */

PetscErrorCode RhxPieceCreate(const RhxPieceNodes *nodes, RhxPiece *piece)
{
  const size_t size = (size_t)nodes->n * nodes->width;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(size, &piece->c, size, &piece->last, RHX_FORM_PLACES * size, &piece->unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPieceDestroy(RhxPiece *piece)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(piece->c, piece->last, piece->unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxPieceBehind(const RhxPieceNodes *nodes, const RhxPiece *before, RhxPiece *piece)
{
  piece->begin = before->end;
  piece->next = before->next;
  for (PetscInt k = 0; k < nodes->n * nodes->width; k++) piece->c[k] = before->last[k];
}

/* Unknowns at a place of mode i % nmodes of node i / nmodes. */
static double *kept(const RhxPieceNodes *nodes, const RhxPiece *piece, int place, PetscInt i, PetscInt ntens)
{
  return piece->unknown + (size_t)place * nodes->n * nodes->width + i * ntens;
}

PetscErrorCode RhxPieceStill(RhxCondition *c, const RhxPieceNodes *nodes, double t, double next, RhxPiece *piece)
{
  const PetscInt ntens = c->bc->space->ntens, nmodes = c->bc->form->nmodes;

  PetscFunctionBegin;
  piece->begin = piece->end = t;
  piece->length = 0;
  piece->next = next;
  PetscCall(PetscArraycpy(piece->last, piece->c, nodes->n * nodes->width));
  for (PetscInt i = 0; i < nodes->n * nmodes; i++)
    for (int place = 0; place < RHX_FORM_PLACES; place++)
      PetscCall(RhxFormUnknown(c->bc->form, i % nmodes, piece->c + i * ntens, kept(nodes, piece, place, i, ntens)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L[n][places][dim][dim] and a[n][places] of a step dt from t. */
static PetscErrorCode find_gradients(RhxCondition *c, const RhxPieceNodes *nodes, double t, double dt, PetscReal *L,
                                     PetscReal *a)
{
  const PetscInt size = c->bc->space->dim * c->bc->space->dim;
  double place[RHX_FORM_PLACES];
  PetscReal *one, *factor;

  PetscFunctionBegin;
  RhxFormGetPlaces(place);
  PetscCall(PetscMalloc2(nodes->n * size, &one, nodes->n, &factor));
  for (PetscInt k = 0; k < RHX_FORM_PLACES; k++) {
    const double then = t + place[k] * dt;
    PetscCall(RhxConditionProfile(c->bc, c, then, nodes->n, nodes->x, NULL, one));
    PetscCall(RhxConditionReduce(c, then, nodes->n, nodes->x, one, factor));
    for (PetscInt i = 0; i < nodes->n; i++) {
      PetscCall(PetscArraycpy(L + (i * RHX_FORM_PLACES + k) * size, one + i * size, size));
      a[i * RHX_FORM_PLACES + k] = factor[i];
    }
  }
  PetscCall(PetscFree2(one, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The piece from its beginning to its end; *error: the largest of this rank. */
static PetscErrorCode step(RhxCondition *c, const RhxPieceNodes *nodes, RhxPiece *piece, double *error)
{
  const PetscInt size = c->bc->space->dim * c->bc->space->dim, ntens = c->bc->space->ntens,
                 nmodes = c->bc->form->nmodes;
  const double dt = piece->length;
  PetscReal *L, *a;
  double one, at[6 * RHX_FORM_PLACES], unknown[6 * RHX_FORM_PLACES]; /* [places][ntens] */

  PetscFunctionBegin;
  *error = 0.0;
  PetscCall(PetscMalloc2(nodes->n * RHX_FORM_PLACES * size, &L, nodes->n * RHX_FORM_PLACES, &a));
  PetscCall(find_gradients(c, nodes, piece->begin, dt, L, a));
  for (PetscInt i = 0; i < nodes->n * nmodes && !c->bc->failure[0] && *error < PETSC_INFINITY; i++) {
    const PetscInt node = i / nmodes;
    PetscCall(PetscArraycpy(at, piece->c + i * ntens, ntens));
    PetscCall(RhxFormTransient(c->bc->form, i % nmodes, L + node * RHX_FORM_PLACES * size, a + node * RHX_FORM_PLACES,
                               dt, at, piece->end < nodes->start ? NULL : unknown, &one));
    *error = PetscMax(*error, one);
    if (!(one < PETSC_INFINITY)) continue;
    for (int place = 0; place < RHX_FORM_PLACES && !(piece->end < nodes->start); place++)
      PetscCall(PetscArraycpy(kept(nodes, piece, place, i, ntens), unknown + place * ntens, ntens));
    PetscCall(PetscArraycpy(piece->last + i * ntens, at + (RHX_FORM_PLACES - 1) * ntens, ntens));
  }
  PetscCall(PetscFree2(L, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest error of all ranks; *failed: one of them could not find it, and has noted why. */
static PetscErrorCode agree(RhxCondition *c, PetscErrorCode code, double *error, PetscBool *failed)
{
  double most[2];

  PetscFunctionBegin;
  PetscCall(RhxConditionNote(c, "history of the polymer", code));
  most[0] = *error;
  most[1] = code || c->bc->failure[0] ? 1.0 : 0.0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, c->bc->comm));
  *error = most[0];
  *failed = (PetscBool)(most[1] > 0.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double tolerance_at(const RhxPieceNodes *nodes, double t, double longest)
{
  if (!(t < nodes->start)) return TOLERANCE;
  return AT_ENDS * (longest > 0.0 ? PetscMin(FORGIVEN, exp(FORGETS * (nodes->start - t) / longest)) : 1.0);
}

PetscErrorCode RhxPieceFind(RhxCondition *c, const RhxPieceNodes *nodes, double t, RhxPiece *piece, PetscBool *stopped)
{
  const PetscBool clean = PetscNot(c->bc->failure[0]);
  const double to = t - piece->begin, ahead = nodes->start - piece->begin;
  double longest, most, least, dt, tolerance, error = 0.0;

  PetscFunctionBegin;
  PetscCall(RhxFormRelaxationTime(c->bc->form, &longest));
  tolerance = tolerance_at(nodes, piece->begin, longest);
  most = longest > 0.0 ? LONGEST * longest : to;
  least = PetscMax(SHORTEST * most, ROUNDING * PETSC_MACHINE_EPSILON * PetscAbsReal(t));
  dt = PetscMin(piece->next, most);
  for (*stopped = PETSC_FALSE; !*stopped;) {
    const double tried = PetscMax(dt, least);
    PetscBool failed;
    PetscErrorCode code;
    piece->length = ahead > 0.0 && tried > ahead ? ahead : tried;
    piece->end = piece->length == ahead ? nodes->start : piece->begin + piece->length;
    code = step(c, nodes, piece, &error);
    PetscCall(agree(c, code, &error, &failed));
    dt = tried * PetscMin(5.0, PetscMax(0.2, 0.9 * sqrt(sqrt(tolerance / PetscMax(error, 1e-4 * tolerance)))));
    if (failed && tried > to && to > 0.0) { /* what is given may end behind t */
      if (clean) c->bc->failure[0] = '\0';
      dt = to;
    } else if (failed || (tried == least && !(error < PETSC_INFINITY)))
      *stopped = PETSC_TRUE;
    else if (error <= tolerance || tried == least)
      break;
  }
  piece->next = dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w[places] of the cubic through its places at the share s of a piece (Lagrange). */
static void weights(double s, double w[RHX_FORM_PLACES])
{
  double at[RHX_FORM_PLACES];

  RhxFormGetPlaces(at);
  for (int i = 0; i < RHX_FORM_PLACES; i++) {
    w[i] = 1.0;
    for (int j = 0; j < RHX_FORM_PLACES; j++)
      if (j != i) w[i] *= (s - at[j]) / (at[i] - at[j]);
  }
}

void RhxPieceGive(const RhxPieceNodes *nodes, const RhxPiece *piece, double t, PetscInt first, PetscInt n,
                  PetscScalar *unknown)
{
  const size_t all = (size_t)nodes->n * nodes->width, from = (size_t)first * nodes->width;
  const double share = piece->length > 0.0 ? (t - piece->begin) / piece->length : 0.0;
  double w[RHX_FORM_PLACES];

  weights(PetscMin(1.0, PetscMax(0.0, share)), w);
  for (size_t k = 0; k < (size_t)n * nodes->width; k++) {
    const PetscScalar *at = piece->unknown + from + k;
    unknown[k] = w[0] * at[0] + w[1] * at[all] + w[2] * at[2 * all] + w[3] * at[3 * all];
  }
}
