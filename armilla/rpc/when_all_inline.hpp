// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <exception>
#include <utility>

#include "armilla/future.hpp"

// What the templates of when_all.hpp are made of.
namespace armilla {
namespace detail {

/// The values of several futures as they come in; lives until the last has come.
template <class Values, class Result>
struct gathering {
  Values values;
  std::size_t missing;
  std::exception_ptr error;
  late_op to;

  void arrived() {
    if (--missing != 0) return;
    if (error != nullptr)
      to.fail(std::move(error));
    else if (pending_op* c = to.find())
      forward_to<Result>{c}.take(std::move(values));
    delete this;
  }
};

template <class T, class G, class Put>
void gather_into(future<T> f, G* all, Put put) {
  struct sink {
    G* all;
    Put put;
    void fail(std::exception_ptr reason) {
      if (all->error == nullptr) all->error = std::move(reason);
      all->arrived();
    }
    void take(stored<T>&& value) {
      put(all->values, std::move(value));
      all->arrived();
    }
  };
  when_filled(std::move(f), [all, put](pending_op* filled) { consume<T>(filled, sink{all, put}); });
}

/// Counts to a number and then is ready.
struct countdown {
  std::size_t missing;
  std::exception_ptr error;
  late_op to;
  void arrived() {
    if (--missing != 0) return;
    if (error != nullptr)
      to.fail(std::move(error));
    else if (pending_op* c = to.find())
      forward_to<void>{c}.take({});
    delete this;
  }
};

}  // namespace detail
}  // namespace armilla
