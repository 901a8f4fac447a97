// SPDX-License-Identifier: Apache-2.0
// What cannot be sent. Each line of a case must be refused, with its remedy (CMakeLists.txt has the sentences).
#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

using armilla::require_sendable_closure;
using armilla::require_sendable_value;

#if defined(CASE_TYPES)
struct many {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
};
struct fixed {
  const int a;
};
class keeps_function {
  std::function<void()> f_;
};
void refused() {
  require_sendable_value<int*>();
  require_sendable_value<int&>();
  require_sendable_value<std::string_view>();
  require_sendable_value<std::reference_wrapper<int>>();
  require_sendable_value<std::shared_ptr<int>>();
  require_sendable_value<std::vector<int>::iterator>();
  require_sendable_value<std::vector<armilla::view<int>>>();
  require_sendable_value<many>();
  require_sendable_value<fixed>();
  require_sendable_value<std::atomic<int>>();
  require_sendable_value<keeps_function>();
  require_sendable_value<armilla::view<int>>();
}
#elif defined(CASE_CLASSES)
struct base {
  int id;
  std::string name;
};
struct derived : base {
  int more;
};
struct bits {
  unsigned a : 3;
  std::string name;
};
class list {
 public:
  using value_type = int;
  std::size_t size() const;
  const int* begin() const;
  const int* end() const;
  void push_back(int);
  ~list();

 private:
  [[maybe_unused]] int first_ = 0;
};
class title {
 public:
  explicit title(std::string s) : s_(std::move(s)) {}

 private:
  std::string s_;
};
struct shape {
  virtual ~shape() = default;
};
struct order {
  bool down;
  bool operator()(int a, int b) const;
};
struct article {
  int number;
  std::vector<std::pair<int, const char*>> words;
};
void refused() {
  require_sendable_value<derived>();
  require_sendable_value<bits>();
  require_sendable_value<list>();
  require_sendable_value<title>();
  require_sendable_value<std::unique_ptr<shape>>();
  require_sendable_value<std::unique_ptr<int[]>>();
  require_sendable_value<std::set<int, order>>();
  require_sendable_value<std::error_code>();
  require_sendable_value<std::function<void()>>();
  require_sendable_value<std::thread::id>();
  require_sendable_value<article>();
}
#elif defined(CASE_BODIES)
void refused(const std::string& text) {
  auto body = [text] { return text.size(); };
  require_sendable_closure<decltype(body)>();
}
#elif defined(CASE_VIEW_OF_STRINGS)
std::size_t refused(const std::vector<std::string>& words) { return armilla::view(words).size(); }
#elif defined(CASE_VIEW_OF_CONST)
std::size_t refused(armilla::view<const int> v) { return v.size(); }
#elif defined(CASE_ENCODE)
struct node {
  int value;
  std::vector<node*> next;
};
void refused(std::byte* out, const std::vector<node>& nodes) { armilla::detail::encode(out, 1, nodes); }
#elif defined(CASE_DECODE)
int* refused(armilla::detail::decoder& in) { return in.get<int*>(); }
#elif defined(CASE_DEFINE_TYPE)
struct lists_pointer {
  int* p = nullptr;
  void define_type(auto& t) { t.local(p); }
};
void refused(std::byte* out) { armilla::detail::encode(out, lists_pointer()); }
#endif
