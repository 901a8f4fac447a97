// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "feed.hpp"

namespace armilla::top {

/// The page, and who may see it: those who know its address, which has a random token.
class web {
 public:
  /// Listens at once. `port` 0: any that is free. Throws `usage_error` if that cannot be.
  web(feed& from, const std::string& bind, int port);
  ~web();
  web(const web&) = delete;

  /// "http://127.0.0.1:40000/3f.../".
  std::string address() const;
  int port() const noexcept { return port_; }
  /// Pages that are open.
  int pages() const noexcept { return pages_; }

 private:
  class server;

  feed& from_;
  std::string bind_, token_;
  std::atomic<int> pages_ = 0;
  std::unique_ptr<server> server_;
  int port_ = 0;
  std::atomic<bool> ended_ = false;  // it listens no more
  std::thread thread_;
};

/// Whether only this host reaches that address.
bool is_loopback(const std::string& bind);
/// The host of a header `Host`, without its port: "[::1]:80" is "[::1]".
std::string host_in(const std::string& header);

}  // namespace armilla::top
