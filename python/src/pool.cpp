// SPDX-License-Identifier: Apache-2.0
// The tasks of a pool and their results, in memory that a driver shares with its workers.
//
// The driver publishes a task in a slot of a ring. The worker that claims it by one exchange copies it out, so the slot is free
// again when the task begins: one long task holds up none behind it. A result goes into the ring of its worker. Each step leaves
// the memory in a state from which the driver can tell what a worker that dies in it had begun.
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <span>
#include <stdexcept>
#include <string>

#include "armilla/base/values/clock.hpp"
#include "binding.hpp"

namespace armilla::python {
namespace {

constexpr std::uint64_t slots = 1024, slot_bytes = 4096, ring_bytes = std::uint64_t(1) << 20;
constexpr std::uint32_t most_workers = 256;
constexpr std::uint64_t most_result = ring_bytes / 4;
constexpr std::uint64_t look_ns = 20'000;  // how long a worker without a task looks for one before it sleeps

using word = std::atomic<std::uint64_t>;
using bell = std::atomic<std::uint32_t>;  // a futex

// A slot's state is one word: its phase, the worker that has claimed it, and the ticket of its task.
enum phase : std::uint64_t { vacant = 0, ready = 1, claimed = 2 };
constexpr std::uint64_t state_of(phase p, std::uint64_t worker, std::uint64_t ticket) { return ticket << 16 | worker << 2 | p; }
constexpr phase phase_of(std::uint64_t state) { return phase(state & 3); }
constexpr std::uint64_t worker_of(std::uint64_t state) { return state >> 2 & 0x3fff; }

struct alignas(64) task_slot {
  word state;
  std::uint64_t id;
  std::uint32_t kind, size;
  std::byte data[slot_bytes - 24];
};
static_assert(sizeof(task_slot) == slot_bytes);

struct alignas(64) lane {
  word running;  // the task that its worker runs; 0: none
  word item;     // of a task of many items: the one that it has begun
  alignas(64) bell awake;
  alignas(64) word written;
  alignas(64) word read;
  bell room;  // rung when the driver has read
  bell wants_room;
  alignas(64) std::byte ring[ring_bytes];
};

struct shared {
  alignas(64) word published;  // tickets that have been given
  alignas(64) word first;      // those before it are claimed or withdrawn
  alignas(64) word asleep[most_workers / 64];
  alignas(64) bell results;
  bell driver_sleeps;
  task_slot slot[slots];
  lane lanes[1];  // as many as there are workers
};

struct result_head {
  std::uint64_t id, ns;
  std::uint32_t kind, size;
};
constexpr std::uint64_t rounded(std::uint64_t n) { return (n + 7) / 8 * 8; }

long futex(bell& at, int operation, std::uint32_t value, const timespec* time = nullptr) {
  return syscall(SYS_futex, &at, operation, value, time, nullptr, 0);
}
void ring(bell& at, int sleepers) {
  at.fetch_add(1);
  futex(at, FUTEX_WAKE, std::uint32_t(sleepers));
}
// Returns when the bell has rung, after a signal, and after so long. Needs no interpreter.
void sleep_on(bell& at, std::uint32_t value, std::uint64_t ns) {
  const timespec time{time_t(ns / 1'000'000'000), long(ns % 1'000'000'000)};
  futex(at, FUTEX_WAIT, value, &time);
}
std::uint64_t nanoseconds(double seconds) {
  return seconds < 0 || seconds > 3600 ? 3'600'000'000'000 : std::uint64_t(seconds * 1e9);
}

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// A whole file, by the buffer protocol. Unlike Python's mmap it keeps no descriptor open. A writable one is a private copy.
class mapped_file {
 public:
  mapped_file(int file, bool writable) : readonly_(!writable) {
    struct stat status{};
    void* at = MAP_FAILED;
    if (fstat(file, &status) == 0)
      at = mmap(nullptr, std::size_t(status.st_size), writable ? PROT_READ | PROT_WRITE : PROT_READ,
                writable ? MAP_PRIVATE : MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
      PyErr_SetFromErrno(PyExc_OSError);
      throw nb::python_error();
    }
    bytes_ = {static_cast<std::byte*>(at), std::size_t(status.st_size)};
  }
  mapped_file(const mapped_file&) = delete;
  ~mapped_file() { munmap(bytes_.data(), bytes_.size()); }

