/* Cubics between rows. */
#ifndef RHX_JOIN_IMPL_H
#define RHX_JOIN_IMPL_H
#include <petscsys.h>

enum { RHX_JOIN_CUBIC, RHX_JOIN_MONOTONE, RHX_JOIN_LINEAR };

/* m[2 n]: second derivatives at the beginning and at the end of each of n intervals between values v[n + 1] at times t[n + 1]. Of a period,
 * whose ends have one value; once: what is constant before and behind, so that cubic and monotone have no slope at the ends. */
PetscErrorCode RhxJoinRows(int how, PetscBool once, PetscInt n, const double *t, const double *v, double *m);
#endif
