// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pmix.h>

#include <cstdint>
#include <string>

#include "armilla/boot/host/bootstrap.hpp"

namespace armilla::detail {

/// A job whose launcher speaks PMIx: Open MPI's mpirun, prterun, srun --mpi=pmix. The program need not know MPI; where it does,
/// both use the same client of PMIx, which counts its users.
class pmix_bootstrap final : public bootstrap {
 public:
  pmix_bootstrap(const pmix_proc_t& self, rank_t ranks);
  const char* name() const noexcept override { return name_.c_str(); }
  rank_t rank() const noexcept override { return static_cast<rank_t>(self_.rank); }
  rank_t ranks() const noexcept override { return ranks_; }
  bool exchange(const void* mine, void* all, std::size_t bytes) override;
  bool meet() override { return fence(false, "a meeting"); }
  const char* error() const noexcept override { return error_.c_str(); }
  [[noreturn]] void abort(int code) override;
  int lifeline() noexcept override { return lifeline_; }
  void finish() override;

 private:
  bool publish(const char* key, const void* data, std::size_t bytes);
  bool fetch(const char* key, pmix_rank_t from, void* data, std::size_t bytes);
  bool fence(bool collect, const char* what);
  bool failed(const char* what, pmix_status_t status);

  pmix_proc_t self_;
  rank_t ranks_;
  std::uint64_t exchanges_ = 0;  // numbers the keys: what was put under one can never be put again
  int lifeline_ = -1;            // a pipe's end: the other one closes when the server is lost
  bool finished_ = false;
  std::string name_;
  std::string error_;
};

/// What PMIx's launcher is called, for people.
std::string pmix_launcher_name();

}  // namespace armilla::detail
