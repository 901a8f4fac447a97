// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <type_traits>

#include "armilla/base/core/required_function.hpp"

// What the templates of run.hpp are made of.
namespace armilla {
namespace detail {

using rank_main = int (*)(const void* function);
enum class who_runs { everybody, first };

/// A function of the program, whose type is forgotten.
struct job_function {
  rank_main call = nullptr;
  const void* function = nullptr;
};
/// What new ranks run: on_join.hpp. Before any rank runs.
void set_join_function(const job_function& f) noexcept;

int run_job(int argc, char** argv, rank_main call, const void* function, who_runs who);

// Each rank calls a copy of its own, so that what it captured by value is its own too, on every fabric.
template <class F>
int call_copy(const void* function) {
  const auto call = [](auto& f) {
    require_function(f, "run");
    using result = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<result>)
      return f(), 0;
    else if constexpr (std::is_same_v<result, bool>)
      return f() ? 0 : 1;
    else
      return int(f());
  };
  if constexpr (std::copy_constructible<F>) {
    F mine = *static_cast<const F*>(function);
    return call(mine);
  } else {
    return call(*const_cast<F*>(static_cast<const F*>(function)));
  }
}

}  // namespace detail
}  // namespace armilla
