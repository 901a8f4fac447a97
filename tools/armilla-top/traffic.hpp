// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "armilla/attach.hpp"
#include "armilla/client/client_line.hpp"

namespace armilla::top {

/// The reply to client_request::traffic. Lines that make no sense, or name none of `ranks`, are left out.
std::map<rank_t, std::uint64_t> bytes_by_rank(std::string_view reply, rank_t ranks);

/// Asks the ranks how many bytes they have sent to which rank. Takes an attached client's place at each rank.
class traffic {
 public:
  explicit traffic(client job);
  ~traffic();
  traffic(const traffic&) = delete;

  /// What the ranks have answered so far, by host if there are several, else by groups of ranks; and asks again.
  ///
  /// {"by": "host", "names": [...], "bytes": [[n, ...], ...], "bytes_a_second": [[n, ...], ...]}: a row for each sender. Rows of
  /// ranks that have not answered are zeros: `unheard` counts them.
  nlohmann::ordered_json next();

 private:
  using clock = std::chrono::steady_clock;
  struct sender {
    std::shared_ptr<detail::client_line> line;
    std::shared_ptr<detail::client_answer> call;  // under way; null: none
    bool heard = false;
    clock::time_point at;
    std::map<rank_t, std::uint64_t> bytes;
    std::map<rank_t, double> rates;
  };
  void ask(rank_t r, sender& one);
  void receive(sender& one);

  client job_;
  std::vector<sender> senders_;
};

}  // namespace armilla::top
