// SPDX-License-Identifier: Apache-2.0
#include "armilla/attach.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/client/client_state.hpp"
#include "armilla/error.hpp"

namespace armilla {
namespace {

using detail::job_block;
using detail::job_memory;
using detail::throw_usage;
using job_list = std::vector<std::shared_ptr<job_memory>>;

job_summary summary_of(const job_memory& m) { return {int(m.process()), m.program(0), int(m.ranks()), m.job().threads != 0}; }

bool runs_in(const job_memory& m, int process) noexcept {
  if (m.process() == process) return true;
  for (rank_t r = 0; r < m.ranks(); ++r)
    if (m.job().rank[r].pid.load(std::memory_order_relaxed) == process) return true;
  return false;
}

std::string_view behind_folders(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool runs_program(const job_memory& m, std::string_view name) {
  for (rank_t r = 0; r < m.ranks(); ++r)
    if (const std::string program = m.program(r); program == name || behind_folders(program) == name) return true;
  return false;
}

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::string list_of(const job_list& all) {
  if (all.empty())
    return "this user runs no job on this host (an attached client of a job over several hosts runs on one that has ranks)";
  std::string text = "jobs of this user here:";
  for (const auto& one : all) {
    const job_summary s = summary_of(*one);
    text += fmt::format("{} {} ({}, {} rank{})", one == all.front() ? "" : ",", s.process, s.program, s.ranks,
                        s.ranks == 1 ? "" : "s");
  }
  return text;
}

[[noreturn]] void refuse_process(int process, const job_list& all) {
  struct stat about{};
  if (stat(fmt::format("/proc/{}", process).c_str(), &about) != 0)
    throw_usage("attach", fmt::format("there is no process {} on this host; {}", process, list_of(all)));
  if (about.st_uid != geteuid())
    throw_usage("attach",
                fmt::format("process {} is of user {}, this one of user {}: only the user whose job it is can look into it",
                            process, about.st_uid, geteuid()));
  throw_usage("attach", fmt::format("process {} belongs to no job of this version of Armilla; {}", process, list_of(all)));
}

std::shared_ptr<job_memory> only_of(const job_list& fitting, std::string_view which, const job_list& all) {
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty() && which.empty()) throw_usage("attach", list_of(all));
  if (fitting.empty()) throw_usage("attach", fmt::format("no job runs '{}'; {}", which, list_of(all)));
  throw_usage("attach", fmt::format("{} jobs fit; name one by its process; {}", fitting.size(), list_of(fitting)));
}

}  // namespace

std::vector<job_summary> jobs() {
  std::vector<job_summary> result;
  for (const auto& one : detail::find_jobs()) result.push_back(summary_of(*one));
  return result;
}

client attach(std::string_view which) {
  const job_list all = detail::find_jobs();
  const auto process = number_in(which);
  job_list fitting;
  std::ranges::copy_if(all, std::back_inserter(fitting), [&](const auto& one) {
    if (process) return runs_in(*one, *process);
    return which.empty() ? !runs_in(*one, int(getpid())) : runs_program(*one, which);
  });
  if (process && fitting.empty()) refuse_process(*process, all);
  return client(std::make_shared<detail::client_state>(only_of(fitting, which, all)));
}

int client::process() const noexcept { return int(state_->memory().process()); }
rank_t client::ranks() const noexcept { return state_->memory().ranks(); }
job_summary client::summary() const { return summary_of(state_->memory()); }
bool client::alive() const noexcept { return state_->memory().alive(); }

}  // namespace armilla
