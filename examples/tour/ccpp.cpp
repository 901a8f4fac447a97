// SPDX-License-Identifier: Apache-2.0
// A program of CC++: processor objects, their methods by `->`, blocks, a loop, a thread, sync variables.
#include <cstdio>

#include <armilla/armilla.hpp>
#include <armilla/dialect/ccpp.hpp>

#include "examples/tour/expect.hpp"
using namespace armilla::ccpp;

namespace {

class account {
 public:
  explicit account(int first) : balance_(first) {}
  int deposit(int amount) {
    const int old = balance_;
    armilla::yield();  // others run here, but no other deposit to this account
    return balance_ = old + amount;
  }
  int balance() const { return balance_; }
  static constexpr atomic_list<&account::deposit> atomic_methods{};

  struct methods : armilla::ccpp::methods<account> {
    rpc<&account::deposit> deposit{this};
    rpc<&account::balance> balance{this};
  };

 private:
  int balance_;
};

void transfer(global<account*> from, global<account*> to, int amount) {
  par([&] { from->deposit(-amount); }, [&] { to->deposit(amount); });
}

void cc_main() {
  const global<account*> savings = new_object<account>(armilla::ranks() - 1, 100);
  const global<account*> current = new_object<account>(0, 0);
  expect(savings->balance() == 100, "a method of an object of another processor");
  parfor(0, 10, [&](int i) { transfer(savings, current, i); });
  expect(savings->balance() == 55 && current->balance() == 45, "atomic methods exclude each other");

  sync_var<int> total;
  spawn([&] { total = savings->balance() + current->balance(); });
  expect(total == 100, "a thread of control, and a variable that is written once");
  delete_object(current);
}

}  // namespace

int main(int argc, char** argv) {
  return run_main(argc, argv, [] {
    cc_main();
    std::printf("ccpp: all as expected\n");
  });
}