  static int give_buffer(PyObject* self, Py_buffer* view, int flags) {
    const auto* const file = nb::inst_ptr<mapped_file>(nb::handle(self));
    return PyBuffer_FillInfo(view, self, file->bytes_.data(), Py_ssize_t(file->bytes_.size()), file->readonly_, flags);
  }

 private:
  std::span<std::byte> bytes_;
  int readonly_;
};
PyType_Slot file_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(mapped_file::give_buffer)}, {0, nullptr}};

class mapped {
 public:
  mapped(int file, std::uint32_t workers) : size_(sizeof(shared) + workers * sizeof(lane)) {
    void* const at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
      PyErr_SetFromErrno(PyExc_OSError);
      throw nb::python_error();
    }
    memory = static_cast<shared*>(at);
  }
  mapped(const mapped&) = delete;
  ~mapped() { munmap(memory, size_); }
  shared* memory = nullptr;

 private:
  std::size_t size_;
};

void set_asleep(shared& m, std::uint32_t w) { m.asleep[w / 64].fetch_or(std::uint64_t(1) << w % 64); }
bool clear_asleep(shared& m, std::uint32_t w) {
  const std::uint64_t bit = std::uint64_t(1) << w % 64;
  return (m.asleep[w / 64].fetch_and(~bit) & bit) != 0;
}

// ---- the driver ----

class pool_driver {
 public:
  explicit pool_driver(std::uint32_t workers) : file_(made(workers)), map_(file_, workers), workers_(workers) {}
  pool_driver(const pool_driver&) = delete;
  ~pool_driver() { close(file_); }

  int file() const { return file_; }

  // Publishes a task and sets its attribute `ticket`. Returns false when there is no room. `data` is at most `most_task` bytes.
  // An interrupt cannot come between the two: a task that has no ticket is not published.
  bool publish(nb::handle task, std::uint64_t id, std::uint32_t kind, const nb::bytes& data) {
    shared& m = *map_.memory;
    const std::uint64_t ticket = m.published.load(std::memory_order_relaxed) + 1;
    task_slot& s = m.slot[ticket % slots];
    if (phase_of(s.state.load(std::memory_order_acquire)) != vacant) return false;
    if (data.size() > sizeof s.data) throw nb::value_error("a task is too long for its slot");
    nb::setattr(task, ticket_, nb::int_(ticket));
    s.id = id;
    s.kind = kind;
    s.size = std::uint32_t(data.size());
    std::memcpy(s.data, data.c_str(), data.size());
    s.state.store(state_of(ready, 0, ticket));
    m.published.store(ticket);
    wake_one();
    return true;
  }

  // Whether the task has been taken back: no worker has begun it.
  bool withdraw(std::uint64_t ticket) {
    std::uint64_t expected = state_of(ready, 0, ticket);
    return map_.memory->slot[ticket % slots].state.compare_exchange_strong(expected, state_of(vacant, 0, ticket));
  }

  std::uint64_t published() const {
    return map_.memory->published.load() - std::min(map_.memory->first.load(), map_.memory->published.load());
  }

  // Appends (id, kind, nanoseconds, bytes, worker) of each result to `to`. Waits up to `seconds` for the first; then `pause` for
  // others to come with it. Throws when a worker has damaged its lane.
  std::size_t collect(nb::list to, double seconds, double pause) {
    std::size_t found = take_all(to);
    if (found != 0 || seconds == 0) return found;
    {
      const nb::gil_scoped_release others;
      wait_for_results(detail::now_ns() + nanoseconds(seconds));
      if (pause > 0) {
        const timespec time{0, long(pause * 1e9)};
        nanosleep(&time, nullptr);
      }
    }
    check_signals();
    return take_all(to);
  }

  void knock() { ring(map_.memory->results, INT_MAX); }

  // What a worker that has ended had claimed and not answered: (id, whether it had begun, the item that it had begun). Its lane
  // is then as new.
  nb::list lost(std::uint32_t w) {
    shared& m = *map_.memory;
    lane& l = m.lanes[w];
    nb::list all;
    clear_asleep(m, w);
    const std::uint64_t id = l.running.exchange(0);
    if (id != 0) all.append(nb::make_tuple(id, true, l.item.load()));
    for (task_slot& s : m.slot) {
      const std::uint64_t state = s.state.load();
      if (phase_of(state) != claimed || worker_of(state) != w) continue;
      if (s.id != id) all.append(nb::make_tuple(s.id, false, std::uint64_t(0)));
      s.state.store(state_of(vacant, 0, 0));
    }
    l.item = 0;
    l.read.store(l.written.load());
    l.wants_room = 0;
    for (std::uint32_t other = 0; other < workers_; ++other) wake_one();  // it may have been woken for a task
    return all;
  }

