// SPDX-License-Identifier: Apache-2.0
// What cannot be a method between programs. Each case by itself: CASE_<NAME>.
#include <string>

#include <armilla/armilla.hpp>

namespace am = armilla;

class closed {
 private:
  [[maybe_unused]] int a_ = 0;
};
namespace api {
inline constexpr am::method<double(double)> half{"half"};
inline constexpr am::method<void(closed)> unnamed{"unnamed"};
inline constexpr am::method<void(int*)> pointer{"pointer"};
}  // namespace api
double of_text(const std::string& text);

int main() {
#ifdef CASE_UNNAMED
  am::async<api::unnamed>(0, closed{});
#endif
#ifdef CASE_PARAMETERS
  am::provide<api::half, &of_text>();
#endif
#ifdef CASE_POINTER
  am::async<api::pointer>(0, nullptr);
#endif
}
