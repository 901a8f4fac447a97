// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

namespace armilla::detail {

struct context;
struct control_block;
struct launch;

/// A function that another thread hands to a rank.
class posted_task {
 public:
  posted_task() = default;
  posted_task(const posted_task&) = delete;
  posted_task& operator=(const posted_task&) = delete;
  virtual ~posted_task() = default;
  /// Runs in a fiber of the rank. What the function throws goes to the thread that posted it.
  virtual void run() noexcept = 0;
};

/// The functions that other threads have handed to a rank. A ring holds those that have not started: `push` is wait-free, and one
/// thread, the rank's own, takes them in the order of the pushes. Each then has a fiber. Their number is bounded until they end.
///
/// Outlives the rank: a thread that pushes later is told that the rank has ended.
class posted_work {
 public:
  static constexpr std::uint32_t capacity = 4096;

  enum class outcome { posted, full, ended };
  /// From any thread. `task` is taken only if it is posted.
  outcome push(std::unique_ptr<posted_task>& task) noexcept;

  /// The rank begins: functions may be posted.
  void open(context& rank) noexcept;
  /// Starts a fiber for each function that is there. True: at least one.
  bool start_fibers();
  /// The rank ends: what is posted from now on is refused, and the rest is started, or discarded.
  enum class rest { started, discarded };
  void close(rest what);

 private:
  static constexpr std::uint64_t one_open = 1, one_pushes = std::uint64_t{1} << 32, ended = std::uint64_t{1} << 63;
  static std::uint32_t open_in(std::uint64_t state) noexcept { return std::uint32_t(state); }
  static bool any_pushes(std::uint64_t state) noexcept { return (state & ~ended) >= one_pushes; }

  std::unique_ptr<posted_task> take() noexcept;

  // A function counts as open before it takes a slot, and until it has ended: so there are never more tickets than slots.
  std::atomic<std::uint64_t> state_ = ended;
  std::atomic<std::uint64_t> tail_ = 0;
  std::uint64_t head_ = 0;
  std::atomic<posted_task*> slots_[capacity] = {};
  context* rank_ = nullptr;
  control_block* control_ = nullptr;
};

std::shared_ptr<posted_work> make_posted_work(const launch& self);
/// That of the process's rank, if ranks are processes.
posted_work& posted_work_of_process();
[[noreturn, gnu::cold]] void throw_not_posted(posted_work::outcome how);

}  // namespace armilla::detail