  std::uint64_t running(std::uint32_t w) const { return map_.memory->lanes[w].running.load(); }

 private:
  static int made(std::uint32_t workers) {
    if (workers < 1 || workers > most_workers) throw nb::value_error("1 to 256 workers");
    const int file = memfd_create("armilla-pool", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, off_t(sizeof(shared) + workers * sizeof(lane))) != 0) {
      PyErr_SetFromErrno(PyExc_OSError);
      throw nb::python_error();
    }
    return file;
  }

  void wake_one() {
    shared& m = *map_.memory;
    for (std::uint32_t at = 0; at < most_workers / 64; ++at) {
      const std::uint64_t sleeping = m.asleep[at].load();
      if (sleeping == 0) continue;
      const std::uint32_t w = at * 64 + std::uint32_t(std::countr_zero(sleeping));
      if (w < workers_ && clear_asleep(m, w)) return ring(m.lanes[w].awake, 1);
    }
  }

  bool has_results() const {
    for (std::uint32_t w = 0; w < workers_; ++w)
      if (map_.memory->lanes[w].written.load() != map_.memory->lanes[w].read.load(std::memory_order_relaxed)) return true;
    return false;
  }

  void wait_for_results(std::uint64_t end) {
    shared& m = *map_.memory;
    const std::uint32_t value = m.results.load();
    m.driver_sleeps.store(1);
    const std::uint64_t now = detail::now_ns();
    if (!has_results() && now < end) sleep_on(m.results, value, end - now);
    m.driver_sleeps.store(0);
  }

  std::size_t take_all(nb::list& to) {
    std::size_t found = 0;
    for (std::uint32_t w = 0; w < workers_; ++w)
      if (map_.memory->lanes[w].written.load(std::memory_order_acquire) !=
          map_.memory->lanes[w].read.load(std::memory_order_relaxed))
        found += take(w, to);
    return found;
  }

  std::size_t take(std::uint32_t w, nb::list& to) {
    lane& l = map_.memory->lanes[w];
    const std::uint64_t end = l.written.load(std::memory_order_acquire);
    std::uint64_t at = l.read.load(std::memory_order_relaxed);
    std::size_t found = 0;
    while (at != end) {
      result_head head{};
      const std::uint64_t left = end - at;
      if (left <= ring_bytes && left >= sizeof head) copy_out(l, at, &head, sizeof head);
      if (left > ring_bytes || left < sizeof head || sizeof head + rounded(head.size) > left) {
        l.read.store(end);
        throw std::runtime_error("worker " + std::to_string(w) + " has overwritten the memory that it shares with the driver");
      }
      const nb::object data = nb::steal(PyBytes_FromStringAndSize(nullptr, Py_ssize_t(head.size)));
      if (!data.is_valid()) throw nb::python_error();
      copy_out(l, at + sizeof head, PyBytes_AsString(data.ptr()), head.size);
      to.append(nb::make_tuple(head.id, head.kind, head.ns, data, w));
      at += sizeof head + rounded(head.size);
      ++found;
    }
    l.read.store(at);
    if (l.wants_room.load() != 0) ring(l.room, 1);
    return found;
  }

  static void copy_out(const lane& l, std::uint64_t at, void* to, std::size_t n) {
    const std::size_t first = std::min<std::size_t>(n, ring_bytes - at % ring_bytes);
    std::memcpy(to, l.ring + at % ring_bytes, first);
    std::memcpy(static_cast<std::byte*>(to) + first, l.ring, n - first);
  }

  int file_;
  mapped map_;
  std::uint32_t workers_;
  const nb::object ticket_ = nb::steal(PyUnicode_InternFromString("ticket"));
};

// ---- a worker ----

class pool_worker {
 public:
  pool_worker(int file, std::uint32_t workers, std::uint32_t mine)
      : map_(file, workers), mine_(mine), lane_(map_.memory->lanes[mine]) {}

  // (id, kind, bytes) of the next task. Waits for one.
  nb::tuple next() {
    for (;;) {
      if (task_slot* const s = claim()) return begun(*s);
      {
        const nb::gil_scoped_release others;
        wait_for_task();
      }
      check_signals();
    }
  }

  void at_item(std::uint64_t item) { lane_.item.store(item, std::memory_order_relaxed); }

