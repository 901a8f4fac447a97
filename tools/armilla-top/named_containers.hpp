// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/attach.hpp"
#include "armilla/client/client_line.hpp"
#include "snapshot.hpp"

namespace armilla::top {

/// What a rank has of containers of one name, type and line.
struct container_line {
  std::string name, type, place;
  std::uint64_t elements = 0, bytes = 0;
};

/// The reply to client_request::objects. Lines that make no sense are left out; no control characters are in the rest.
std::vector<container_line> container_lines(std::string_view reply);

/// Asks the ranks which containers they have. Takes an attached client's place at each rank.
class named_containers {
 public:
  explicit named_containers(client job);
  ~named_containers();
  named_containers(const named_containers&) = delete;

  /// Takes the replies that are there, and asks those ranks again. Waits for none: a rank that computes answers later.
  void ask();
  /// What the ranks answered last, behind what they expose.
  void add_to(std::vector<container_sizes>& exposed) const;

 private:
  struct asked {
    std::shared_ptr<detail::client_line> line;
    std::shared_ptr<detail::client_answer> call;  // under way; null: none
    std::vector<container_line> last;
  };
  static void receive(asked& rank);

  client job_;
  std::vector<asked> ranks_;
};

}  // namespace armilla::top
