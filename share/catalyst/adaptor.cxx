// Runs ParaView's Python scripts on the state of a run, through legacy Catalyst (vtkCPProcessor of ParaView 5.11). Arrays are the
// run's own, not copies.
#include "display.h"
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <rheoplex/insitu.h>
#include <string>
#include <unistd.h>
#include <vtkCPDataDescription.h>
#include <vtkCPInputDataDescription.h>
#include <vtkCPProcessor.h>
#include <vtkCPPythonPipeline.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCommand.h>
#include <vtkDoubleArray.h>
#include <vtkLogger.h>
#include <vtkMPI.h>
#include <vtkNew.h>
#include <vtkOutputWindow.h>
#include <vtkPartitionedDataSet.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>

namespace
{
// Mesa's rasteriser raises floating-point exceptions: what the run traps is off while VTK works, and as it was afterwards.
struct FloatingPoint {
  fenv_t kept;
  FloatingPoint() { feholdexcept(&kept); }
  ~FloatingPoint() { fesetenv(&kept); }
};

// VTK's logger and Python set handlers of signals: the run's own come back. SIGPIPE stays ignored: a live client that goes away would
// end the run.
struct Signals {
  struct sigaction kept[32];
  Signals()
  {
    for (int i = 1; i < 32; i++) sigaction(i, nullptr, kept + i);
  }
  ~Signals()
  {
    for (int i = 1; i < 32; i++)
      if (i != SIGKILL && i != SIGSTOP && i != SIGPIPE) sigaction(i, kept + i, nullptr);
  }
};

// What ends a run in its way waits while handlers are VTK's, which would end it at once.
struct Held {
  sigset_t kept;
  Held()
  {
    sigset_t held;
    sigemptyset(&held);
    for (int i : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&held, i);
    pthread_sigmask(SIG_BLOCK, &held, &kept);
  }
  ~Held() { pthread_sigmask(SIG_SETMASK, &kept, nullptr); }
};

struct Guard {
  FloatingPoint floating_point;
  Signals signals;
};

MPI_Comm comm = MPI_COMM_NULL;
vtkCPProcessor *processor;
bool begun, dead; // once a process; the X server is gone: VTK is not called any more
std::string channels[3];
enum { GRID, PARTS, FILE_NAME };

int fail(char message[RHX_INSITU_MESSAGE], const char *what)
{
  snprintf(message, RHX_INSITU_MESSAGE, "%s", what);
  return 1;
}

bool all(bool mine)
{
  int ok = mine, every;
  MPI_Allreduce(&ok, &every, 1, MPI_INT, MPI_MIN, comm);
  return every;
}

bool open_display(const RhxInsituRun *run)
{
  if (run->egl) return all(RhxEglOpen());
  return RhxDisplayOpen(comm);
}

// VTK's own destructors would call the X server that has gone, and Xlib end the process by its own code.
void leave(int status, void *)
{
  if (!dead) return;
  fflush(nullptr);
  _exit(status);
}

int begin(const RhxInsituRun *run, char message[RHX_INSITU_MESSAGE])
{
  Held held; // before Guard: until the run's handlers are back
  Guard guard;

  if (begun) return fail(message, "ParaView begins once in a process, expected one run");
  begun = true;
  on_exit(leave, nullptr);
  MPI_Comm_dup(run->comm, &comm);
  vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_ERROR);
  if (!open_display(run))
    return fail(message,
                run->egl ? "no EGL context could be made (-insitu_display egl), expected Mesa's libEGL"
                         : "there is no display and Xvfb cannot be started, expected an X server or the package xvfb");
  processor = vtkCPProcessor::New();
  vtkMPICommunicatorOpaqueComm communicator(&comm);
  if (!all(processor->Initialize(communicator, run->folder))) return fail(message, "ParaView cannot be initialised");
  channels[GRID] = "flow";
  channels[PARTS] = "flow_parts";
  channels[FILE_NAME] = std::string(run->name) + ".pvd"; // what ParaView's window calls the reader of the saved file
  for (int i = 0; i < run->nscripts; i++) {
    auto pipeline = vtkCPPythonPipeline::CreateAndInitializePipeline(run->script[i], 1);
    if (!all(pipeline != nullptr)) {
      snprintf(message, RHX_INSITU_MESSAGE, "ParaView cannot run the script %.300s", run->script[i]);
      return 1;
    }
    processor->AddPipeline(pipeline);
  }
  return 0;
}