  // The result of the task that it runs: at most `most_result` bytes.
  void give(std::uint64_t id, std::uint32_t kind, std::uint64_t ns, const nb::bytes& data) {
    const std::uint64_t needed = sizeof(result_head) + rounded(data.size());
    if (data.size() > most_result) throw nb::value_error("a result is too long for the ring");
    const std::uint64_t at = lane_.written.load(std::memory_order_relaxed);
    while (ring_bytes - (at - lane_.read.load(std::memory_order_acquire)) < needed) {
      {
        const nb::gil_scoped_release others;
        wait_for_room(at, needed);
      }
      check_signals();
    }
    const result_head head{id, ns, kind, std::uint32_t(data.size())};
    copy_in(at, &head, sizeof head);
    copy_in(at + sizeof head, data.c_str(), data.size());
    lane_.written.store(at + needed);
    lane_.running.store(0);
    if (map_.memory->driver_sleeps.load() != 0 && map_.memory->driver_sleeps.exchange(0) != 0)
      ring(map_.memory->results, INT_MAX);
  }

 private:
  task_slot* claim() {
    shared& m = *map_.memory;
    for (;;) {
      std::uint64_t first = m.first.load();
      if (first >= m.published.load()) return nullptr;
      task_slot& s = m.slot[(first + 1) % slots];
      std::uint64_t expected = state_of(ready, 0, first + 1);
      const bool mine = s.state.compare_exchange_strong(expected, state_of(claimed, mine_, first + 1));
      m.first.compare_exchange_strong(first, first + 1);
      if (mine) return &s;
    }
  }

  nb::tuple begun(task_slot& s) {
    const nb::bytes data(s.data, s.size);
    const std::uint64_t id = s.id;
    const std::uint32_t kind = s.kind;
    lane_.item.store(0, std::memory_order_relaxed);
    lane_.running.store(id);
    s.state.store(state_of(vacant, 0, 0));
    return nb::make_tuple(id, kind, data);
  }

  bool has_task() const { return map_.memory->first.load() < map_.memory->published.load(); }

  void wait_for_task() {
    const std::uint64_t until = detail::now_ns() + look_ns;
    while (detail::now_ns() < until)
      if (has_task()) return;
    shared& m = *map_.memory;
    const std::uint32_t value = lane_.awake.load();
    set_asleep(m, mine_);
    if (!has_task()) sleep_on(lane_.awake, value, nanoseconds(-1));
    clear_asleep(m, mine_);
  }

  void wait_for_room(std::uint64_t at, std::uint64_t needed) {
    const std::uint32_t value = lane_.room.load();
    lane_.wants_room.store(1);
    if (map_.memory->driver_sleeps.exchange(0) != 0) ring(map_.memory->results, INT_MAX);
    if (ring_bytes - (at - lane_.read.load()) < needed) sleep_on(lane_.room, value, nanoseconds(-1));
    lane_.wants_room.store(0);
  }

  void copy_in(std::uint64_t at, const void* from, std::size_t n) {
    const std::size_t first = std::min<std::size_t>(n, ring_bytes - at % ring_bytes);
    std::memcpy(lane_.ring + at % ring_bytes, from, first);
    std::memcpy(lane_.ring, static_cast<const std::byte*>(from) + first, n - first);
  }

  mapped map_;
  std::uint32_t mine_;
  lane& lane_;
};

}  // namespace

void bind_pool(nb::module_& m) {
  nb::class_<mapped_file>(m, "MappedFile", nb::type_slots(file_slots)).def(nb::init<int, bool>());
  nb::class_<pool_driver>(m, "PoolDriver")
      .def(nb::init<std::uint32_t>())
      .def_prop_ro("file", &pool_driver::file)
      .def_prop_ro("published", &pool_driver::published)
      .def("publish", &pool_driver::publish)
      .def("withdraw", &pool_driver::withdraw)
      .def("collect", &pool_driver::collect)
      .def("knock", &pool_driver::knock)
      .def("lost", &pool_driver::lost)
      .def("running", &pool_driver::running);
  nb::class_<pool_worker>(m, "PoolWorker")
      .def(nb::init<int, std::uint32_t, std::uint32_t>())
      .def("next", &pool_worker::next)
      .def("at_item", &pool_worker::at_item)
      .def("give", &pool_worker::give);
  m.attr("most_task") = sizeof(task_slot::data);
  m.attr("most_result") = most_result;
}

}  // namespace armilla::python
