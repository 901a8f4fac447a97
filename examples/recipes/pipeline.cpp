// SPDX-License-Identifier: Apache-2.0
// A pipeline: rank 0 reads items, all ranks process them, and rank 0 writes the results in the order of the items. A bounded
// number of items is under way at a time.
#include <deque>
#include <string>

#include <armilla/armilla.hpp>

namespace am = armilla;

static std::string process(const std::string& item) { return item + " on some rank"; }

static bool run_pipeline(int items, std::size_t bound) {
  if (am::rank() != 0) return true;  // answers calls until the job ends
  std::deque<am::future<std::string>> under_way;
  int written = 0;
  bool right = true;
  const auto write_oldest = [&] {
    const std::string result = under_way.front().get();  // waits until it is ready
    under_way.pop_front();
    right = right && result == std::to_string(written++) + " on some rank";
  };
  for (int i = 0; i < items; ++i) {
    if (under_way.size() == bound) write_oldest();
    under_way.push_back(am::call<&process>(i % am::ranks(), std::to_string(i)));
  }
  while (!under_way.empty()) write_oldest();
  am::print_on(0, "{} results in order: {}\n", written, right && written == items ? "right" : "WRONG");
  return right && written == items;
}

int main(int argc, char** argv) { return am::run(argc, argv, "ITEMS BOUND", run_pipeline); }
