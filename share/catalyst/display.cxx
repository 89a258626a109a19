// VTK ends the process where it finds no X server, Xlib where one goes away: both are seen to before.
#include "display.h"
#include <X11/Xlib.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{
// Held until the end: a server resets itself when its last client leaves, and refuses who comes meanwhile.
Display *connection;
pid_t server = -1;
sigjmp_buf back;
bool watching;

// Xlib ends the process after this: go back to who asked, and draw no more.
int lost(Display *)
{
  if (watching) siglongjmp(back, 1);
  return 0;
}

bool all(MPI_Comm comm, bool mine)
{
  int ok = mine, every;
  MPI_Allreduce(&ok, &every, 1, MPI_INT, MPI_MIN, comm);
  return every;
}

// Its name ":7", or "" if it does not come up within a minute; "-terminate": it ends when the last rank has left, also after a crash.
void start_server(char *name, size_t size)
{
  int fd[2];
  size_t n = 0;
  char number[16];
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none;

  name[0] = 0;
  if (pipe(fd)) return;
  snprintf(number, sizeof number, "%d", fd[1]);
  const char *words[] = {"Xvfb",         "-displayfd", number, "-screen",    "0",
                         "1280x1024x24", "-nolisten",  "tcp",  "-terminate", nullptr};
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addclose(&files, fd[0]);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&attributes);
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none); // the run's are held
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK); // Ctrl-C is for the run
  const int failed = posix_spawnp(&server, "Xvfb", &files, &attributes, const_cast<char *const *>(words), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close(fd[1]);
  if (failed) server = -1;
  pollfd ready = {fd[0], POLLIN, 0};
  name[n++] = ':';
  while (!failed && n < size - 1 && poll(&ready, 1, 60000) == 1 && read(fd[0], name + n, 1) == 1 && name[n] != '\n')
    n++;
  name[n > 1 ? n : 0] = 0;
  close(fd[0]);
}

void disconnect()
{
  if (connection) XCloseDisplay(connection);
  connection = nullptr;
}

void end_server(int signal)
{
  if (server > 0 && signal) kill(server, signal);
  if (server > 0) waitpid(server, nullptr, 0);
  server = -1;
}

bool use_server(MPI_Comm comm)
{
  MPI_Comm node;
  int rank;
  char name[32] = "";

  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank);
  if (!rank) start_server(name, sizeof name);
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, node);
  MPI_Comm_free(&node);
  if (name[0]) {
    setenv("DISPLAY", name, 1);
    unsetenv("XAUTHORITY");
    connection = XOpenDisplay(nullptr);
  }
  return all(comm, connection);
}
} // namespace

bool RhxDisplayOpen(MPI_Comm comm)
{
  XSetIOErrorHandler(lost);
  connection = XOpenDisplay(nullptr);
  if (all(comm, connection)) return true;
  for (int attempt = 0; attempt < 3;
       attempt++) { // another run's server that ends may take away what this one listens at
    disconnect();
    end_server(SIGTERM);
    if (use_server(comm)) return true;
  }
  disconnect();
  end_server(SIGTERM);
  return false;
}

bool RhxDisplayWatched(MPI_Comm comm, int (*act)(void *), void *context, int *result)
{
  bool there = true;

  watching = true;
  if (!sigsetjmp(back, 1))
    *result = act(context);
  else
    there = false;
  watching = false;
  return all(comm, there);
}

bool RhxDisplayAlive(MPI_Comm comm)
{
  int result = 0;
  if (!all(comm, connection)) return all(comm, !connection); // no server is in use
  return RhxDisplayWatched(
      comm, [](void *) { return XSync(connection, False); }, nullptr, &result);
}

void RhxDisplayClose(MPI_Comm comm)
{
  disconnect();
  MPI_Barrier(comm); // every rank of the node has left
  end_server(0);
}
