#include "petsc_compat.h"
#include "scheme/arclength_impl.h"
#include <math.h>

#define DIFFERENCE 1e-4  /* of the unit: steps of differences with respect to the parameter */
#define MOST 12          /* corrections of a step */
#define LEAST_COSINE 0.9 /* between the directions at both ends of a step, */
#define STRAIGHT 0.998   /* and from which on, where FEW corrections led there, the next one is GROWTH times as long */
#define FEW 4
#define GROWTH 1.5
#define LOOSEST 1e-3 /* of linear solves of a correction: as loose as costs no correction, */
#define CLOSE 0.1    /* and of what the residual is to end with */

struct _RhxArc {
  RhxScheme sc; /* borrowed, as nt */
  RhxNewton nt;
  const RhxParameter *how; /* borrowed */
  double low, high, unit;
  double p, way;    /* of the last state; dq/ds there, 0: not known yet, */
  double same;      /* and the last direction times d(x, q)/dq there */
  Vec x, along;     /* of it; dx/ds */
  double *of_field; /* [nfields] weights in products, */
  Vec weight;       /* and of every row */
  Vec slope, a, b, work;
};

/* ---- Set-up ---- */

PetscErrorCode RhxArcCreate(RhxScheme sc, RhxNewton nt, const RhxParameter *how, double low, double high, double unit,
                            RhxArc *out)
{
  RhxArc arc;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  arc = *out;
  arc->sc = sc;
  arc->nt = nt;
  arc->how = how;
  arc->low = low;
  arc->high = high;
  arc->unit = unit;
  Vec *const own[] = {&arc->x, &arc->along, &arc->weight, &arc->slope, &arc->a, &arc->b, &arc->work};
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own); i++) PetscCall(VecDuplicate(nt->x, own[i]));
  PetscCall(VecZeroEntries(arc->b));
  PetscCall(PetscCalloc1(nt->eq->form->space->nfields, &arc->of_field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxArcDestroy(RhxArc *arc)
{
  PetscFunctionBegin;
  if (!*arc) PetscFunctionReturn(PETSC_SUCCESS);
  Vec *const own[] = {&(*arc)->x, &(*arc)->along, &(*arc)->weight, &(*arc)->slope,
                      &(*arc)->a, &(*arc)->b,     &(*arc)->work};
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own); i++) PetscCall(VecDestroy(own[i]));
  PetscCall(PetscFree((*arc)->of_field));
  PetscCall(PetscFree(*arc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define NOTHING 1e-10 /* of its scale: a mode that is at rest or a scalar that is absent but for rounding */

/* Of a field, what of it is nothing; an azimuthal velocity has no scale of its own. */
static double nothing_of(RhxForm form, const RhxField *field)
{
  const PetscInt mode = (field->offset - RhxFieldsStart(form->space->fields, RHX_GROUP_MODES)) / form->space->ntens,
                 scalar = field->offset - form->first_scalar;
  if (form->nscalars && scalar >= 0) return scalar == form->swirl ? 0.0 : NOTHING * form->scalar[scalar].set.scale;
  return form->nmodes && field->offset >= RhxFieldsStart(form->space->fields, RHX_GROUP_MODES)
             ? NOTHING * form->scale[mode]
             : 0.0;
}

/* 1/|x|^2 of the velocity and of each mode and scalar that is something; pressures have a level that means nothing. */
static PetscErrorCode weigh(RhxArc arc)
{
  const RhxSpace sp = arc->nt->eq->form->space;
  const PetscScalar *x;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(arc->nt->x, &x));
  for (PetscInt f = 0; f < sp->nfields; f++) {
    const PetscInt first = sp->field[f].offset, end = first + sp->field[f].components;
    const double least = nothing_of(arc->nt->eq->form, &sp->field[f]);
    double sum = 0.0;
    for (PetscInt i = 0; first != sp->dim && i < sp->nowned; i++)
      for (PetscInt c = first; c < end; c++) sum += x[i * sp->bs + c] * x[i * sp->bs + c];
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, arc->nt->eq->form->comm));
    arc->of_field[f] = sum > least * least * (double)sp->nglobal ? 1.0 / sum : 0.0;
  }
  PetscCall(VecRestoreArrayRead(arc->nt->x, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode spread_weights(RhxArc arc)
{
  const RhxSpace sp = arc->nt->eq->form->space;
  PetscScalar *w;
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(arc->weight));
  PetscCall(VecGetArray(arc->weight, &w));
  for (PetscInt f = 0; f < sp->nfields; f++)
    for (PetscInt i = 0; i < sp->nowned; i++)
      for (PetscInt c = 0; c < sp->field[f].components; c++) w[i * sp->bs + sp->field[f].offset + c] = arc->of_field[f];
  PetscCall(VecRestoreArray(arc->weight, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode product(RhxArc arc, Vec a, Vec b, double *sum)
{
  PetscScalar s;
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(arc->work, arc->weight, a));
  PetscCall(VecDot(arc->work, b, &s));
  *sum = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Equations ---- */

static PetscErrorCode residual(RhxArc arc, double p, Vec f)
{
  PetscFunctionBegin;
  PetscCall(RhxSteadySet(arc->sc, arc->how, p));
  PetscCall(RhxEquationsSetTime(arc->nt->eq, RhxSteadyGetTime(arc->sc)));
  PetscCall(RhxEquationsResidual(arc->nt->eq, arc->nt->x, NULL, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b = -J^-1 F_q at nt->x and p, from the last one, with J made there; F_q by a difference within the bounds. */
static PetscErrorCode respond(RhxArc arc, double p, double forcing, PetscBool *solved)
{
  const double h = DIFFERENCE * fabs(arc->unit), from = PetscMax(p - h, arc->low), to = PetscMin(p + h, arc->high);
  PetscFunctionBegin;
  PetscCall(residual(arc, to, arc->slope));
  PetscCall(residual(arc, from, arc->work));
  PetscCall(VecAXPY(arc->slope, -1.0, arc->work));
  PetscCall(VecScale(arc->slope, -fabs(arc->unit) / (to - from)));
  PetscCall(residual(arc, p, arc->nt->f));
  PetscCall(RhxNewtonLinearise(arc->nt, arc->nt->x, NULL, 0.0));
  PetscCall(RhxNewtonPrecondition(arc->nt));
  PetscCall(RhxNewtonSolveNear(arc->nt, forcing, arc->slope, arc->b, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The direction there, on from the last one. */
static PetscErrorCode turn(RhxArc arc, double p, PetscBool *solved)
{
  double size = 0.0;
  PetscFunctionBegin;
  PetscCall(respond(arc, p, 0.0, solved));
  if (!*solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(product(arc, arc->b, arc->b, &size));
  size = sqrt(1.0 + size);
  if (arc->way == 0.0)
    arc->same = arc->unit;
  else {
    PetscCall(product(arc, arc->along, arc->b, &arc->same));
    arc->same += arc->way;
  }
  arc->way = (arc->same < 0.0 ? -1.0 : 1.0) / size;
  PetscCall(VecCopy(arc->b, arc->along));
  PetscCall(VecScale(arc->along, arc->way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Steps ---- */

/* nt->x at p is the first state. */
static PetscErrorCode begin(RhxArc arc, double p)
{
  PetscBool solved;
  PetscFunctionBegin;
  PetscCall(spread_weights(arc));
  PetscCall(RhxEquationsHold(arc->nt->eq, arc->nt->x));
  PetscCall(turn(arc, p, &solved));
  PetscCheck(solved, arc->nt->eq->form->comm, PETSC_ERR_NOT_CONVERGED,
             "-scheme steady: the linearised equations of the first state, %s = %g, cannot be solved: is it one where "
             "the branch turns? expected another first value",
             arc->how->option, p);
  PetscCall(VecCopy(arc->nt->x, arc->x));
  arc->p = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* State and parameter have equal shares of the first direction: with shares by |x|, a branch that bends within a small part of |x|, as beside a
 * pitchfork that is disturbed, would be straight but for a corner that steps jump over. */
static PetscErrorCode balance(RhxArc arc)
{
  const double share = 1.0 / (arc->way * arc->way) - 1.0; /* |dx/dq|^2 */
  PetscFunctionBegin;
  if (!(share > NOTHING * NOTHING)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < arc->nt->eq->form->space->nfields; f++) arc->of_field[f] /= share;
  PetscCall(spread_weights(arc));
  arc->way = copysign(sqrt(0.5), arc->way);
  PetscCall(VecCopy(arc->b, arc->along));
  PetscCall(VecScale(arc->along, arc->way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxArcStart(RhxArc arc, double p, double *length)
{
  PetscFunctionBegin;
  PetscCall(weigh(arc));
  PetscCall(begin(arc, p));
  PetscCall(balance(arc));
  *length = 1.0 / fabs(arc->way);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxArcResume(RhxArc arc, double p, const double *weight, double way)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(arc->of_field, weight, arc->nt->eq->form->space->nfields));
  PetscCall(VecZeroEntries(arc->along));
  arc->way = way;
  PetscCall(begin(arc, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxArcGet(RhxArc arc, double *weight, double *way)
{
  for (PetscInt f = 0; f < arc->nt->eq->form->space->nfields; f++) weight[f] = arc->of_field[f];
  *way = arc->way;
}

/* One of Newton's method for x and q together; distance: of the plane at ds. */
static PetscErrorCode correct(RhxArc arc, double length, double forcing, double *p, PetscBool *solved)
{
  double plane = 0.0, of_a = 0.0, of_b = 0.0, dq;
  PetscFunctionBegin;
  PetscCall(respond(arc, *p, forcing, solved));
  if (!*solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecScale(arc->nt->f, -1.0));
  PetscCall(VecZeroEntries(arc->a));
  PetscCall(RhxNewtonSolveNear(arc->nt, forcing, arc->nt->f, arc->a, solved));
  if (!*solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecWAXPY(arc->slope, -1.0, arc->x, arc->nt->x));
  PetscCall(product(arc, arc->along, arc->slope, &plane));
  plane += arc->way * (*p - arc->p) / fabs(arc->unit) - length;
  PetscCall(product(arc, arc->along, arc->a, &of_a));
  PetscCall(product(arc, arc->along, arc->b, &of_b));
  dq = -(plane + of_a) / (arc->way + of_b);
  PetscCall(VecAXPBYPCZ(arc->nt->x, 1.0, dq, 1.0, arc->a, arc->b));
  *p += dq * fabs(arc->unit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How exact the linear solves of a correction are: as Newton's order can make use of it, and no more than the end asks for. */
static double forcing(RhxNewton nt, double end)
{
  const PetscReal *h = nt->history;
  const PetscInt k = PetscMin(nt->iterations, RHX_NEWTON_HISTORY - 1);
  return PetscMin(LOOSEST, PetscMax(k ? PetscSqr(h[k] / h[k - 1]) : LOOSEST, CLOSE * end / h[k]));
}

PetscErrorCode RhxArcStep(RhxArc arc, double length, double *p, PetscBool *solved, PetscBool *left)
{
  const RhxNewton nt = arc->nt;
  PetscReal rtol;
  double outside, change, norm;
  PetscFunctionBegin;
  PetscCall(SNESGetTolerances(nt->snes, NULL, &rtol, NULL, NULL, NULL));
  PetscCall(VecWAXPY(nt->x, length, arc->along, arc->x));
  *p = arc->p + length * arc->way * fabs(arc->unit);
  PetscCall(VecCopy(arc->along, arc->b)); /* dx/dq of the last state */
  PetscCall(VecScale(arc->b, 1.0 / arc->way));
  PetscCall(RhxSteadySet(arc->sc, arc->how, PetscMax(arc->low, PetscMin(*p, arc->high))));
  PetscCall(RhxNewtonScale(nt, RhxSteadyGetTime(arc->sc)));
  change = fabs(*p - arc->p); /* a correction that goes further beyond an end than that has failed */
  *solved = *left = PETSC_FALSE;
  for (nt->iterations = 0;; nt->iterations++) {
    PetscBool inner;
    outside = PetscMax(arc->low - *p, *p - arc->high);
    *left = (PetscBool)(outside > 0.0 && outside <= change);
    if (outside > 0.0) *p = *p < arc->low ? arc->low : arc->high;
    if (!(outside <= 0.0)) break;
    PetscCall(residual(arc, *p, nt->f));
    PetscCall(RhxScalingNorm(nt->scaling, nt->f, &norm));
    nt->history[PetscMin(nt->iterations, RHX_NEWTON_HISTORY - 1)] = norm;
    *solved = (PetscBool)(nt->iterations > 0 && norm <= rtol * nt->scale);
    if (*solved || nt->iterations == MOST || !(norm <= PETSC_MAX_REAL)) break;
    PetscCall(correct(arc, length, forcing(nt, rtol * nt->scale), p, &inner));
    if (!inner) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxArcNext(RhxArc arc, double length, PetscBool halved)
{
  const PetscBool easy = (PetscBool)(arc->nt->iterations <= FEW && fabs(arc->same * arc->way) > STRAIGHT);
  return PetscMin(halved ? 2.0 * length : easy ? GROWTH * length : length, 1.0 / fabs(arc->way));
}

/* Where the parameter turns between two states, from 0 to 1, by the cubic polynomial through their values p and slopes m, whose ends
 * differ in sign. */
static double find_turn(const double p[2], const double m[2])
{
  const double a = 6.0 * (p[0] - p[1]) + 3.0 * (m[0] + m[1]), b = -6.0 * (p[0] - p[1]) - 4.0 * m[0] - 2.0 * m[1];
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 60; k++) {
    const double mid = 0.5 * (low + high), slope = (a * mid + b) * mid + m[0];
    *(slope * m[0] > 0.0 ? &low : &high) = mid;
  }
  return low;
}

static double value_at(const double p[2], const double m[2], double s)
{
  const double r = 1.0 - s;
  return r * r * ((1.0 + 2.0 * s) * p[0] + s * m[0]) + s * s * ((1.0 + 2.0 * r) * p[1] - r * m[1]);
}

/* Along the last direction, which arc->along is: p and its slope at a distance from the last state; nt->x is lost. */
static PetscErrorCode look(RhxArc arc, double distance, double *p, double *slope, PetscBool *found)
{
  double of_b = 0.0;
  PetscBool left;
  PetscFunctionBegin;
  PetscCall(RhxArcStep(arc, distance, p, found, &left));
  if (*found) PetscCall(respond(arc, *p, 0.0, found));
  if (*found) PetscCall(product(arc, arc->along, arc->b, &of_b));
  *slope = fabs(arc->unit) / (of_b + arc->way);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between the last state, with its direction in arc->a and `way`, and nt->x at p: where p turns by the cubic, and by that of the half with the turn
 * when a state there is known. */
static PetscErrorCode find_fold(RhxArc arc, double p, double way, double length, double *fold)
{
  const struct _RhxArc now = *arc;
  const struct _RhxNewton newton = *arc->nt;
  const double at[2] = {arc->p, p}, slope[2] = {way * fabs(arc->unit), fabs(arc->unit) / arc->same},
               m[2] = {length * slope[0], length * slope[1]}, s = find_turn(at, m);
  double middle = p, there = slope[1];
  PetscBool found;
  Vec x, along;
  PetscFunctionBegin;
  *fold = value_at(at, m, s);
  PetscCall(VecDuplicate(arc->along, &along));
  PetscCall(VecDuplicate(arc->x, &x));
  PetscCall(VecCopy(arc->along, along));
  PetscCall(VecCopy(arc->nt->x, x));
  PetscCall(VecCopy(arc->a, arc->along));
  arc->way = way;
  PetscCall(look(arc, s * length, &middle, &there, &found));
  if (found) {
    const int late = there * slope[0] > 0.0;
    const double part = length * (late ? 1.0 - s : s), half[2] = {late ? middle : at[0], late ? at[1] : middle},
                 of[2] = {part * (late ? there : slope[0]), part * (late ? slope[1] : there)};
    *fold = value_at(half, of, find_turn(half, of));
  }
  arc->way = now.way;
  arc->nt->iterations = newton.iterations;
  PetscCall(PetscArraycpy(arc->nt->history, newton.history, RHX_NEWTON_HISTORY));
  PetscCall(VecCopy(along, arc->along));
  PetscCall(VecCopy(x, arc->nt->x));
  PetscCall(residual(arc, p, arc->nt->f));
  PetscCall(VecDestroy(&along));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxArcAccept(RhxArc arc, double p, double length, PetscBool *taken, PetscBool *turned, double *fold)
{
  const double way = arc->way;
  PetscBool solved;
  PetscFunctionBegin;
  PetscCall(VecCopy(arc->along, arc->a));
  PetscCall(turn(arc, p, &solved));
  PetscCheck(solved, arc->nt->eq->form->comm, PETSC_ERR_NOT_CONVERGED,
             "-scheme steady: the linearised equations at %s = %.8g cannot be solved, expected another "
             "-scheme_steady_continuation step, which passes by this point",
             arc->how->option, p);
  *turned = (PetscBool)(way * arc->way < 0.0);
  *fold = 0.0;
  *taken = (PetscBool)(fabs(arc->same * arc->way) > LEAST_COSINE);
  if (!*taken) {
    PetscCall(VecCopy(arc->a, arc->along));
    arc->way = way;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (*turned) PetscCall(find_fold(arc, p, way, length, fold));
  PetscCall(VecCopy(arc->nt->x, arc->x));
  arc->p = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}
