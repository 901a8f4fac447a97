// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/attach.hpp"

namespace armilla::detail {

struct client_answer;

/// What comes in for one method, at all ranks of this host together.
struct method_rate {
  std::string name;
  double messages = 0, bytes = 0;  ///< a second
};

/// What samples of a rank's bundles have brought.
struct sampled_bundles {
  struct sum {
    std::uint64_t messages = 0, bytes = 0;
  };
  std::uint64_t bundles = 0;
  std::map<std::string, sum, std::less<>> methods;

  /// Adds a reply to client_request::sample. What is no such line is left out, and names are cut: the text is not believed.
  void add(std::string_view reply);
};

/// Asks the ranks of a job what comes in for which method. A sample: a rank counts the next 1000 bundles behind each two-way
/// call, and the rates are those of the sample by all bundles that the rank has taken in. Takes an attached client's place at
/// each rank.
class method_rates {
 public:
  explicit method_rates(client job);
  ~method_rates();
  method_rates(const method_rates&) = delete;

  /// Takes the replies that are there, and asks those ranks again; the others are left in peace. Waits for none. A rank that
  /// cannot be asked has no part in the rates.
  void ask();
  /// What has come in since the last time.
  std::vector<method_rate> rates();

 private:
  struct watched;
  static bool take_reply(watched& rank);

  client job_;
  std::vector<watched> ranks_;
  std::uint64_t since_ns_;
};

}  // namespace armilla::detail
