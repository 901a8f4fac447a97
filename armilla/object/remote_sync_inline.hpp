// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/error.hpp"
#include "armilla/global_ptr.hpp"
#include "armilla/sync_var.hpp"

// What the bodies of remote_sync.hpp begin with.
namespace armilla::detail {

template <class T>
sync_var<T>& own_sync_var(const global_ptr<sync_var<T>>& p, const char* operation) {
  sync_var<T>* const v = p.is_local() ? p.local() : nullptr;
  if (v == nullptr) [[unlikely]]
    throw_usage(operation,
                "the global_ptr does not point to a sync_var of this rank; make it there, by create_global or to_global");
  return *v;
}

}  // namespace armilla::detail
