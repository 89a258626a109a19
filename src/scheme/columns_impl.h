/* Columns of what is given, eliminated beside its rows:
 *
 *   J = N J_0 K + 1 - N,  K = Q D: D 0 where values are given, Q of boundary/oblique.h where rows turn
 *
 * J_0 the derivative of R. An update dx = -J^-1 F is that of J with its columns where F is 0 in rows of given values, for then dx is 0
 * there: so where the state already has what is given. What is given by a flux, which changes with the iterations, keeps its columns. */
#ifndef RHX_COLUMNS_IMPL_H
#define RHX_COLUMNS_IMPL_H
#include "scheme/equations_impl.h"

/* Of equations, borrowed. Collective, as all here. */
PetscErrorCode RhxColumnsCreate(RhxEquations eq, RhxColumns *columns);
PetscErrorCode RhxColumnsDestroy(RhxColumns *columns);
PetscErrorCode RhxColumnsFollow(RhxColumns columns); /* eq->following has columns: those of its values stay */
PetscErrorCode RhxColumnsTake(RhxColumns columns, Vec v, Vec *part); /* K v, borrowed until the next call */
PetscErrorCode RhxColumnsEliminate(RhxColumns columns, Mat A);       /* A = A K, A of node blocks of the state */
PetscErrorCode RhxColumnsScalePressure(RhxColumns columns, Mat A); /* the same of columns that are pressures of nodes */
#endif
