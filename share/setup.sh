# Shell functions shared by the scripts of share/ and .ci/run; sourced, never run.
# RHEOPLEX_BUILD names the build folder (default: build), RHEOPLEX_JOBS the number of compile jobs, RHEOPLEX_CMAKE further
# arguments of cmake.
set -euo pipefail

rhx_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rhx_build=${RHEOPLEX_BUILD:-$rhx_root/build}
rhx_jobs=${RHEOPLEX_JOBS:-$(env -u OMP_NUM_THREADS nproc)}
rhx_start=$SECONDS

rhx_build_packages="cmake ninja-build gcc g++ pkg-config petsc-dev slepc-dev libopenmpi-dev openmpi-bin libhdf5-openmpi-dev libmuparser-dev python3-venv"
rhx_test_packages="gmsh clang-format-14 git libboost-context-dev libegl1" # libegl1: pictures in space

rhx_say() { printf '\n==> [%4d s] %s\n' $((SECONDS - rhx_start)) "$*"; }
rhx_die() { printf 'error: %s\n' "$*" >&2; exit 1; }
trap 'rc=$?; [ $rc -eq 0 ] || printf "\nstopped: %s failed with exit code %d after %d s\n" "$(basename "$0")" $rc $((SECONDS - rhx_start)) >&2' EXIT

# Open MPI refuses to start as root (containers) and to start more ranks than cores unless told.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MPLBACKEND=Agg

# Installs those of the named Debian packages that are missing.
rhx_install_packages() {
  local missing=() package sudo=
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    rhx_say "Debian packages: all there"
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || rhx_die "packages are missing and neither root nor sudo is at hand: apt-get install ${missing[*]}"
    sudo=sudo
  fi
  rhx_say "Debian packages: installing ${missing[*]}"
  $sudo apt-get update -qq
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null |
    awk '/^Setting up/{n++; if (n % 25 == 0) {print "    " n " packages set up"; fflush()}} END{print "    " n " packages set up: done"}'
}

# The CUDA toolkit: $cuda and $cuda_version.
rhx_find_toolkit() {
  local nvcc header
  nvcc=$(command -v nvcc || true)
  cuda=${CUDA_HOME:-}
  if [ -z "$cuda" ] && [ -n "$nvcc" ]; then cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")"); fi
  cuda=${cuda:-/usr/local/cuda}
  [ -x "$cuda/bin/nvcc" ] || rhx_die "no CUDA toolkit: no nvcc in $cuda/bin${CUDA_HOME:+, which CUDA_HOME names}; expected 12.2 or newer (developer.nvidia.com/cuda-downloads)"
  cuda=$(readlink -f "$cuda")
  cuda_version=$("$cuda/bin/nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
  [ "$(printf '%s\n12.2\n' "$cuda_version" | sort -V | head -1)" = 12.2 ] || rhx_die "the CUDA toolkit in $cuda is ${cuda_version:-of unknown version}, expected 12.2 or newer (CUDA_HOME names another)"
  for header in cuda_runtime.h cublas_v2.h cusparse.h cusolverDn.h curand.h cufft.h; do
    [ -e "$cuda/include/$header" ] || rhx_die "the CUDA toolkit in $cuda has no include/$header: install its libraries cuBLAS, cuSPARSE, cuSOLVER, cuRAND and cuFFT too"
  done
}

# Python packages of the plots and tests, in the build folder.
rhx_venv() {
  local list=$rhx_root/share/scripts/requirements.txt stamp=$rhx_build/venv/requirements.txt
  if cmp -s "$list" "$stamp"; then
    rhx_say "Python packages: all there ($rhx_build/venv)"
    return
  fi
  rhx_say "Python packages: $(grep -v '^#' "$list" | tr '\n' ' ')into $rhx_build/venv"
  mkdir -p "$rhx_build"
  /usr/bin/python3 -m venv --clear "$rhx_build/venv"
  "$rhx_build/venv/bin/pip" install --quiet --disable-pip-version-check -r "$list"
  cp "$list" "$stamp"
}

# Configures and builds; further arguments go to cmake.
rhx_compile() {
  rhx_say "Configuring in $rhx_build"
  cmake -S "$rhx_root" -B "$rhx_build" -G Ninja -DRHX_PYTHON="$rhx_build/venv/bin/python" ${RHEOPLEX_CMAKE:-} "$@"
  rhx_say "Building with $rhx_jobs jobs"
  cmake --build "$rhx_build" --parallel "$rhx_jobs"
}
