// SPDX-License-Identifier: Apache-2.0
#include "bench/scale/simulated_rank.hpp"

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>

#include <smpi/smpi_helpers_internal.h>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/boot/host/build_id.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/testing/forwarding_network.hpp"
#include "armilla/plugin.hpp"
#include "backends/mpi/mpi_network.hpp"

extern "C" const armilla::detail::plugin* armilla_plugin();  // of the MPI backend, which is linked

namespace scale {
namespace {

using namespace armilla::detail;
using armilla::rank_t;

/// Of the only thread, on any rank's stack.
struct processor_time {
  static constexpr double least = 1e-6;  // what is shorter does not count, as the simulator has it with programs of MPI
  double slower = 0, since = 0;
  static double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
  }
} processor;

void sleep_for(double seconds) {
  timespec away{};
  away.tv_sec = time_t(seconds);
  away.tv_nsec = long((seconds - double(away.tv_sec)) * 1e9);
  smpi_nanosleep(&away, nullptr);
}

/// The simulator's own meetings: its blocking collectives are right and quick, which is not so of those that one tests.
class simulated_job final : public bootstrap {
 public:
  simulated_job() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  const char* name() const noexcept override { return "the simulated MPI"; }
  rank_t rank() const noexcept override { return rank_; }
  rank_t ranks() const noexcept override { return ranks_; }
  bool exchange(const void* mine, void* all, std::size_t bytes) override {
    const in_simulator here;
    return MPI_Allgather(mine, int(bytes), MPI_BYTE, all, int(bytes), MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS;
  }
  bool meet() override {
    const in_simulator here;
    return MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS;
  }
  const char* error() const noexcept override { return "a collective operation failed"; }
  [[noreturn]] void abort(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }
  void finish() override {}

 private:
  int rank_ = 0, ranks_ = 1;
};

/// The MPI backend, called as the simulator wants it.
class simulated_network final : public forwarding_network {
 public:
  explicit simulated_network(std::unique_ptr<network> backend) : forwarding_network(std::move(backend)) {}
  std::byte* acquire(rank_t to, std::size_t bytes) override {
    const in_simulator here;
    return net().acquire(to, bytes);
  }
  void submit(rank_t to, std::size_t bytes) override {
    const in_simulator here;
    looks_ = 0;
    net().submit(to, bytes);
  }
  arrival poll() override {
    if (++looks_ < looks_of_a_loop) return {};
    const in_simulator here;
    const bool idle = mpi().idle();
    const bool keeps =
        current->out != nullptr && outbox_of(*current).keeps_company();  // what it has to send waits for more looks
    const arrival found = idle && !keeps ? mpi().wait() : mpi().poll();
    if (found.data != nullptr || idle != mpi().idle())
      looks_ = 0, paused_ = 0;  // a rank that polls has something to do
    else if (!idle)
      pause();
    return found;
  }
  void release(std::uintptr_t token) override {
    const in_simulator here;
    net().release(token);
  }
  std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override {
    const in_simulator here;
    looks_ = 0;
    return net().send_bulk(to, id, data, bytes);
  }
  std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override {
    const in_simulator here;
    looks_ = 0;
    return net().receive_bulk(from, id, data, bytes);
  }
  // The receives that are still posted end with the simulator: it miscounts one that is cancelled when a frame has come.
  void finish() override {}

 private:
  // A rank that looks so often, and sends nothing meanwhile, has nothing to do. These looks look at nothing, and the next waits:
  // the simulator knows when a frame comes and goes there at once, while a look that finds one is dear. It leaves that frame in a
  // list through which SimGrid 3.32 goes at the end of every message, so that a job would take time in the square of its
  // messages.
  static constexpr int looks_of_a_loop = 4;
  // Between looks at bulk under way, for which MPI does not wait together with frames, in seconds; longer in a long wait.
  static constexpr double look = 1e-6;

  armilla::mpi::mpi_network& mpi() { return static_cast<armilla::mpi::mpi_network&>(net()); }
  void pause() {
    const double seconds = std::max(look, paused_ / 16);
    paused_ += seconds;
    sleep_for(seconds);
  }

  int looks_ = 0;      ///< since something came or was sent
  double paused_ = 0;  ///< seconds
};

// As the only rank of a host makes it, under a launcher.
job_block* make_job(rank_t rank, rank_t ranks, const options& settings) {
  const host_layout layout = layout_for(ranks, 1, settings);
  const descriptor memory(create_host_memory(layout));
  auto* const job = reinterpret_cast<job_block*>(map_host_memory(memory.get(), layout.total()));
  job->magic = job_block::good_magic;
  job->version = job_block::good_version;
  job->places = layout.places;
  job->locals.count = 1;
  job->locals.first = rank;
  job->ring_bytes = layout.ring_bytes;
  job->segment_bytes = layout.segment_bytes;
  job->supervisor = job_block::launched;
  job->cores = job->processors = 1;
  job->program_count = 1;
  std::snprintf(job->program_names[0], job_block::max_name, "scale");
  const std::uint64_t build = build_id();
  for (rank_t r = 0; r < ranks; ++r) job->rank[r].build = build;
  for (auto& cpu : job->rank[rank].cpu) cpu = -1;
  return job;
}

// The simulator gives a receive to a message when that is begun, and so to many of which one takes long the receives for which a
// short one waits; MPI gives it to one that has come.
std::uint32_t receives_for(rank_t ranks) { return std::uint32_t(std::clamp(2 * ranks, 16, 128)); }

void must(bool good, const char* what, const char* why) {
  if (!good) throw_usage("start", std::string(what) + ": " + why);
}

}  // namespace

void in_simulator::let_compute(double slower) { processor.slower = slower; }

// The simulator's own way takes longer the more messages a polling rank has received.
void in_simulator::sleep_computed() {
  if (processor.slower == 0 || processor.since == 0) return;
  const double seconds = processor.now() - processor.since;
  processor.since = 0;
  if (seconds >= processor_time::least) sleep_for(seconds * processor.slower);
}

void in_simulator::begin_computing() {
  if (processor.slower != 0) processor.since = processor.now();
}

simulated_rank::simulated_rank() : settings_(options::from_environment()) {
  char why[512] = {};
  const plugin& mpi = *armilla_plugin();
  started_ = std::make_unique<simulated_job>();
  const rank_t rank = started_->rank(), ranks = started_->ranks();
  settings_.ranks = int(ranks);
  settings_.spin_ns = ~std::uint64_t{0} / 4;  // a rank that slept would stop the simulator, and with it all others
  job_block& job = *make_job(rank, ranks, settings_);
  network_settings receiving;
  receiving.receives = receives_for(ranks);
  std::unique_ptr<network> backend(mpi.open(rank, ranks, receiving, started_.get(), why, sizeof why));
  must(backend != nullptr, "the MPI backend", why);
  carries_ = std::make_unique<simulated_network>(std::move(backend));
  announce(job, rank, build_id());
  launch self = describe_launch(job, rank, settings_);
  self.started = started_.get();
  self.host_of.resize(std::size_t(ranks));
  std::iota(self.host_of.begin(), self.host_of.end(), 0u);
  self.host_names.resize(std::size_t(ranks));
  self.all_far = true;
  self.oversubscribed = false;
  self.beyond = carries_.get();
  self.why = "simulated";
  state_ = std::make_unique<session_state>(self);
}

simulated_rank::~simulated_rank() = default;

int simulated_rank::run(rank_main call, const void* function, who_runs who) {
  const int code = state_->run(call, function, who);
  state_->finish();
  return code;
}

}  // namespace scale
