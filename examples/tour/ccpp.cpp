// SPDX-License-Identifier: Apache-2.0
// A program of CC++: processor objects, their methods by `->`, blocks, a loop, a thread, sync variables, objects
// behind global pointers.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

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

class worker {
 public:
  void append(global<std::vector<std::string>*> to, const std::string& word) {
    std::vector<std::string> words = *to;
    words.push_back(word);
    *to = words;
  }
  struct methods : armilla::ccpp::methods<worker> {
    rpc<&worker::append> append{this};
  };
};

// A list across the processors: each node has a global pointer to the next, and a text that an RPC copies.
class node {
 public:
  node() = default;
  explicit node(std::string t) : text(std::move(t)) {}
  std::string text;
  object_ptr<node> next;
  sync_var<int> length;  // of the rest of the list, when it is known

  struct methods : armilla::ccpp::methods<node> {
    field<&node::text> text{this};
    field<&node::next> next{this};
    field<&node::length> length{this};
  };
};

void make_list() {
  const global<node*> first = new_object<node>(armilla::ranks() - 1, std::string("first"));
  first->next = new_object<node>(0, std::string("second"));
  spawn([&] { first->length = 1 + first->next->length; });  // waits at the second node's processor
  first->next->length = 0;
  const sync_var<int> copy = int(first->length);
  expect(copy == 1, "sync variables of processor objects");
  expect(std::string(first->next->text) == "second", "a member through two global pointers");

  global<node*> place = first;
  const global<global<node*>*> current = armilla::to_global(&place);
  (*current)->text = "changed";
  *current = first->next;
  expect(std::string(first->text) == "changed" && std::string(place->text) == "second", "a global pointer to a global pointer");
}

// Objects of classes behind global pointers are read and written as a whole.
void copy_objects() {
  std::vector<std::string> words{"read", "by", "an", "RPC"};
  const global<std::vector<std::string>*> there = armilla::to_global(&words);
  const global<worker*> w = new_object<worker>(armilla::ranks() - 1);
  w->append(there, "and written");
  expect(words.size() == 5 && words.back() == "and written", "an object behind a global pointer");
}

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
  make_list();
  copy_objects();
}

}  // namespace

int main(int argc, char** argv) {
  return run_main(argc, argv, [] {
    cc_main();
    std::printf("ccpp: all as expected\n");
  });
}
