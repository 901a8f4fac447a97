// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/visitors/job_search.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "armilla/boot/host/host_memory.hpp"

namespace armilla::detail {
namespace {

constexpr std::string_view name_of_memory = "/memfd:armilla (deleted)";

std::string file_of(pid_t holder, int file) { return "/proc/" + std::to_string(holder) + "/fd/" + std::to_string(file); }

template <class Use>
void each_number_in(const std::string& folder, Use&& use) {
  DIR* const open = opendir(folder.c_str());
  if (open == nullptr) return;
  while (const dirent* const entry = readdir(open))
    if (const int number = std::atoi(entry->d_name); number > 0 || entry->d_name[0] == '0') use(number);
  closedir(open);
}

bool is_memory_of_job(pid_t holder, int file) {
  char target[64];
  const ssize_t n = readlink(file_of(holder, file).c_str(), target, sizeof target);
  return n > 0 && std::string_view(target, std::size_t(n)) == name_of_memory;
}

using job_list = std::vector<std::shared_ptr<job_memory>>;

// Forked children and ranks that are just starting hold the same memory as the process that made it.
void add(job_list& found, std::shared_ptr<job_memory> one) {
  const auto same = [&](const auto& other) { return other->identity() == one->identity(); };
  if (one->valid() && one->alive() && std::ranges::none_of(found, same)) found.push_back(std::move(one));
}

}  // namespace

job_memory::job_memory(pid_t holder, int file) noexcept
    : holder_(holder), file_(open(file_of(holder, file).c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_.get() >= 0 && !map_first()) job_ = nullptr;
}

job_memory::~job_memory() {
  if (job_ != nullptr) munmap(job_, layout_.addresses());
}

// What lies beyond the end of a file must not be touched: its length is compared with what it says it holds.
bool job_memory::map_first() noexcept {
  struct stat about{};
  if (fstat(file_.get(), &about) != 0 || std::uint64_t(about.st_size) < host_layout::job_bytes) return false;
  identity_ = about.st_ino;
  job_head head;
  if (pread(file_.get(), &head, sizeof head, 0) != ssize_t(sizeof head)) return false;
  if (head.magic != job_block::good_magic || head.version != job_block::good_version) return false;
  if (head.places == 0 || head.places > job_block::max_ranks) return false;
  if (head.locals.count == 0 || head.locals.count > std::min<std::uint32_t>(head.places, most_local_ranks)) return false;
  layout_ = layout_of(head);
  if (std::uint64_t(about.st_size) < layout_.total()) return false;
  void* const at = mmap(nullptr, layout_.addresses(), PROT_READ, MAP_SHARED, file_.get(), 0);
  if (at == MAP_FAILED) return false;
  job_ = static_cast<job_block*>(at);
  if (job_->spare_places >= job_->places) return munmap(at, layout_.addresses()), false;
  return true;
}

descriptor job_memory::writable() const noexcept {
  return descriptor(open(file_of(getpid(), file_.get()).c_str(), O_RDWR | O_CLOEXEC));
}

bool job_memory::write_control() noexcept {
  if (writes_control_) return true;
  const descriptor file = writable();
  const std::uint64_t first = layout_.control({});
  writes_control_ =
      file.get() >= 0 && mmap(reinterpret_cast<std::byte*>(job_) + first, layout_.addresses() - first, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED, file.get(), off_t(first)) != MAP_FAILED;
  return writes_control_;
}

bool job_memory::read(std::uint64_t first, void* to, std::size_t bytes) const noexcept {
  return pread(file_.get(), to, bytes, off_t(first)) == ssize_t(bytes);
}

void* job_memory::map(std::uint64_t first, std::uint64_t bytes) const noexcept {
  const descriptor file = writable();
  return file.get() < 0 ? nullptr : map_part_of_memory(file.get(), first, bytes);
}

// Without a supervisor: a rank of this host. What holds the memory may be an attached client that looks for jobs.
pid_t job_memory::process() const noexcept {
  if (job_->supervisor > 0) return job_->supervisor;
  pid_t first = 0;
  for (std::uint32_t r = 0; r < job_->places; ++r) {
    const pid_t one = job_->rank[r].pid.load(std::memory_order_relaxed);
    if (one == holder_) return holder_;
    if (first == 0) first = one;
  }
  return first > 0 ? first : holder_;
}

rank_t job_memory::ranks() const noexcept { return job_->ranks_seen(); }

std::string job_memory::program(rank_t r) const {
  const char* const name = job_->program_names[job_->rank[r].program % job_block::max_programs];
  return {name, strnlen(name, job_block::max_name)};
}

bool job_memory::alive() const noexcept {
  for (std::uint32_t r = 0; r < job_->places; ++r) {
    const rank_record& rank = job_->rank[r];
    const char state = process_state(rank.pid.load(std::memory_order_relaxed));
    if (rank.stage.load(std::memory_order_acquire) != rank_stage::finished && state != 0 && state != 'Z') return true;
  }
  return false;
}

std::uint64_t job_memory::resident(std::uint64_t first, std::uint64_t bytes) const noexcept {
  const auto end = off_t(first + bytes);
  std::uint64_t sum = 0;
  for (off_t at = lseek(file_.get(), off_t(first), SEEK_DATA); at >= 0 && at < end;) {
    const off_t hole = std::min(lseek(file_.get(), at, SEEK_HOLE), end);
    if (hole <= at) break;
    sum += std::uint64_t(hole - at);
    at = lseek(file_.get(), hole, SEEK_DATA);
  }
  return sum;
}

char process_state(pid_t process) noexcept {
  if (process <= 0) return 0;
  char path[32], text[512];
  std::snprintf(path, sizeof path, "/proc/%d/stat", int(process));
  const descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t n = file.get() >= 0 ? read(file.get(), text, sizeof text - 1) : -1;
  if (n <= 0) return 0;
  text[n] = 0;
  const char* const behind = std::strrchr(text, ')');  // the name of a program may hold anything
  return behind != nullptr && behind[1] == ' ' ? behind[2] : char(0);
}

std::vector<std::shared_ptr<job_memory>> find_jobs() {
  job_list found;
  each_number_in("/proc", [&](int process) {
    struct stat about{};
    const std::string folder = "/proc/" + std::to_string(process);
    if (stat(folder.c_str(), &about) != 0 || about.st_uid != geteuid()) return;
    each_number_in(folder + "/fd", [&](int file) {
      if (is_memory_of_job(process, file)) add(found, std::make_shared<job_memory>(process, file));
    });
  });
  std::ranges::sort(found, {}, [](const auto& one) { return one->process(); });
  return found;
}

}  // namespace armilla::detail
