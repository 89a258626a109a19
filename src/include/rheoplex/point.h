/* The dialect of pointwise code and the structs in which the stages of the weak form meet.
 *
 * One source is compiled as C11 (double, SIMD lanes, double complex) and as C++17 (lanes with a derivative, dual numbers, device),
 * once for each dimension and tensor size. This header needs neither PETSc nor libc beyond math.
 * Set from outside: RHX_DIM 2|3, RHX_NTENS 3|4|6 (2D with 6: RHX_SWIRL), RHX_KIND RHX_KIND_*.
 * Conventions: L_ij = d u_i / d x_j. Tensor components: 2D xx yy xy (RHX_NTENS 3) or xx yy zz xy (4); 3D xx yy zz yz xz xy.
 * Weak residual of every field: integral of N f0 + grad N . f1; an explicit scheme advances mass * rate = -residual. */
#ifndef RHX_POINT_H
#define RHX_POINT_H

#define RHX_KIND_DOUBLE 0     /* one double: rheometer, point tests */
#define RHX_KIND_LANES 1      /* a GCC vector of RHX_LANES doubles, one element a lane: host element loops */
#define RHX_KIND_COMPLEX 2    /* exact derivatives by the complex step */
#define RHX_KIND_DUAL 3       /* C++ class given by the includer as RhxReal: device tangents */
#define RHX_KIND_COUNT 4      /* a number whose operations are counted (count.h) */
#define RHX_KIND_DUAL_LANES 5 /* C++: lanes with a derivative (real_duals.h), host tangents */

#ifndef RHX_DIM
#define RHX_DIM 3
#endif
#ifndef RHX_NTENS
#define RHX_NTENS (RHX_DIM == 2 ? 3 : 6)
#endif
#ifndef RHX_KIND
#define RHX_KIND RHX_KIND_DOUBLE
#endif

#define RHX_NDIAG (RHX_NTENS == 3 ? 2 : 3) /* diagonal components carried: the d of tr(c) - d */
#define RHX_MAX_AUX 16                     /* auxiliary rows of one stabiliser */
#define RHX_MAX_AUX_COMPONENTS 64          /* interpolated auxiliary components of the flow, of one mode, one scalar */
#define RHX_SWIRL (RHX_DIM == 2 && RHX_NTENS == 6) /* axisymmetric flow with u_theta(z, r), tensors of space */
#define RHX_LDIM (RHX_NTENS == 6 ? 3 : RHX_DIM)    /* of the gradient that laws see */

#include <rheoplex/real.h> /* RhxReal, RhxMask, RHX_CONST, RHX_LT, RHX_SELECT, RHX_SQRT, ... for the kind */
#define RHX_POINTWISE static inline RHX_DEVICE RHX_UNUSED
#include <rheoplex/tensor.h>

/* (1 - exp(-x))/x, x >= 0: the mean of exp(-s) over [0, x]; by its series, to x^9/10!, below 0.1. */
RHX_POINTWISE RhxReal rhx_decay_mean(RhxReal x)
{
  RhxMask small = RHX_LT(x, 0.1);
  RhxReal near = RHX_SELECT(small, x, RHX_CONST(0.0)), far = RHX_SELECT(small, RHX_CONST(1.0), x), s = RHX_CONST(1.0);
  for (int k = 10; k >= 2; k--) s = 1.0 - near / (double)k * s;
  return RHX_SELECT(small, s, (1.0 - RHX_EXP(-far)) / far);
}

/* What a law sees of the kinematics. */
typedef struct {
  RhxReal D[RHX_NTENS]; /* rate of deformation, 1/s */
  RhxReal shear_rate;   /* sqrt(2 D:D), 1/s */
} RhxKin;

/* What core needs to know of one mode; core reads no parameter of a law by name. */
typedef struct {
  RhxReal eta_p;   /* polymer viscosity, Pa s */
  RhxReal lambda;  /* relaxation time, s */
  RhxReal modulus; /* G of linear springs tau = G (c - I), Pa */
} RhxProps;

/* What scalar fields do to the flow; a plugin multiplies the factors and adds to the force. */
typedef struct {
  RhxReal time;      /* shift factor a > 0 of all laws: their times and viscosities a-fold, their moduli as they are */
  RhxReal viscosity; /* of the solvent besides, > 0 */
  RhxReal force[RHX_DIM]; /* N/m^3 */
} RhxShift;

