// SPDX-License-Identifier: Apache-2.0
// Uses the service of server.cpp, of which it knows names and signatures only.
#include <cstdio>
#include <stdexcept>

#include <armilla/armilla.hpp>

#include "examples/kv/api.hpp"
namespace am = armilla;

namespace {

constexpr int keys_each = 200;

std::span<const am::rank_t> servers() {
  for (std::uint32_t p = 0; p < am::program_count(); ++p)
    if (am::program_name(p).ends_with("kv_server")) return am::program_ranks(p);
  throw std::runtime_error("start it as: armilla-run -n 1 ./kv_server : -n 3 ./kv_client");
}

am::rank_t server_of(const std::string& key) { return servers()[kv::place_of(key, servers().size())]; }

std::string own_key(int i) { return "client " + std::to_string(am::rank()) + " key " + std::to_string(i); }

void expect(bool right, const char* what) {
  if (!right) throw std::logic_error(std::string("not as expected: ") + what);
}

void write_all() {
  for (int i = 0; i < keys_each; ++i) am::async<kv::put>(server_of(own_key(i)), own_key(i), std::to_string(i * i));
}

// All reads are under way before the first answer is waited for; one-way calls to a server come before later two-way calls.
void read_all() {
  std::vector<am::future<std::optional<std::string>>> values;
  for (int i = 0; i < keys_each; ++i) values.push_back(am::call<kv::get>(server_of(own_key(i)), own_key(i)));
  for (int i = 0; i < keys_each; ++i) expect(values[std::size_t(i)].get() == std::to_string(i * i), "a value comes back");
  expect(!am::call<kv::get>(server_of("nobody's"), "nobody's").get(), "a key without a value");
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    static thread_local int news = 0;
    am::provide<kv::changed>([](const std::string&, const std::string&) { ++news; });
    am::barrier();  // servers provide
    const am::rank_t board = server_of("board");
    am::call<kv::watch>(board, "board", am::rank()).get();
    write_all();
    read_all();
    expect(am::call<kv::erase>(server_of(own_key(0)), own_key(0)).get(), "a key that can be erased");
    am::call<kv::add>(server_of("sum"), "sum", 1).get();
    am::call<kv::put>(board, "board", "from " + std::to_string(am::rank())).get();
    am::fence();  // all ranks have written, and all news have arrived
    expect(news >= 1, "news of what this rank watches");
    std::printf("client %d: %d keys are right\n", int(am::rank()), keys_each);
  });
}
