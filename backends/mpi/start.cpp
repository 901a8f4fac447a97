// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/start.hpp"

#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace armilla::mpi {
namespace {

/// Room for any implementation's text: the process may hold another one than ours, whose limit is larger.
std::string library_text() {
  std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING + 16384);
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return "";
  return text.data();
}

/// Open MPI loads its components itself, and these look for its symbols among the global ones; a plug-in's libraries are not.
void create_global() {
  Dl_info where{};
  void* symbol = dlsym(RTLD_DEFAULT, "MPI_Init_thread");
  if (symbol == nullptr) symbol = reinterpret_cast<void*>(&MPI_Init_thread);
  if (dladdr(symbol, &where) != 0 && where.dli_fname != nullptr)
    (void)dlopen(where.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

/// Open MPI 5 asks PMIx_Initialized, and where that is so it does not call PMIx_Init, which would tell it its rank: it then
/// fails. What has begun PMIx before, as the backend pmix does, has it end for the time in which MPI begins. Earlier ones take no
/// PMIx that has ended.
class pmix_pause {
 public:
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
  pmix_pause() {
    while (initialized_ != nullptr && initialized_() != 0 && finalize_ != nullptr && finalize_(nullptr, 0) == 0) ++times_;
  }
  ~pmix_pause() {
    while (init_ != nullptr && times_-- > 0) init_(nullptr, nullptr, 0);
  }
  pmix_pause(const pmix_pause&) = delete;

 private:
  template <class F>
  static F* find(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
  }
  // Signatures of the PMIx standard; MPI brings the library.
  int (*initialized_)() = find<int()>("PMIx_Initialized");
  int (*init_)(void*, void*, std::size_t) = find<int(void*, void*, std::size_t)>("PMIx_Init");
  int (*finalize_)(const void*, std::size_t) = find<int(const void*, std::size_t)>("PMIx_Finalize");
  int times_ = 0;
#else
  pmix_pause() {}
#endif
};

/// Whether a launcher that this MPI understands has started the process. Without one MPI_Init would make a job of one rank.
bool launched() {
#if defined(OPEN_MPI)
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr;
#elif defined(MPICH_VERSION)
  return std::getenv("PMI_RANK") != nullptr || std::getenv("PMI_FD") != nullptr;
#else
  return true;
#endif
}

/// What MPI is begun for. Open MPI locks, and counts by atomic instructions, unless it is for one thread; others care for nothing
/// below MPI_THREAD_MULTIPLE.
int level_for(bool one_thread) {
#if defined(OPEN_MPI)
  return one_thread ? MPI_THREAD_SINGLE : MPI_THREAD_SERIALIZED;
#else
  (void)one_thread;
  return MPI_THREAD_SERIALIZED;
#endif
}

const char* launchers() {
#if defined(OPEN_MPI)
  return "neither OMPI_COMM_WORLD_SIZE nor PMIX_RANK is set; start it with Open MPI's mpirun or `srun --mpi=pmix`";
#else
  return "neither PMI_RANK nor PMI_FD is set; start it with MPICH's mpirun or `srun --mpi=pmi2`";
#endif
}

}  // namespace

std::string text_of(const char* call, int code) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  return std::string(call) + ": " + (length > 0 ? std::string(text, std::size_t(length)) : "error " + std::to_string(code));
}

std::string library_version() {
  const std::string text = library_text();
  const std::size_t from = text.find_first_of("0123456789");
  return from == std::string::npos ? text : text.substr(from, text.find_first_not_of("0123456789.abrc", from) - from);
}

std::string library_name() {
  if (built_for[0] != '\0') return std::string(built_for) + " " + library_version();
  return "MPI " + library_version();
}

started start(bool one_thread, bool ours) {
  started s;
  // Two implementations have the same symbols: the one that was loaded first is called, whatever this file was compiled for.
  if (const std::string text = library_text(); text.compare(0, std::strlen(built_for), built_for) != 0) {
    s.error = "this plug-in was built for " + std::string(built_for) + ", but the process uses '" +
              text.substr(0, text.find_first_of(",\n")) + "': load the plug-in of that MPI";
    return s;
  }
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (finalized != 0) {
    s.error = "MPI_Finalize has been called already: end Armilla before MPI";
    return s;
  }
  if (initialized == 0) {
    if (!launched()) {
      s.error = std::string("no launcher of ") + built_for + " started this process: " + launchers();
      return s;
    }
    create_global();
    int provided = 0;
    const pmix_pause paused;
    if (const int code = MPI_Init_thread(nullptr, nullptr, level_for(one_thread), &provided); code != MPI_SUCCESS) {
      s.error = text_of("MPI_Init_thread", code);
      return s;
    }
    s.ours = true;
  }
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  // We call it one thread at a time; but the program's own calls, if there are any, wait for none of ours.
  s.any_thread = level >= (ours || s.ours ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE);
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  return s;
}

#ifdef MPICH
namespace {

// MPICH 4.0 over UCX finalises between hosts by waiting in its launcher's barrier, where it makes no progress: what a peer still
// needs never leaves, and all wait for ever. So this process leaves without it, once all have been heard, and takes leave of
// the launcher in MPICH's place: a proxy of its mpirun whose process goes without that kills those that have not gone yet.
constexpr int launcher_answers_within_ms = 2000;
constexpr auto last_words = std::chrono::milliseconds(300);

bool on_several_hosts() {
  MPI_Comm here = MPI_COMM_NULL;
  int all = 0, mine = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_size(here, &mine);
  MPI_Comm_free(&here);
  return mine < all;
}

// A line of PMI-1, and its answer, over the socket that the launcher gave this process.
void take_leave_of_launcher() {
  const char* const number = std::getenv("PMI_FD");
  if (number == nullptr) return;
  const int launcher = std::atoi(number);
  const std::string_view leave = "cmd=finalize\n";
  if (launcher <= STDERR_FILENO || send(launcher, leave.data(), leave.size(), MSG_NOSIGNAL) != ssize_t(leave.size())) return;
  pollfd answer{launcher, POLLIN, 0};
  char text[64];
  if (poll(&answer, 1, launcher_answers_within_ms) > 0) [[maybe_unused]]
    const auto heard = read(launcher, text, sizeof text);
}

void leave_without_finalize() {
  MPI_Barrier(MPI_COMM_WORLD);
  const auto until = std::chrono::steady_clock::now() + last_words;
  for (int found = 0; std::chrono::steady_clock::now() < until; sched_yield())
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  take_leave_of_launcher();
}

}  // namespace
#endif

void stop(const started& s) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!s.ours || finalized != 0) return;
#ifdef MPICH
  if (on_several_hosts()) return leave_without_finalize();
#endif
  MPI_Finalize();
}

}  // namespace armilla::mpi
