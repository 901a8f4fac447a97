// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

namespace armilla::ofi {

/// Closes what it owns: a fabric, domain, endpoint, queue ...
template <class Fid>
class handle {
 public:
  handle() = default;
  handle(handle&& other) noexcept : fid_(std::exchange(other.fid_, nullptr)) {}
  handle& operator=(handle&& other) noexcept {
    reset();
    fid_ = std::exchange(other.fid_, nullptr);
    return *this;
  }
  ~handle() { reset(); }

  Fid* get() const noexcept { return fid_; }
  Fid* operator->() const noexcept { return fid_; }
  explicit operator bool() const noexcept { return fid_ != nullptr; }
  /// For the functions of libfabric that open one.
  Fid** out() noexcept { return &fid_; }
  void reset() noexcept {
    if (fid_ != nullptr) fi_close(&fid_->fid);
    fid_ = nullptr;
  }

 private:
  Fid* fid_ = nullptr;
};

/// Memory that a provider may read or write; nothing where the provider does not ask for it.
struct registration {
  handle<fid_mr> region;
  void* descriptor() const noexcept { return region ? fi_mr_desc(region.get()) : nullptr; }
};

}  // namespace armilla::ofi
