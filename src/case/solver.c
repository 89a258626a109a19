/* -solver: PETSc's options of the solver of an implicit scheme, by size, dimension and what PETSc has. */
#include "case/impl.h"
#include "case/yaml_impl.h"
#include "device/cudss.h"
#include "plugin/data.h"

/* Nodes up to which factors are cheaper or take less than twice as long, without and with a polymer of one mode, in 2D and 3D: their
 * iterations do not depend on the flow (share/scripts/solver_limits.py, theory.md). */
#if defined(PETSC_HAVE_MUMPS)
#define FACTORS "factors by MUMPS"
static const PetscInt most_nodes[2][2] = {{100000, 15000}, {6000, 1900}};
#else
#define FACTORS "PETSc's own factors"
static const PetscInt most_nodes[2][2] = {{8000, 2000}, {1000, 500}};
#endif

/* The same of factors by cuDSS, against `points` on the device. */
static const PetscInt most_on_device[2][2] = {{150000, 100000}, {30000, 5000}};

/* Where vectors and matrices of PETSc are on the device, nothing sequential is to be there. */
#if defined(PETSC_HAVE_CUDA)
#define ON_DEVICE POINTS
#else
#define ON_DEVICE SPLIT
#endif

enum { AUTO, DIRECT, SPLIT, POINTS };
static const char *const names[] = {"auto", "direct", "split", "points"};
static const char *const means[] = {"", FACTORS, "GMRES and multigrid by fields", "GMRES and multigrid by node blocks"};

/* Which factors: of matrices that PETSc has on the device those of cuDSS, where it is not there, why. */
static PetscErrorCode describe_factors(RhxCase rc, PetscBool *on_device, size_t size, char *text)
{
  PetscFunctionBegin;
  *on_device = PETSC_FALSE;
  PetscCall(PetscStrncpy(text, FACTORS, size));
#if defined(PETSC_HAVE_CUDA)
  const Cudss *cudss;
  PetscMPIInt ranks;
  PetscBool other;
  char why[1024];
  PetscCallMPI(MPI_Comm_size(rc->comm, &ranks));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_factor_mat_solver_type", &other));
  if (!rc->device || ranks > 1 || other) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCudssOpen(&cudss, sizeof(why), why));
  *on_device = (PetscBool)(cudss != NULL);
  if (*on_device)
    PetscCall(PetscStrncpy(text, "factors by cuDSS on the device", size));
  else
    PetscCall(PetscSNPrintf(text, size, FACTORS " on the host, for cuDSS is not there: %s", why));
