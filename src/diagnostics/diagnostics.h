/* What is measured on a state: forces by consistent reactions, wall shear stress, fluxes, conformation health. */
#ifndef RHX_DIAGNOSTICS_H
#define RHX_DIAGNOSTICS_H
#include "boundary/boundary.h"
#include "law/eigenvalue.h"
#include "scheme/scheme.h"

/* count[nlocal]: labels that hold a node, complete in ghosts. Collective. */
PetscErrorCode RhxLabelCount(RhxSpace space, PetscScalar *count);
/* Force of the fluid on a boundary label: minus the sum of the reactions over its nodes; of nodes that other labels share
 * only the label's part; those of all walls add up to the reactions. N (per m in 2D). 0 for an outlet. torque: its moment about the centre, by
 * the nodes' positions, N m (2D: N; z alone), with swirl z that about the axis; 0 unless it was asked for. The weights of reactions and
 * pressures are found by Create; Evaluate after RhxSchemeFindReactions. Collective. */
typedef struct RhxLabelForce_s *RhxLabelForce;
PetscErrorCode RhxLabelForceCreate(RhxForm form, RhxBoundary bc, const char *label, const double centre[3],
                                   PetscBool torque, RhxLabelForce *force);
PetscErrorCode RhxLabelForceEvaluate(RhxLabelForce force, TS ts, double f[3], double torque[3]);
PetscErrorCode RhxLabelForceDestroy(RhxLabelForce *force);
/* Owned nodes of labels and of so many rings of boundary faces about them; one: of whose reactions forces and scalar_diffusion are made. Collective. */
PetscErrorCode RhxListBeside(RhxSpace space, PetscInt n, const char *const *label, int rings, IS *nodes);
/* Volume flux integral of u.n over a label by quadrature, m^3/s: its outward and inward parts, both positive. x[nlocal][bs]. Collective. */
PetscErrorCode RhxFluxParts(RhxForm form, const char *label, const PetscScalar *x, double *out, double *in);
/* (Flux out of minus flux into the domain) / flux in, by quadrature over every label: the relative mass error. 0 in a
 * closed domain. Of x[nlocal][bs], known at the elements of the boundary. */
PetscErrorCode RhxMassErrorNear(RhxForm form, const PetscScalar *x, double *error);
/* Kinetic energy that the flow carries out through this rank's faces, integral of rho |u|^2/2 u.n, W (2D: W/m). x: as RhxMassErrorNear. */
void RhxKineticFlux(RhxForm form, const PetscScalar *x, double *flux);
/* Of the whole boundary: outward and inward parts of u.n, and the scale; positive, m^3/s (2D: m^2/s). Collective. */
PetscErrorCode RhxFluxes(RhxForm form, Vec x, double *out, double *in, double *scale);
double RhxMassErrorOfFluxes(double out, double in, double scale); /* scale: sum of |u| over the faces, for rounding */

/* A place on a 2D wall. */
typedef struct {
  PetscReal x[2], s; /* position, arc length in its chain, m */
  PetscInt part;     /* chain */
} RhxWallPoint;

/* A wall in space as it is drawn, on rank 0. */
typedef struct {
  PetscInt nfaces, npoints;
  PetscInt (*face)[4]; /* [nfaces] points, in their order around; the last of a triangle is -1 */
  PetscInt *point;     /* [npoints] node, of the wall's, at */
  double (*place)[3];  /* [npoints]: periodic images of a node are points of their own */
} RhxWallSurface;

/* Wall shear stress along a wall: the viscous and polymeric traction, of second order, from the consistent reactions less
 * the nodal pressure's: by the label's boundary mass matrix, at nodes of triangles and tets by an average over neighbours
 * (there single reactions zigzag at first order, their sums do not; second order on meshes that are regular along the wall,
 * small noise on others). Nodes that another label shares and corners and edges that turn by more than 60 degrees
 * (2D: one entry a side; 3D: the mean) hold reactions of both sides: there the traction is extrapolated linearly along the
 * wall.
 * 2D order: chains of faces; an open chain runs towards +x from its end of smallest x, a closed curve from its node of
 * smallest x, at first towards +y. */
