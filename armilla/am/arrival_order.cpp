// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/arrival_order.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "armilla/am/message_state.hpp"
#include "armilla/base/error.hpp"
#include "armilla/base/options.hpp"

namespace armilla::detail {
namespace {

std::string first_line(rank_t rank, rank_t ranks) { return fmt::format("armilla arrivals 1, rank {} of {}", rank, ranks); }

}  // namespace

arrival_order::arrival_order(const options& settings, rank_t rank, rank_t ranks) : rank_(rank), ranks_(ranks) {
  if (!settings.replay.empty()) read_script(fmt::format("{}.{}", settings.replay, rank));
  if (!settings.record.empty()) open_record(fmt::format("{}.{}", settings.record, rank));
}

arrival_order::~arrival_order() {
  if (record_ != nullptr) std::fclose(record_);
}

void arrival_order::open_record(const std::string& name) {
  record_ = std::fopen(name.c_str(), "we");
  if (record_ == nullptr)
    throw_usage("ARMILLA_RECORD", fmt::format("'{}' cannot be written ({}); name a file in a folder where that is possible", name,
                                              std::strerror(errno)));
  std::fputs((first_line(rank_, ranks_) + "\n").c_str(), record_);
}

void arrival_order::read_script(const std::string& name) {
  replayed_ = name;
  std::ifstream in(name);
  std::string line;
  if (!in)
    throw_usage("ARMILLA_REPLAY",
                fmt::format("'{}' cannot be read ({}); give the name that ARMILLA_RECORD was given", name, std::strerror(errno)));
  if (!std::getline(in, line) || line != first_line(rank_, ranks_))
    throw_usage("ARMILLA_REPLAY", fmt::format("'{}' begins with '{}', not with '{}'; replay with as many ranks as were recorded",
                                              name, line, first_line(rank_, ranks_)));
  for (int number = 2; std::getline(in, line); ++number) {
    char* end = nullptr;
    const long source = std::strtol(line.c_str(), &end, 10);
    if (line.empty() || *end != 0 || source < 0 || source >= ranks_)
      throw_usage("ARMILLA_REPLAY", fmt::format("line {} of '{}' is '{}', which is no rank of this job", number, name, line));
    script_.push_back(rank_t(source));
  }
}

bool arrival_order::take(rank_t source, std::uint64_t look) {
  if (look == last_look_ || !next_may_be(source)) return false;
  last_look_ = look;
  if (at_ != script_.size()) ++at_;
  if (record_ != nullptr) std::fprintf(record_, "%d\n", int(source));
  return true;
}

void arrival_order::flush() noexcept {
  if (record_ != nullptr) std::fflush(record_);
}

std::string arrival_order::explain() const {
  if (at_ == script_.size()) return {};
  return fmt::format("  the replay of '{}' takes in nothing before arrival {} has come, from rank {}\n", replayed_, at_ + 1,
                     script_[at_]);
}

arrival_order* order_of(const context& self) noexcept {
  const message_state* const state = self.message_layer;
  return state != nullptr && &state->messages == self.messages ? state->order.get() : nullptr;
}

}  // namespace armilla::detail