#else
  (void)rc;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_explicit(RhxCase rc)
{
  PetscFunctionBegin;
  PetscCheck(rc->general.solver == AUTO, rc->comm, PETSC_ERR_USER_INPUT,
             "-solver: got %s with the scheme %s, expected -scheme steady or monolithic, whose steps are solved by "
             "Newton's method",
             names[rc->general.solver], rc->general.scheme);
  PetscCheck(!rc->general.solver_nodes, rc->comm, PETSC_ERR_USER_INPUT,
             "-solver_nodes: got %d with the scheme %s, expected -scheme steady or monolithic, or 0",
             rc->general.solver_nodes, rc->general.scheme);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What gives momentum the viscosity that multigrid and incomplete factors want; at rest it has no inertia to stand for it. */
static PetscErrorCode advise_viscosity(RhxCase rc, size_t size, char *remedy)
{
  PetscFunctionBegin;
  PetscCall(RhxFormAdviseCoupling(rc->form, size, remedy));
  if (!remedy[0]) PetscCall(PetscStrncpy(remedy, "a -stabiliser of the coupling of velocity and stress", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_without_viscosity(RhxCase rc, int solver)
{
  char remedy[256];
  PetscBool steady;

  PetscFunctionBegin;
  PetscCall(RhxSchemeIsSteady(rc->ts, &steady));
  if (solver == DIRECT || !steady || RhxFormHasViscosity(rc->form)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(advise_viscosity(rc, sizeof(remedy), remedy));
  SETERRQ(
      rc->comm, PETSC_ERR_ARG_INCOMP,
      "-solver %s: got a polymer without a solvent, whose momentum has no viscosity for %s; expected -solver direct, "
      "a viscous law in -physics, or %s",
      names[solver], means[solver], remedy);
}

/* With several modes as many unknowns as with one. */
static PetscInt limit_nodes(RhxForm form, PetscInt nodes)
{
  const PetscInt one = form->space->dim + 1 + form->space->ntens;
  return form->nmodes > 1 ? nodes * one / PetscMax(one, form->space->bs) : nodes;
}

/* By nodes; on several ranks too: MUMPS spreads the factors, PETSc's own are made by every rank. */
static PetscErrorCode choose(RhxCase rc, int *solver)
{
  const PetscBool polymer = (PetscBool)(rc->form->nmodes > 0);
  const PetscInt n = rc->space->nglobal, dim = rc->space->dim;
  PetscInt most;
  PetscBool on_device;
  char factors[1200], remedy[256];

  PetscFunctionBegin;
  PetscCall(describe_factors(rc, &on_device, sizeof(factors), factors));
  most = rc->general.solver_nodes;
  if (!most) most = limit_nodes(rc->form, on_device ? most_on_device[dim - 2][polymer] : most_nodes[dim - 2][polymer]);
  if (n > most && !RhxFormHasViscosity(rc->form)) {
    *solver = DIRECT;
    PetscCall(advise_viscosity(rc, sizeof(remedy), remedy));
    PetscCall(PetscSNPrintf(rc->solver, sizeof(rc->solver),
                            "%s: %" PetscInt_FMT " nodes in %" PetscInt_FMT "D, more than %" PetscInt_FMT
                            ", but a polymer without a solvent, %s; %s would want %s (-solver auto)",
                            names[*solver], n, dim, most, factors, names[SPLIT], remedy));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *solver = n <= most ? DIRECT : rc->device ? ON_DEVICE : SPLIT;
  PetscCall(
      PetscSNPrintf(rc->solver, sizeof(rc->solver),
                    "%s: %" PetscInt_FMT " nodes in %" PetscInt_FMT "D, %s, %s %" PetscInt_FMT ", %s (-solver auto)",
                    names[*solver], n, dim, polymer ? "a polymer" : "no polymer",
                    *solver == DIRECT ? "at most" : "more than", most, *solver == DIRECT ? factors : means[*solver]));
  if (*solver != DIRECT) PetscCall(RhxSchemeSetRescue(rc->ts, names[*solver]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseChooseSolver_Private(RhxCase rc)
{
  int solver = rc->general.solver;
  PetscBool newton, given, there, on_device;
  char name[64], file[PETSC_MAX_PATH_LEN], factors[1200];

  PetscFunctionBegin;
  PetscCall(RhxSchemeHasNewton(rc->ts, &newton));
  if (!newton) {
    PetscCall(refuse_explicit(rc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_type", &given));
  PetscCheck(!rc->general.solver_nodes || (solver == AUTO && !given), rc->comm, PETSC_ERR_USER_INPUT,
             "-solver_nodes: got %d with %s%s, where it does nothing; expected -solver auto and no -pc_type",
             rc->general.solver_nodes, given ? "-pc_type" : "-solver ", given ? "" : names[solver]);
  if (solver == AUTO && given) PetscFunctionReturn(PETSC_SUCCESS);
  if (solver == AUTO)
    PetscCall(choose(rc, &solver));
  else if (solver == DIRECT && rc->device) {
    PetscCall(describe_factors(rc, &on_device, sizeof(factors), factors));
    PetscCall(PetscSNPrintf(rc->solver, sizeof(rc->solver), "%s, %s (-solver)", names[solver], factors));
  } else
    PetscCall(PetscSNPrintf(rc->solver, sizeof(rc->solver), "%s (-solver)", names[solver]));
  PetscCall(refuse_without_viscosity(rc, solver));
  PetscCall(PetscSNPrintf(name, sizeof(name), "options/solver/%s.yaml", names[solver]));
  there = RhxDataFile(name, sizeof(file), file);
  PetscCheck(there || solver == DIRECT, rc->comm, PETSC_ERR_FILE_OPEN,
             "-solver %s: got no file %s among those that come with the program, expected a whole installation",
             names[solver], name);
  if (there) PetscCall(RhxYamlInsertDefaults(rc->comm, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}
