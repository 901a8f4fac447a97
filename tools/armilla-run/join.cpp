// SPDX-License-Identifier: Apache-2.0
#include "join.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "armilla/attach.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/boot/children/join_request.hpp"
#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/error.hpp"

namespace armilla::run {
namespace {

constexpr int not_joined = 1, patience_ms = 2000;

void say_late() {
  std::fprintf(
      stderr,
      "armilla-run: not in it yet: one rank after the other comes in, when it has started and each rank of the job has waited "
      "or polled (Ctrl-C takes the request back)\n");
}

// As this process would start it.
void complete(detail::program_spec& program) {
  std::vector<std::string> environment;
  for (char** setting = environ; *setting != nullptr; ++setting) environment.emplace_back(*setting);
  std::ranges::copy(program.environment, std::back_inserter(environment));
  program.environment = std::move(environment);
  program.path = std::filesystem::absolute(program.path);
  program.folder = std::filesystem::current_path();
}

// 0: it has ended meanwhile, and nothing listens.
std::uint64_t memory_of(int process) {
  for (const auto& one : detail::find_jobs()) {
    if (one->process() != process) continue;
    if (one->job().spare_places == 0)
      detail::throw_usage("join", fmt::format("job {} takes no more ranks: it was started without places for them; start it with "
                                              "ARMILLA_MAX_RANKS above its ranks, and ARMILLA_ON_LOSS=continue or replace",
                                              process));
    return one->identity();
  }
  return 0;
}

}  // namespace

int join_running(const std::string& which, std::vector<detail::program_spec> programs) {
  const int process = attach(which).process();
  const std::uint64_t memory = memory_of(process);
  for (detail::program_spec& program : programs) {
    complete(program);
    const detail::join_answer answer = detail::ask_to_join(process, memory, program, patience_ms, say_late);
    const std::string text = answer.text.empty() ? "it ended before they were in it" : answer.text;
    std::fprintf(answer.good ? stdout : stderr, "armilla-run: job %d: %s\n", process, detail::escaped(text, "\n").c_str());
    if (!answer.good) return not_joined;
  }
  return 0;
}

}  // namespace armilla::run
