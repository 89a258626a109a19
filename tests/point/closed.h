/* A law at a point in a given velocity gradient, for closed forms; compiled once a dimension and tensor size. */
#ifndef CLOSED_H
#define CLOSED_H
#include <rheoplex/plugin.h>

typedef struct {
  const RhxPlugin *plugin;
  const void *par;
} Law;

typedef enum { SHEAR, PLANAR_ELONGATION, UNIAXIAL_ELONGATION } Flow;

typedef struct {
  double xx, yy, zz, xy; /* zz: 0 where it is not carried */
} Tensor;

/* For a flow of the rate given: */
typedef struct {
  double (*viscosity)(Law law, Flow flow, double rate);
  /* Largest component of L c + c L^T - rate(c), and the stress, at c. */
  double (*balance)(Law law, Flow flow, double rate, Tensor c, Tensor *tau);
  /* c after time t from rest (c = I, where given c0's zz), by classical Runge-Kutta in n steps, and its stress. */
  Tensor (*evolve)(Law law, Flow flow, double rate, Tensor c0, double t, int n, Tensor *tau);
} PointLaw;

extern const PointLaw closed_2_3_0, closed_2_4_0, closed_3_6_0;

#endif
