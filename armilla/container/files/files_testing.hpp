// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/rank_test.hpp"

/// What the tests of files share.
namespace files_testing {

namespace am = armilla;

/// A file of that text, the same on all ranks, removed at the end of the scope.
class text_file {
 public:
  explicit text_file(const std::string& text) {
    int job = int(::getpid());
    path_ = "/tmp/armilla_files_test." + std::to_string(am::broadcast(job));
    if (am::rank() == 0) std::ofstream(path_, std::ios::binary) << text;
    am::barrier();
  }
  ~text_file() {
    am::barrier();
    if (am::rank() == 0) std::remove(path_.c_str());
    am::barrier();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The items of all ranks, in their order.
template <class R>
std::vector<std::string> joined(R part) {
  std::vector<std::string> mine;
  for (const auto item : part) mine.emplace_back(item);
  return am::all_gather_v(mine);
}

}  // namespace files_testing
