// SPDX-License-Identifier: Apache-2.0
// A key-value service that other programs of the job use by name: armilla-run -n 1 ./kv_server : -n 3 ./kv_client
#include <cstdio>
#include <unordered_map>

#include <armilla/armilla.hpp>

#include "examples/kv/api.hpp"
namespace am = armilla;

namespace {

// The part of one rank. Bodies do not interrupt each other, so it needs no locks.
class store {
 public:
  void put(std::string key, std::string value) {
    ++counts_.writes;
    for (const am::rank_t client : watchers_[key]) am::async<kv::changed>(client, key, value);
    values_[std::move(key)] = std::move(value);
  }
  std::optional<std::string> get(const std::string& key) {
    ++counts_.reads;
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  bool erase(const std::string& key) { return ++counts_.writes, values_.erase(key) != 0; }
  long add(const std::string& key, long by) {
    std::string& value = values_[key];
    const long sum = (value.empty() ? 0 : std::stol(value)) + by;
    value = std::to_string(sum);
    return ++counts_.writes, sum;
  }
  void watch(const std::string& key, am::rank_t client) { watchers_[key].push_back(client); }
  kv::usage report() const { return {values_.size(), counts_.reads, counts_.writes}; }

 private:
  std::unordered_map<std::string, std::string> values_;
  std::unordered_map<std::string, std::vector<am::rank_t>> watchers_;
  kv::usage counts_{};
};

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    store mine;
    am::provide<kv::put, &store::put>(mine);
    am::provide<kv::get, &store::get>(mine);
    am::provide<kv::erase, &store::erase>(mine);
    am::provide<kv::add, &store::add>(mine);
    am::provide<kv::watch, &store::watch>(mine);
    am::provide<kv::report, &store::report>(mine);
    am::barrier();  // clients may begin
    am::fence();    // they have ended; meanwhile this rank answers
    const kv::usage u = mine.report();
    std::printf("server %d: %lu keys, %lu reads, %lu writes\n", int(am::rank()), u.keys, u.reads, u.writes);
  });
}
