// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "array.hpp"

namespace armilla::python {
namespace {

std::mutex guard;
auto& rest = *new std::vector<std::shared_ptr<void>>;  // never destroyed: the job may be over then

}  // namespace

void let_go(std::shared_ptr<void> container) {
  if (rank_of_bodies != nullptr && detail::current == &rank_of_bodies->session.rank) return;  // its last reference goes here
  const std::lock_guard lock(guard);
  rest.push_back(std::move(container));  // if the job has ended, for ever: its memory is gone with it
}

void let_go_of_rest() {
  std::vector<std::shared_ptr<void>> mine;
  {
    const std::lock_guard lock(guard);
    mine.swap(rest);
  }
}

void bind_arrays(nb::module_& m) {
  bind_array_f8(m);
  bind_array_f4(m);
  bind_array_i8(m);
  bind_array_i4(m);
}

}  // namespace armilla::python