void describe(vtkCPDataDescription *d, const RhxInsituStep *step)
{
  for (const auto &channel : channels) d->AddInput(channel.c_str());
  d->SetTimeData(step->t, step->step);
  d->SetForceOutput(step->last != 0);
}

int wants(const RhxInsituStep *step)
{
  Guard guard;
  vtkNew<vtkCPDataDescription> d;
  describe(d, step);
  return processor->RequestDataDescription(d);
}

vtkSmartPointer<vtkDoubleArray> doubles(const char *name, int components, int64_t n, const double *values)
{
  auto array = vtkSmartPointer<vtkDoubleArray>::New();
  array->SetName(name);
  array->SetNumberOfComponents(components);
  array->SetArray(const_cast<double *>(values), components * n, 1); // 1: VTK never frees it
  return array;
}

vtkSmartPointer<vtkUnstructuredGrid> make_grid(const RhxInsituMesh *m, int nfields, const RhxInsituField *f)
{
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  vtkNew<vtkPoints> points;
  vtkNew<vtkTypeInt64Array> offset, connectivity;
  vtkNew<vtkUnsignedCharArray> type;
  vtkNew<vtkCellArray> cells;

  points->SetDataTypeToDouble();
  points->SetData(doubles("points", 3, m->npoints, m->xyz));
  grid->SetPoints(points);
  offset->SetArray(const_cast<vtkTypeInt64 *>(reinterpret_cast<const vtkTypeInt64 *>(m->offset)), m->ncells + 1, 1);
  connectivity->SetArray(const_cast<vtkTypeInt64 *>(reinterpret_cast<const vtkTypeInt64 *>(m->connectivity)),
                         m->offset[m->ncells], 1);
  cells->SetData(offset, connectivity);
  type->SetArray(const_cast<unsigned char *>(m->type), m->ncells, 1);
  grid->SetCells(type, cells);
  for (int i = 0; i < nfields; i++) {
    vtkDataSetAttributes *data =
        f[i].cell ? static_cast<vtkDataSetAttributes *>(grid->GetCellData()) : grid->GetPointData();
    data->AddArray(doubles(f[i].name, f[i].components, f[i].cell ? m->ncells : m->npoints, f[i].values));
  }
  return grid;
}

int process(void *description) { return processor->CoProcess(static_cast<vtkCPDataDescription *>(description)); }

int show(const RhxInsituStep *step, const RhxInsituMesh *mesh, int nfields, const RhxInsituField *fields,
         char message[RHX_INSITU_MESSAGE])
{
  Guard guard;
  vtkNew<vtkCPDataDescription> d;
  int done = 0;

  describe(d, step);
  if (!processor->RequestDataDescription(d)) return 0;
  auto grid = make_grid(mesh, nfields, fields);
  for (int i : {GRID, FILE_NAME})
    if (d->GetIfGridIsNecessary(channels[i].c_str())) d->GetInputDescriptionByName(channels[i].c_str())->SetGrid(grid);
  if (d->GetIfGridIsNecessary(channels[PARTS].c_str())) {
    vtkNew<vtkPartitionedDataSet> parts;
    parts->SetNumberOfPartitions(1);
    parts->SetPartition(0, grid);
    d->GetInputDescriptionByName(channels[PARTS].c_str())->SetGrid(parts);
  }
  dead = !RhxDisplayAlive(comm) || !RhxDisplayWatched(comm, process, d.Get(), &done);
  if (dead) return fail(message, "the X server that the pictures are drawn on has gone");
  if (all(done)) return 0;
  snprintf(message, RHX_INSITU_MESSAGE, "a script has failed at step %lld (what Python says stands above)",
           static_cast<long long>(step->step));
  return 1;
}

int finalize(void *)
{
  if (processor) {
    processor->Finalize();
    processor->Delete();
    processor = nullptr;
  }
  return 0;
}

void end()
{
  Guard guard;
  int done = 0;

  if (comm == MPI_COMM_NULL || dead) return;
  dead = !RhxDisplayAlive(comm) || !RhxDisplayWatched(comm, finalize, nullptr, &done);
  if (dead) return;
  RhxDisplayClose(comm);
  MPI_Comm_free(&comm);
}
} // namespace

extern "C" __attribute__((visibility("default"))) const RhxInsituAdaptor *rhx_insitu(void)
{
  static const RhxInsituAdaptor adaptor = {
      sizeof(RhxInsituAdaptor), RHX_INSITU_VERSION, "ParaView", begin, wants, show, end};
  return &adaptor;
}
