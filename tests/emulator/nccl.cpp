/* libnccl.so.2 beside the emulated driver: what src/exchange uses of NCCL, by MPI. Its messages join the emulated stream, are
 * recorded in graphs and replayed. Like NCCL it has one device a rank, and pairs sends and receives in the order of the calls. */
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mpi.h>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

extern "C" void rhx_emu_enqueue(void *stream, std::function<void()> call);

struct Id {
  char bytes[128];
};
enum { OK = 0, INVALID = 4, USAGE = 5 };

namespace
{
typedef std::function<void(std::vector<MPI_Request> &)> Operation;
std::vector<Operation> group;
void *group_stream;
int depth;

MPI_Datatype type_of(int type) { return type == 7 ? MPI_FLOAT : MPI_DOUBLE; }

/* All of a group begin before any is waited for. */
void flush()
{
  auto all = std::make_shared<std::vector<Operation>>(std::move(group));
  group.clear();
  if (all->empty()) return;
  rhx_emu_enqueue(group_stream, [all] {
    std::vector<MPI_Request> request;
    for (const Operation &begin : *all) begin(request);
    MPI_Waitall((int)request.size(), request.data(), MPI_STATUSES_IGNORE);
  });
}

int add(void *stream, Operation operation)
{
  group.push_back(std::move(operation));
  group_stream = stream;
  if (!depth) flush();
  return OK;
}
} // namespace

API int ncclGetVersion(int *version) { return *version = 22700, OK; }
API const char *ncclGetErrorString(int code)
{
  return code == USAGE ? "invalid usage (emulated)" : code ? "invalid argument (emulated)" : "no error";
}
API int ncclGetUniqueId(Id *id)
{
  snprintf(id->bytes, sizeof(id->bytes), "emulated");
  return getenv("RHX_EMULATED_NCCL_FAILS") ? USAGE : OK;
}
API int ncclCommInitRank(void **comm, int size, Id id, int rank)
{
  int all, mine;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  if (size != all || rank != mine || id.bytes[0] != 'e') return INVALID;
  MPI_Comm *made = new MPI_Comm;
  MPI_Comm_dup(MPI_COMM_WORLD, made);
  return *comm = made, OK;
}
API int ncclCommDestroy(void *comm)
{
  MPI_Comm_free((MPI_Comm *)comm);
  return delete (MPI_Comm *)comm, OK;
}
API int ncclGroupStart(void) { return depth++, OK; }
API int ncclGroupEnd(void)
{
  if (!depth) return USAGE;
  if (--depth == 0) flush();
  return OK;
}
API int ncclSend(const void *from, size_t n, int type, int peer, void *comm, void *stream)
{
  return add(stream, [=](std::vector<MPI_Request> &request) {
    request.emplace_back();
    MPI_Isend(from, (int)n, type_of(type), peer, 0, *(MPI_Comm *)comm, &request.back());
  });
}
API int ncclRecv(void *to, size_t n, int type, int peer, void *comm, void *stream)
{
  return add(stream, [=](std::vector<MPI_Request> &request) {
    request.emplace_back();
    MPI_Irecv(to, (int)n, type_of(type), peer, 0, *(MPI_Comm *)comm, &request.back());
  });
}
API int ncclBroadcast(const void *from, void *to, size_t n, int type, int root, void *comm, void *stream)
{
  if (from != to) return INVALID;
  return add(stream, [=](std::vector<MPI_Request> &request) {
    request.emplace_back();
    MPI_Ibcast(to, (int)n, type_of(type), root, *(MPI_Comm *)comm, &request.back());
  });
}
