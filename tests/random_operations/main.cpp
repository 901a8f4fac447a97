// SPDX-License-Identifier: Apache-2.0
// Random operations of all ranks on containers, with fences between, against models: random_operations SEED ROUNDS SCENE...
// Without scenes it prints the names of all. Driven by random_operations_test.py.
#include <cstdio>

#include "scenes.hpp"

namespace random_operations {
namespace {

std::vector<named_scene> all_scenes() {
  std::vector<named_scene> all;
  for (const std::vector<named_scene>* some : {&elements, &keys, &queues, &numbers})
    all.insert(all.end(), some->begin(), some->end());
  return all;
}

void play(const am::team& t, std::uint64_t seed, int rounds, const std::string& name) {
  for (const named_scene& s : all_scenes()) {
    if (name != s.name) continue;
    job j(t, seed, rounds);
    try {
      s.play(j);
    } catch (const std::logic_error& e) { throw std::runtime_error(name + ": " + e.what()); }
    return;
  }
  throw std::runtime_error("no scene " + name);
}

}  // namespace
}  // namespace random_operations

int main(int argc, char** argv) {
  using namespace random_operations;
  if (argc < 4) {
    for (const named_scene& s : all_scenes()) std::puts(s.name);
    return 0;
  }
  return am::run(argc, argv, [&] {
    const std::uint64_t seed = std::stoull(argv[1]);
    for (int i = 3; i < argc; ++i) play(am::world(), seed, std::stoi(argv[2]), argv[i]);
    am::barrier();
    if (am::rank() == 0) std::puts("right");
  });
}