typedef struct {
  PetscInt n;           /* rank 0 holds all nodes of the label, in order of arc length in 2D; 0 elsewhere */
  PetscReal *s, *x;     /* [n] arc length from the first node, m; [n][dim] */
  PetscReal *wss;       /* [n][dim] tangential traction of the fluid on the wall, Pa */
  PetscReal *wss_theta; /* [n] with swirl that along theta, else NULL */
  /* [n] wall shear rate from the velocity's slope, 1/s: signed in 2D (positive: flow along increasing arc length), with swirl its
   * magnitude; may be NULL */
  PetscReal *shear;
  PetscReal *pressure;      /* [n] nodal pressure, Pa */
  PetscInt *part;           /* [n] chain; arc length starts anew in each */
  PetscInt nsep, nreat;     /* 2D: sign changes of wss, separation (+ to -) and reattachment (- to +) */
  RhxWallPoint *sep, *reat; /* [nsep], [nreat] by linear interpolation; none beside an extrapolated end: not resolved */
  PetscBool over_x;         /* 2D: x rises from node to node, so that it tells the place */
  const RhxWallSurface *surface; /* 3D: of the mesh, borrowed */
  MPI_Comm comm;
} RhxWall;
#define RHX_WALL_RINGS 3
/* The geometry of a label's wall and what follows from it, on rank 0. Collective. */
typedef struct RhxWallMesh_s RhxWallMesh;
PetscErrorCode RhxWallMeshCreate(RhxForm form, const char *label, RhxWallMesh **mesh);
PetscErrorCode RhxWallMeshDestroy(RhxWallMesh **mesh);
/* After RhxSchemeFindReactions; x[nlocal][bs]: the state, of which so many rings of elements about the wall are read.
 * rate: the shear rate is found too, by fits that are made when it is first asked for; else shear is NULL. Collective. */
PetscErrorCode RhxWallCreate(TS ts, RhxForm form, RhxBoundary bc, RhxWallMesh *mesh, const PetscScalar *x,
                             PetscBool rate, RhxWall **wall);
/* r[nodes][bs]: reactions of these nodes, owned or ghosts, with the shear stress on a label with slip (NULL: on all labels), which
 * the rows of the scheme hold as a load. After RhxSchemeFindReactions. Collective. */
PetscErrorCode RhxWallReactions(TS ts, RhxSpace space, RhxBoundary bc, const char *label, IS nodes, PetscScalar *r);
/* CSV of the wall; lengths and rates also scaled by length and velocity/length. Beside it <file less .csv>_points.csv:
 * separation and reattachment (2D), with their arc length. err: an errno, 0: all is well. Collective. */
PetscErrorCode RhxWallWrite(const RhxWall *wall, PetscInt dim, const char *file, double velocity, double length,
                            int *err);
PetscErrorCode RhxWallDestroy(RhxWall **wall);

/* Smallest eigenvalue of c over nodes and modes, its place, and the number of nodes that are not positive definite. */
typedef struct {
  double min_eigenvalue, x[3], max_trace; /* trace with the inert zz = 1 of plane flow */
  PetscInt mode, nbad;                    /* mode -1: there is no polymer */
} RhxConformationHealth;
PetscErrorCode RhxConformationCheck(RhxForm form, Vec x, RhxConformationHealth *health);
/* Of the k-th scalar field: extreme values with their places, and the number of nodes beyond its bounds. Collective. */
typedef struct {
  double least, greatest, least_at[3], greatest_at[3];
  PetscInt nbad;
} RhxScalarHealth;
PetscErrorCode RhxScalarCheck(RhxForm form, PetscInt k, Vec x, RhxScalarHealth *health);
/* Least and greatest of x[nowned] by this stride, and their nodes. Collective. */
PetscErrorCode RhxNodalExtremes(RhxSpace space, PetscInt stride, const PetscScalar *x, double value[2],
                                double place[2][3]);
/* Is every value of x finite, and not beyond 1e100? If not, message names field, place, time, dt and Wi, on every rank. Collective. */
PetscErrorCode RhxCheckFinite(RhxForm form, Vec x, double t, double dt, double wi, PetscBool *finite,
                              char message[512]);
/* The node where the values of a group of fields are largest, by the sum of their squares. Collective. */
PetscErrorCode RhxFindLargest(RhxForm form, RhxFieldGroup group, Vec x, double place[3]);
/* Where a law gives what is no number at a quadrature point of x, whose own values are finite there and whose conformation is positive
 * definite and not lost: a sentence part with law, member, mode and place; "": nowhere. Collective. */
PetscErrorCode RhxFindLawFault(RhxForm form, Vec x, size_t size, char *text);
/* Does the source of scalar field k change with its value at any node of x? Collective. */
PetscErrorCode RhxSourceMoves(RhxForm form, PetscInt k, Vec x, PetscBool *moves);
/* Least and greatest at nodes of the source that the plugin of scalar field k makes where that has the value and all else is of x, in its unit over
 * s; infinite where it reads more than values, velocity gradient and stress. Collective. */
PetscErrorCode RhxSourceRange(RhxForm form, PetscInt k, Vec x, double value, double range[2]);
/* The same of plugins of scalar fields at the nodes of x: factors of the laws, diffusivities and sources that no fluid has. Collective. */
PetscErrorCode RhxFindFieldFault(RhxForm form, Vec x, size_t size, char *text);
#endif
