// SPDX-License-Identifier: Apache-2.0
// A library of processor objects that is linked with libarmilla.so: it asks the runtime, and throws and catches its errors.
#include "tally.hpp"

namespace {
class tally {
 public:
  explicit tally(int first) : sum_(first) {}
  int add(int by) {
    if (armilla::rank() != 1) return -1;
    try {
      armilla::call(armilla::ranks(), [] {}).get();  // there is no such rank
    } catch (const armilla::usage_error&) { return sum_ += by; }
    return -2;
  }
  void refuse(int) { throw armilla::limit_error("tally", "no more"); }

 private:
  int sum_;
};
}  // namespace

extern "C" [[gnu::visibility("default")]] void armilla_library() {
  armilla::provide_class<tally_api::make, tally>();
  armilla::provide<tally_api::add, &tally::add>();
  armilla::provide<tally_api::refuse, &tally::refuse>();
}
