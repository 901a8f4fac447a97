// SPDX-License-Identifier: Apache-2.0
// Programs that must not compile, one a macro: the compiler says what to write in their place.

#include <armilla/container/container.hpp>

void refused() {
  armilla::vector<double> x(10);
#if defined(CASE_LOOP)
  for (double& e : x) e = 1;
#elif defined(CASE_NAMED_READ)
  auto z = x[3];
  double y = z;
#elif defined(CASE_NAMED_WRITE)
  auto&& z = x[3];
  z = 5.0;
#elif defined(CASE_CONST)
  std::as_const(x)[3] = 5.0;
#elif defined(CASE_TEMPORARY)
  auto v = armilla::views::take(armilla::vector<double>(10), 3);
#elif defined(CASE_FILTER_IN_ZIP)
  auto v = armilla::views::zip(x, armilla::views::filter(x, [](double) { return true; }));
#elif defined(CASE_FLATTEN_IN_ZIP)
  auto v = armilla::views::zip(x, armilla::views::flatten(armilla::views::chunk(x, 3)));
#elif defined(CASE_FLATTEN_NUMBERS)
  auto v = armilla::views::flatten(x);
#elif defined(CASE_KEYS_OF_NUMBERS)
  auto v = armilla::views::keys(x);
#elif defined(CASE_ELEMENT)
  armilla::vector<int*> y(10);
#elif defined(CASE_BAG_ELEMENT)
  armilla::bag<const char*> y;
#elif defined(CASE_LIST_ELEMENT)
  armilla::list<std::string_view> y;
#elif defined(CASE_MATRIX_ELEMENT)
  struct named {
    int a;
    const char* name;
  };
  armilla::matrix<named> y({2, 2});
#elif defined(CASE_NO_DEFAULT)
  struct point {
    explicit point(int at) : x(at) {}
    int x;
  };
  armilla::array<point> y(10);
#elif defined(CASE_RAW)
  armilla::array<std::string>(10).recover(armilla::world(), armilla::raw);
#elif defined(CASE_EXPOSE)
  armilla::list<int> l;
  armilla::expose("l", l);
#elif defined(CASE_SEND)
  armilla::call(0, [](const armilla::vector<double>& v) { return v.size(); }, x).get();
#elif defined(CASE_SEND_REFERENCE)
  armilla::async(0, [](armilla::vector<double>& v) { v.push_back(1); }, std::ref(x));
#elif defined(CASE_SEND_INSIDE)
  struct job {
    armilla::graph<> roads;
    int number;
  };
  armilla::async(0, [](const job&) {}, job{{}, 1});
#elif defined(CASE_CAPTURE)
  armilla::async(0, [v = std::move(x)] { static_cast<void>(v.size()); });
#elif defined(CASE_FOUR_DIMENSIONS)
  armilla::matrix<double, 4> y({2, 2, 2, 2});
#elif defined(CASE_CYCLIC_WITH_HALO)
  armilla::cyclic_matrix<double> y({20, 20}, {4, 4}, armilla::grid(), armilla::halo(1));
#elif defined(CASE_CYCLIC_EXCHANGE)
  armilla::cyclic_matrix<double>({20, 20}, {4, 4}).exchange();
#elif defined(CASE_CYCLIC_BLOCK)
  armilla::cyclic_matrix<double> y({20, 20}, {4, 4});
  auto v = armilla::views::block(y, {0, 0}, {2, 2});
#elif defined(CASE_CYCLIC_ROWS)
  armilla::cyclic_matrix<double> y({20, 20}, {4, 4});
  armilla::views::rows(y);
#elif defined(CASE_COPY)
  auto y = x;
#endif
}
