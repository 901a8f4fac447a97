// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bench/harness/job.hpp"

namespace bench {

/// The fixture that makes hosts out of network namespaces, a program.
std::string hosts_fixture();

/// Why there can be no hosts here, in words; empty: nothing speaks against it, but the fixture may still end with
/// `no_hosts_code`.
std::string no_hosts();
inline constexpr int no_hosts_code = 77;

/// What starts a worker with its ranks on two hosts, half of them on each; the hosts exist as long as it. `folder` is in /tmp
/// and becomes visible on the hosts, which have a /tmp of their own otherwise; the coordinator listens at `door` in it.
std::vector<std::string> command_on_hosts(const job_options& options, const std::string& folder, const std::string& door);

/// A folder in /tmp as long as this exists.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_ = "/tmp/armilla-bench-XXXXXX";
};

}  // namespace bench
