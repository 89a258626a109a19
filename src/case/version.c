#include "case/version.h"
#include "case/mpi_impl.h"
#include "device/device.h"
#include "petsc_compat.h"
#include "plugin/data.h"
#include "plugin/registry.h"
#include <hdf5.h>
#include <muParserDLL.h>
#include <rheoplex/config.h>

static const char *kind_name(RhxPluginKind kind)
{
  static const char *const name[] = {"viscous law", "polymeric law", "stabiliser", "scalar fields"};
  return name[kind];
}

PetscErrorCode RhxPluginsView(PetscViewer viewer)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxPluginCount(&n));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Plugins: %" PetscInt_FMT "\n", n));
  for (PetscInt i = 0; i < n; i++) {
    const RhxPlugin *plugin;
    const char *file;

    PetscCall(RhxPluginGet(i, &plugin, &file));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %-14s %-14s interface %d.%d, %d lanes (%s), %s\n", plugin->name,
                                     kind_name(plugin->kind), plugin->abi.major, plugin->abi.minor, plugin->abi.lanes,
                                     plugin->abi.isa, file));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_HAVE_CUDA)
#define CUDA ", CUDA " PetscStringize(PETSC_PKG_CUDA_VERSION_MAJOR) "." PetscStringize(PETSC_PKG_CUDA_VERSION_MINOR)
#else
#define CUDA ", no CUDA"
#endif
#if defined(PETSC_HAVE_HYPRE)
#define HYPRE "yes"
#else
#define HYPRE "no"
#endif
#if defined(PETSC_HAVE_MUMPS)
#define MUMPS "yes"
#else
#define MUMPS "no"
#endif
#if defined(PETSC_HAVE_SUPERLU_DIST)
#define SUPERLU "yes"
#else
#define SUPERLU "no"
#endif
#if defined(PETSC_HAVE_SUITESPARSE)
#define SUITESPARSE "yes"
#else
#define SUITESPARSE "no"
#endif
#if defined(RHX_SLEPC)
#include <slepcversion.h>
#define SLEPC                                                                                             \
  "yes (" PetscStringize(SLEPC_VERSION_MAJOR) "." PetscStringize(SLEPC_VERSION_MINOR) "." PetscStringize( \
      SLEPC_VERSION_SUBMINOR) ")"
#else
#define SLEPC "no"
#endif
#if defined(PETSC_HAVE_PTSCOTCH)
#define PARTITIONER "PT-Scotch"
#elif defined(PETSC_HAVE_PARMETIS)
#define PARTITIONER "ParMETIS"
#else
#define PARTITIONER "simple"
#endif

static PetscErrorCode view_muparser(PetscViewer viewer)
{
  muParserHandle_t parser = mupCreate(muBASETYPE_FLOAT);

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "muParser   %s\n", mupGetVersion(parser)));
  mupRelease(parser);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVersionView(PetscViewer viewer)
{
  RhxDeviceState device;
  char files[PETSC_MAX_PATH_LEN], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  PetscInt petsc[3];
  int length;
  unsigned major, minor, release;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(&petsc[0], &petsc[1], &petsc[2], NULL));
  PetscCallMPI(MPI_Get_library_version(mpi, &length));
  mpi[strcspn(mpi, ",\n")] = '\0';
  PetscCheck(H5get_libversion(&major, &minor, &release) >= 0, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "HDF5 does not tell its version");
  PetscCall(PetscViewerASCIIPrintf(viewer, "Rheoplex   %s, %d lanes (%s)\n", RHX_VERSION, RHX_LANES, RHX_ISA));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "PETSc      %" PetscInt_FMT ".%" PetscInt_FMT ".%" PetscInt_FMT " (%s%s%s)\n", petsc[0], petsc[1],
      petsc[2], PETSC_ARCH[0] ? PETSC_ARCH ", " : "", PetscDefined(USE_DEBUG) ? "debug" : "optimised", CUDA));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "  hypre %s, MUMPS %s, SuperLU_DIST %s, SuiteSparse %s, SLEPc %s, partitioner %s\n",
                                   HYPRE, MUMPS, SUPERLU, SUITESPARSE, SLEPC, PARTITIONER));
  PetscCall(PetscViewerASCIIPrintf(viewer, "MPI        %s, %s\n", mpi,
                                   RhxMpiIsCudaAware() ? "CUDA-aware" : "not CUDA-aware"));
  PetscCall(PetscViewerASCIIPrintf(viewer, "HDF5       %u.%u.%u\n", major, minor, release));
  PetscCall(view_muparser(viewer));
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &device));
  PetscCall(PetscViewerASCIIPrintf(viewer, "GPU        %s\n", device.sentence));
  if (RhxDataFile("", sizeof(files), files))
    PetscCall(PetscViewerASCIIPrintf(viewer, "Files      %s: cases, meshes, documents, scripts\n", files));
  PetscFunctionReturn(PETSC_SUCCESS);
}