/* The flow at one quadrature point. */
typedef struct {
  double t, dt;                /* time and time step, s; dt = 0 in a steady problem */
  double rho;                  /* density, kg/m^3 */
  double convection;           /* 1, or 0 for creeping flow */
  RhxReal x[RHX_DIM];          /* position, m */
  RhxReal g[RHX_DIM][RHX_DIM]; /* element metric (d xi/d x)^T (d xi/d x), 1/m^2; 2|u|/h_u = sqrt(u.g.u) */
  RhxReal ih2;                 /* 1/h^2 = tr(g)/(4 dim), 1/m^2 */
  RhxReal n[RHX_DIM];          /* outward unit normal, faces only */

  RhxReal u[RHX_DIM], ut[RHX_DIM]; /* velocity and its last rate */
  RhxReal gu[RHX_DIM][RHX_DIM];    /* d u_i / d x_j of the elements */
  RhxReal L[RHX_LDIM][RHX_LDIM];   /* the gradient that the laws see; kinematics stages may replace it */
  RhxReal p, gp[RHX_DIM];          /* pressure, its gradient */
  RhxReal f[RHX_DIM], fp;          /* body force, N/m^3; source of continuity, 1/s */
  RhxShift shift;                  /* set where fields of the case do something; its force is in f */
  const RhxReal *aux;              /* auxiliary fields of the flow, [RhxStage.off[row] + component] */

  RhxReal eta_s;            /* solvent viscosity, Pa s */
  RhxReal eta_p;            /* sum of the modes' viscosities, Pa s */
  RhxReal tau[RHX_NTENS];   /* total polymer stress, Pa */
  RhxReal div_tau[RHX_DIM]; /* its divergence, where the representation has one, else 0 */
  RhxReal conv[RHX_DIM];    /* convection * u.grad u, m/s^2 */
  RhxReal rm[RHX_DIM], rc;  /* strong residuals: rho (u_t + u.grad u) + grad p - div tau - f; div u - fp */

  RhxReal f0u[RHX_DIM], f1u[RHX_DIM][RHX_DIM]; /* momentum; f1u[i][j] goes with w_i,j */
  RhxReal f0p, f1p[RHX_DIM];                   /* continuity */
  RhxReal hoop, f1h; /* NTENS 4, SWIRL: u_r/r of axisymmetric flow, 1/s, else 0; momentum that goes with w_r/r there */
  RhxReal w, gw[RHX_DIM]; /* RHX_SWIRL: u_theta and its gradient */
} RhxPoint;

/* One mode at one quadrature point. The transport equation is scaled so that the rate of s has coefficient 1. */
typedef struct {
  RhxReal s[RHX_NTENS], st[RHX_NTENS]; /* the unknown (stress, conformation, log c) and its last rate */
  RhxReal gs[RHX_NTENS][RHX_DIM];      /* its gradient */
  RhxReal conv[RHX_NTENS];             /* u.grad s */
  RhxReal c[RHX_NTENS];                /* conformation */
  RhxReal tau[RHX_NTENS];              /* polymer stress of this mode */
  RhxReal src[RHX_NTENS];              /* source (manufactured solutions) */
  RhxProps prop;
  const RhxReal *aux;    /* auxiliary fields of this mode */
  RhxReal rs[RHX_NTENS]; /* strong residual s_t + u.grad s - stretching + relaxation - source */
  RhxReal f0[RHX_NTENS], f1[RHX_NTENS][RHX_DIM];
} RhxMode;

/* One scalar field at one quadrature point: c_t + u.grad c = div(D grad c) + s, the capacity divided out. Its row holds the
 * field's unit over s. */
typedef struct {
  RhxReal c, ct;          /* the field and its last rate */
  RhxReal gc[RHX_DIM];    /* its gradient */
  RhxReal conv;           /* u.grad c */
  RhxReal D, s, reaction; /* of its plugin: diffusivity, m^2/s; source; rate at which that takes c away, >= 0, 1/s */
  RhxReal src;            /* source by formula */
  const RhxReal *aux;     /* auxiliary fields of this scalar */
  RhxReal rs; /* strong residual c_t + u.grad c - s - src; without diffusion, which is zero in linear elements */
  RhxReal f0, f1[RHX_DIM];
} RhxScalar;

/* What stabilisers add to momentum that bounds the time step of an explicit scheme, or that an implicit one takes along; core
 * starts it at zero. */
typedef struct {
  RhxReal viscosity; /* of all components, where it acts on the shortest waves, Pa s */
  RhxReal bulk;      /* of div u, Pa s */
  RhxReal
      upwind; /* share of the diffusion u^2 dt/2 along the streamline, which forward Euler lacks, that is made up for */
  RhxReal streamline; /* s of (u.grad w, s (conv - P)), P a projection, kg s/m^3 */
} RhxDiffusion;

/* What a stabiliser is told besides its parameters. */
typedef struct {
  unsigned parts; /* bit k: part k of the descriptor is on */
  int off
      [RHX_MAX_AUX]; /* offset of auxiliary row k in the aux of RhxPoint, RhxMode or RhxScalar; -1: row not asked for by `needs` */
} RhxStage;

/* u.g.u = (2|u|/h_u)^2, 1/s^2 */
RHX_POINTWISE RhxReal rhx_ugu(const RhxPoint *pt)
{
  RhxReal s = RHX_ZERO;
  for (int i = 0; i < RHX_DIM; i++)
    for (int j = 0; j < RHX_DIM; j++) s += pt->u[i] * pt->g[i][j] * pt->u[j];
  return s;
}

/* sqrt(u.g.u) = 2|u|/h_u, 1/s */
RHX_POINTWISE RhxReal rhx_convective_rate(const RhxPoint *pt) { return RHX_SQRT(rhx_ugu(pt) + RHX_TINY); }

#endif
