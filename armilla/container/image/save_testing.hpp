// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "armilla/barrier.hpp"
#include "armilla/collectives.hpp"
#include "armilla/rank.hpp"
#include "armilla/team.hpp"

// What the tests of saving share.
namespace armilla::save_testing {

/// A path of no file, the same on all ranks; what is saved there goes with the scope. In memory where there is such a folder.
class scratch_path {
 public:
  scratch_path() {
    const std::string folder = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    path_ = folder + "/armilla_save_test." + std::to_string(broadcast(int(::getpid())));
    barrier();
  }
  ~scratch_path() {
    barrier();
    if (rank() == 0) std::remove(path_.c_str());
    barrier();
  }
  const std::string& str() const { return path_; }

 private:
  std::string path_;
};

/// The team of the first `n` ranks; on other ranks the team of the rest.
inline team first_ranks(int n) { return world().split(rank() < n ? 0 : 1); }
inline bool is_first(int n) { return rank() < n; }

/// Calls f(writers, readers), so many of the first ranks: one, all, and what lies between.
template <class F>
void for_pairs(F f) {
  const std::set<int> numbers = {1, (ranks() + 1) / 2, ranks()};
  for (const int writers : numbers)
    for (const int readers : numbers) f(writers, readers);
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
/// Collective.
inline void write_bytes(const std::string& path, const std::string& bytes) {
  barrier();
  if (rank() == 0) std::ofstream(path, std::ios::binary) << bytes;
  barrier();
}

}  // namespace armilla::save_testing
