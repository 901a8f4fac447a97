// SPDX-License-Identifier: Apache-2.0
// Figure 1 of the MRPC paper, "CC++ Micro-benchmarks Pseudo-Code". What stands between the marks is compared with
// listings/mrpc_figure_1.txt, token by token.
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/ccpp.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace armilla::ccpp;

namespace {

// The paper does not print its two classes; their members follow from how the figure uses them.
class ARRAYOFDOUBLE {
 public:
  ARRAYOFDOUBLE() = default;
  explicit ARRAYOFDOUBLE(int n) : values_(std::size_t(n)) {}
  double& operator[](int i) { return values_[std::size_t(i)]; }
  int size() const { return int(values_.size()); }
  void define_type(auto& t) { t.local(values_); }

 private:
  std::vector<double> values_;
};

class OBJ {
 public:
  void foo() { note(0); }
  void foo(int ly) { note(ly); }
  void foo(int ly, int lz) { note(ly + lz); }
  void atomic_foo() {
    if (inside_++ != 0) ++overlaps_;
    am::yield();
    --inside_;
  }
  ARRAYOFDOUBLE get(global<ARRAYOFDOUBLE*> gpA) { return *gpA.local(); }
  void put(const ARRAYOFDOUBLE& lA, global<ARRAYOFDOUBLE*> gpA) { *gpA.local() = lA; }
  static constexpr atomic_list<&OBJ::atomic_foo> atomic_methods{};

  std::vector<int> noted() const { return noted_; }
  int overlaps() const { return overlaps_; }
  global<double*> a_double() { return am::to_global(&y_); }
  global<ARRAYOFDOUBLE*> an_array() { return am::to_global(&a_); }

  struct methods : am::ccpp::methods<OBJ> {
    rpc<overload<void()>(&OBJ::foo), overload<void(int)>(&OBJ::foo), overload<void(int, int)>(&OBJ::foo)> foo{this};
    rpc<&OBJ::atomic_foo> atomic_foo{this};
    rpc<&OBJ::get> get{this};
    rpc<&OBJ::put> put{this};
    rpc<&OBJ::noted> noted{this};
    rpc<&OBJ::overlaps> overlaps{this};
    rpc<&OBJ::a_double> a_double{this};
    rpc<&OBJ::an_array> an_array{this};
  };

 private:
  void note(int sum) { noted_.push_back(sum); }
  std::vector<int> noted_;
  int inside_ = 0, overlaps_ = 0;
  double y_ = 2.5;
  ARRAYOFDOUBLE a_{20};
};

}  // namespace

RANK_TEST(figure_1_of_the_mrpc_paper) {
  // figure 1 {
  double lx;
  global<double*> gpY;
  ARRAYOFDOUBLE lA(20);
  global<ARRAYOFDOUBLE*> gpA;
  global<OBJ*> gpObj;
  int ly, lz;
  // }
  gpObj = new_object<OBJ>((am::rank() + 1) % am::ranks());
  gpY = gpObj->a_double();
  gpA = gpObj->an_array();
  ly = 3, lz = 4;
  ARRAYOFDOUBLE first(20);
  first[19] = 7;
  gpObj->put(first, gpA);
  // figure 1 {
  gpObj->foo();
  gpObj->foo(ly);
  gpObj->foo(ly, lz);
  gpObj->atomic_foo();
  lx = *gpY;
  *gpY = lx;
  lA = gpObj->get(gpA);
  gpObj->put(lA, gpA);
  parfor(0, 20, [&](int) { lx = *gpY; });
  // }
  EXPECT_EQ(gpObj->noted(), (std::vector{0, 3, 7}));
  EXPECT_EQ(lx, 2.5);
  EXPECT_EQ(lA.size(), 20);
  EXPECT_EQ(lA[19], 7.0);
  parfor(0, 8, [&](int) { gpObj->atomic_foo(); });
  EXPECT_EQ(gpObj->overlaps(), 0);
  am::fence();
}
