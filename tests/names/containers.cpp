// SPDX-License-Identifier: Apache-2.0
// The public names of containers, views and files: each is used in a line that docs.names compiles, by the grammar of
// docs/adr/0014-one-grammar.md. docs.reference reports names that no line uses.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>
#include <armilla/hdf5.hpp>
#include <armilla/json_lines.hpp>

namespace am = armilla;
using namespace std::literals;

namespace names {

template <class T>
void used(const T&) {}

// ---- array, vector ----

void array_vector() {
  am::array<double> a(1000), filled(1000, 2.5), dealt(1000, am::cyclic(8));
  am::vector<double> v(1000), empty(0), temperature(1000, am::named("temperature"));  // the name is for errors
  const double read = a[3];                                                           // as *p of a global_ptr
  a[3] = 1.0;
  am::future<double> later = a.get(3);
  a.set(3, 2.0);                    // a one-way call, in order with the others; complete at the fence
  a.store(3, 2.0);                  // in no order; a direct store where the memory is mapped
  a.update(4, 0.5, std::plus<>{});  // one-way calls that run on the element's rank
  a.visit(5, [](double& e, double by) { e *= by; }, 2.0);
  const double before = a.call(6, [](double& e) { return std::exchange(e, 1.0); }).get();
  used(before);
  const am::global_ptr<double> p = a.ptr(3);
  const am::rank_t owner = a.rank_of(3);
  for (double& e : a.local()) e += 1;
  used(a.index_of_local(0)), used(a.size()), used(a.empty()), used(a.members().size()), used(a.placement().size());
  am::array<double> same_place = a.like(), same_elements = a.clone();
  a.resize(2000);
  a.redistribute(am::blocks());
  am::swap(a, same_place);
  v.push_back(1.0);
  v.append(std::vector<double>{2, 3});
  am::fence();  // now v has them
  v.rebalance();
  v.keep_local(v.local().size() / 2);
  const std::vector<double> all = am::everything(v);
  used(read), used(later.get()), used(p), used(owner), used(all), used(a.state().me);
  am::barrier();
}

// ---- matrix ----

void matrix() {
  am::matrix<double> t({100, 200}, am::grid(), am::halo(1)), u = t.like();
  am::matrix<int, 3> space({10, 10, 10}, am::grid({am::ranks(), 1, 1}),
                           am::halo(2).periodic({true, false, false}).corners(false));
  t(3, 4) = 1.0;  // as *p of a global_ptr
  const double read = t(5, 6);
  const am::global_ptr<double> p = t.ptr({3, 4});
  const am::rank_t owner = t.rank_of({3, 4});
  am::matrix_block<double, 2> mine = t.local();  // of this rank: coordinates begin at its first cell
  mine(0, 0) = mine(-1, 0) + mine(0, -1);        // and reach into the halo
  for (double& e : mine.row(0)) e += 1;
  used(mine.extent(0)), used(mine.origin(0)), used(mine.halo_before(0)), used(mine.halo_behind(1));
  const am::local_span<double, 2> cells = mine.cells();  // without the halo; converts to a std::mdspan in C++23
  static_assert(std::random_access_iterator<am::local_span<double, 1>::iterator>);  // of one dimension
  const am::matrix<double>::point corner = {0, 0};
  used(corner), used(cells(0, 0)), used(cells.extent(0)), used(cells.stride(0)), used(cells.data()), used(cells.size()),
      used(cells.empty());
  t.set_border([](const auto& cell) { return double(cell[0]); });  // beyond the whole matrix: -1 is before the first row
  t.exchange();                                                    // the halo has the neighbors' cells
  am::halo_exchange<am::matrix<double>> under_way = t.begin_exchange();
  under_way.wait();
  used(t.extent(0)), used(t.size()), used(t.members().size()), used(t.blocks(0)), used(t.cell_of(17)), used(t.index_of({3, 4}));
  am::matrix<double> same = t.clone();
  am::swap(t, u);
  const am::halo h = am::halo(2).sides(1, 0, 3);  // in dimension 1: none before a block, 3 behind it
  used(read), used(p), used(owner), used(h.before(0)), used(h.behind(1)), used(h.has_corners()), used(h.is_periodic(0)),
      used(space.size());
  am::barrier();
}

// ---- cyclic_matrix ----

void cyclic_matrix() {
  am::cyclic_matrix<double> a({500, 300}, {64, 64}), b({300, 400}, {64, 32}),
      c({500, 400}, {64, 64}, am::grid());  // block-cyclic
  a(3, 4) = 1.0;
  for (am::cyclic_tile<double>& tile : a.local())  // this rank's tiles
    for (std::size_t i = 0; i < tile.cells.extent(0); ++i) tile(i, 0) += double(tile.origin[0] + i);
  am::for_each(b, [](double& e) { e = 1; });
  am::gemm(a, b, c), am::gemm(2.0, a, b, 1.0, c);
  am::array<double> in(400, 1.0), out(500);
  am::gemv(c, in, out), am::gemv(2.0, c, in, 1.0, out);
  am::cyclic_matrix<double> turned({400, 500}, {16, 16}), same = c.clone(), zeros = c.like();
  am::transpose(c, turned);
  const am::matrix<double> blocks = c.in_blocks(am::grid({am::ranks(), 1}));
  same.take(blocks), zeros.take(same);
  const am::global_ptr<double> at = c.ptr({3, 4});
  used(am::reduce(am::views::row(c, 7)) + am::reduce(am::views::column(c, 3)));
  used(c.extent(0) + c.tile(1) + c.size() + c.index_of({3, 4})), used(c.blocks(0)), used(c.rank_of({3, 4})), used(c.cell_of(17)),
      used(c.members().size());
  const am::cyclic_matrix<double>::handle_type named = c.handle();
  used(at), used(named);
  am::barrier();
}

// ---- sparse_matrix ----

void sparse_matrix() {
  const std::vector<am::matrix_entry<double>> mine = {{std::size_t(am::rank()), 3, 1.5}};  // row, column, value: from 0
  const am::sparse_matrix<double> a(100, 100, mine), b(100, 50, mine, am::world());
  const auto read = [] { return am::read_matrix_market("matrix.mtx"); };
  const auto read_complex = [] { return am::read_matrix_market<am::sparse_matrix<std::complex<double>>>("waves.mtx"); };
  const auto read_array = [] { return am::read_matrix_market<am::matrix<double>>("dense.mtx"); };
  static_assert(am::market_matrix<am::matrix<std::int64_t>>);  // double, float, complex numbers of them, int64_t, int32_t
  am::vector<double> x(a.columns(), a.column_distribution()), y(a.rows(), a.row_distribution());
  am::spmv(a, x, y);
  const am::array<double> diagonal = a.diagonal();
  used(a.non_zeros()), used(a.members().size()), used(b.rows()), used(diagonal.size()), used(read), used(read_complex),
      used(read_array);
  am::barrier();
}

// ---- bitmap ----

void bitmap() {
  am::bitmap seen(1000), again = seen.clone();
  seen.set(17), seen.reset(18), seen.flip(19);
  const bool was = seen.test_and_set(20), is = seen.test(17);
  am::fence();
  seen.or_with(again), seen.and_with(seen), again.xor_with(seen);
  seen.for_each_set([](std::size_t i) { used(i); });
  used(was), used(is), used(seen.count()), used(seen.size()), used(seen.rank_of(5)), used(seen.local().size()),
      used(seen.first_local());
  seen.clear();
}

// ---- disjoint_set ----

void disjoint_set() {
  am::disjoint_set sets(1000);
  sets.unite(3, 4);
  const bool were_one = sets.test_and_unite(5, 6).get();  // false: this call joined them
  am::fence();
  const std::size_t least = sets.find(4).get();
  const bool together = sets.same(3, 4).get();
  used(least), used(together), used(were_one), used(sets.num_sets());
  sets.compress();
  used(sets.local().size()), used(sets.first_local()), used(sets.size()), used(sets.members().size());
  sets.clear();  // each number is a set of its own again
}

// ---- keyed_disjoint_set ----

void keyed_disjoint_set() {
  am::keyed_disjoint_set<std::string> people, others(am::world());
  people.insert("A. Turing");                // a set of its own
  people.unite("A. Turing", "Alan Turing");  // adds keys that are new
  const bool were_one = people.test_and_unite("a", "b").get();
  am::fence();
  const std::string name = people.find("Alan Turing").get();  // the same for all keys of a set
  const bool together = people.same("A. Turing", "Alan Turing").get();
  people.compress();
  for (const auto& [key, set] : people.local()) used(key == set);
  const am::keyed_disjoint_set<std::string>::handle_type h = people.handle();
  used(name), used(together), used(were_one), used(people.num_sets() + people.size() + others.size()), used(h);
}

// ---- Distributions ----

void distributions() {
  const am::team half = am::world().split(am::rank() % 2);
  const am::array<int> x(100, am::on(half, am::cyclic(4)));
  const std::vector<am::distribution> all = {am::blocks(),   am::cyclic(),
                                             am::cyclic(16), am::on(half),
                                             am::like(x),    am::blocks(std::vector<std::size_t>(std::size_t(am::ranks()), 25))};
  const am::placement where(100, 4, am::cyclic(8));  // 100 elements, 4 members
  const auto [member, place] = where.locate(17);
  const am::placement::position at = where.locate(3);
  const am::placement::run run = where.run_at(17);
  used(all.front().members().size()), used(member), used(place), used(at.member), used(at.place), used(run.end);
  used(where.member_of(17)), used(where.place_of(17)), used(where.index_of(2, 5)), used(where.count(3)), used(where.members());
  used(where.linear()), used(where.next_on(2, 50)), used(where.resized(200).size()), used(where.over(2).size()),
      used(where == x.placement());
  const am::distribution again = am::as_in(half, x.placement());
  used(am::array<int>(100, again).size());
}

// ---- Views ----

void views() {
  am::vector<double> x(1000), y(1000);
  const auto even = x | am::views::stride(2);
  const auto middle = am::views::slice(x, 10, 990), first = am::views::take(x, 10), rest = am::views::drop(x, 10);
  const auto last = am::views::take(x | am::views::reverse(), 10);
  const auto squares = am::views::transform(x, [](double e) { return e * e; });
  const auto positive = am::views::filter(x, [](double e) { return e > 0; });
  const auto pairs = am::views::zip(std::as_const(x), y);
  const auto numbered = am::views::enumerate(x);
  const auto ratios = am::views::zip_transform(std::divides<>{}, x, y);
  const auto whole = am::views::all(x);
  const auto rows = x | am::views::chunk(10);     // std::span<double>'s
  const auto all_rows = x | am::views::slide(3);  // std::span<const double>'s
  const auto again = rows | am::views::flatten();
  const auto firsts = am::views::keys(pairs);
  const auto seconds = am::views::values(pairs);
  am::for_each(rows, [](std::span<double> row) { std::ranges::sort(row); });
  used(rows.size() + all_rows.size()), used(am::reduce(again) + am::reduce(firsts) + am::reduce(seconds));
  used(am::reduce(squares) + am::reduce(positive) + am::reduce(am::views::iota(1.0, 10)));
  used(even.size() + middle.size() + first.size() + rest.size() + last.size() + pairs.size() + ratios.size() + numbered.size() +
       whole.size());
  used(am::reduce(am::views::slice(1, 5)(x)) + am::reduce(x | am::views::slice(1, 5) | am::views::take(3) | am::views::drop(1)));
  static_assert(am::distributed_range<decltype(pairs)> &&
                std::is_same_v<am::views::all_t<am::vector<double>&>::value_type, double>);
  static_assert(!std::is_same_v<am::segment<am::views::all_t<am::vector<double>&>>, void> && am::npos > 1000);
  for (const auto& s : am::segments(x))  // runs in the order of their indices
    if (s.mapped() && s.rank() == am::rank()) used(s.local().size() + s.offset() + s.size());
  am::barrier();
}

void views_2() {
  am::matrix<double> m({100, 60}), by_rows({100, 60}, am::grid({am::ranks(), 1})),
      by_columns({100, 60}, am::grid({1, am::ranks()}));
  am::sort(am::views::column(m, 3));
  used(am::reduce(am::views::row(m, 7)) + am::reduce(m | am::views::column(2)) + am::reduce(m | am::views::row(2)));
  am::for_each(am::views::block(m, {10, 10}, {20, 30}), [](double& e) { e += 1; });
  am::for_each(am::views::rows(by_rows), [](auto row) { std::ranges::sort(row); });
  am::for_each(by_columns | am::views::columns(), [](auto column) { column[0] = 1; });
  am::for_each(am::views::tiles(m, {16, 16}), [](auto tile) { tile(0, 0) = 1; });
  am::array<double> sums(100);
  am::transform(by_rows | am::views::rows(), sums, [](auto row) { return std::accumulate(row.begin(), row.end(), 0.0); });
  am::barrier();
}

// ---- Hash containers ----

void hash_containers() {
  am::unordered_map<std::string, long> count(am::hash_options{.combine = 1024});
  am::unordered_map<std::string, long, am::hash> as_it_is(am::hash_options{.combine = am::hash_options::fitting});
  am::unordered_set<long> seen;
  am::counting_set<std::string> often;
  const am::exposure shown = am::expose("count", count);  // to attached clients
  count.update("word", 1, std::plus<>{});
  count.update_range(std::vector<std::pair<std::string, long>>{{"word", 2}}, std::plus<>{});
  count.try_emplace("third", 1);                                                         // with the arguments of the value
  count.visit("third", [](const std::string& key, long& n) { n += long(key.size()); });  // or without the key
  count.insert_or_visit("fourth", 1, [](long& n) { ++n; });                              // inserts it with 1, or visits it
  count.insert_and_visit("fourth", 0, [](long& n, long more) { n += more; }, 5);         // visits it in any case
  seen.insert(7);
  often.insert("word");
  const bool was_there = seen.test_and_insert(8).get();  // false for the one caller that inserted it
  const bool had_word = count.test_and_insert("first", 1).get();
  am::unordered_map<std::string, double> price(am::default_value(-1.0));  // what get gives for a missing key; else Value()
  const double none_of_it = price.get("gold").get();                      // -1; find would give an empty optional
  const long* const here = count.find_local("word");                      // null if another rank stores it
  am::unordered_multimap<std::string, long> lines;
  am::unordered_multiset<long> bag;
  lines.insert("word", 17);
  bag.insert(7, 3);
  often.insert_range(std::vector<std::string>{"a", "b"});
  am::fence();
  const std::vector<std::string> asked = {"word", "none"};
  const std::vector<std::optional<long>> answers = count.find_range(asked);
  as_it_is.clear();  // collective: a fence, and nothing is left
  used(as_it_is.size()), used(count.size() + seen.size() + answers.size() + lines.size() + bag.size()), used(was_there),
      used(had_word), used(here), used(none_of_it);
  am::barrier();
}

// ---- Files ----

void files() {
  const std::string path = "text.txt";
  const am::file_options how{.members = am::world()};      // what the braces name
  const am::file_range lines = am::read_lines(path, how);  // the file exists, or this throws; lines are read by the loop
  for (std::string_view line : lines.local()) used(line);  // one pass: a file_range::pass
  static_assert(std::input_iterator<decltype(lines)::pass::iterator>);
  used(lines.skipped());  // bad lines of this rank, where a reader skips them
  for (std::string_view line : am::read_lines(path).local()) used(line);
  for (std::string_view word : am::read_words(path, {.members = am::world()}).local()) used(word);
  for (const std::vector<std::string_view>& fields : am::read_csv(path).local()) used(fields);
  for (const auto& [name, price] :
       am::read_csv<std::string, double>(path, {.skip_bad = true, .header = true, .separator = ';'}).local())
    used(price);
  for (const auto& [name, price] : am::read_csv<std::string, std::optional<int>>(path, {.quote = 0, .skip_space = true}).local())
    used(price);
  struct sale {
    std::string town;
    std::optional<double> price;
    std::chrono::sys_days day;
  };
  for (const sale& s : am::read_csv<sale>(path, {.header = true}).local()) used(s.price.value_or(0));  // by the members' names
  for (const sale& s :
       am::read_csv<sale>(
           path, {.separator = ';', .comment = '#', .decimal = ',', .columns = {"Ort", "Preis", "Tag"}, .missing = {"NA"}})
           .local())
    used(s.price.value_or(0));
  for (const am::edge e : am::read_edges(path).local()) used(e.from + e.to);
  for (const am::weighted_edge<double> e : am::read_edges<double>(path).local()) used(e.weight);
  const am::binary_range<float> stored = am::read_binary<float>(path);
  used(stored.local().size() + stored.size() + stored.offset());
  const am::binary_elements<float> held = am::read_binary<float>(path).local();  // a span that holds its memory
  am::write_lines("out.txt", std::vector<std::string>{"one", "two"});            // what each rank has
  am::write_words("out.txt", std::vector<std::string>{"one", "two"});            // in lines of about 80 characters
  am::write_binary("out", stored.local());
  am::vector<float> x(100, 1.0F);
  am::write_binary("out", x);  // all of a container or view, in the order of its indices
  am::write_lines("out.txt", x | am::views::transform([](float e) { return std::to_string(e); }));
  const am::array<std::tuple<std::string, int>> records(10);
  am::write_csv("out.csv", records, ';');                            // aggregates, tuples, pairs and arrays of fields
  am::write_csv("out.csv", records, {.columns = {"name", "n"}});     // with a header; one of aggregates: {.header = true}
  am::write_csv("out.csv", std::vector<sale>(2), {.header = true});  // what each rank has
  am::write_lines("out.txt", "# a header", std::vector<std::string>{"one", "two"});
  const am::array<am::edge> edges(10);
  am::write_edges("edges.txt", edges);
  const am::sparse_matrix<double> small(2, 2, {{0, 0, 1.0}, {1, 1, 2.0}});
  am::write_matrix_market("matrix.mtx", small);
  am::write_matrix_market("dense.mtx", am::matrix<double>({3, 4}));        // an array, column by column
  auto numbers = am::read_npy<am::vector<double>>("x.npy", am::cyclic());  // an array or vector, of a file of numpy.save
  am::write_npy("y.npy", numbers);
  am::write_npy("m.npy", am::read_npy<am::matrix<float>>("m.npy", am::grid(), am::halo(1)));
  am::write_npz("run.npz", am::npz_array("x", numbers), am::npz_array("m", am::matrix<float>({3, 4})));
  const am::npz_array named("x", numbers);  // a container and its name
  am::write_npz_compressed("small.npz", named), used(named.name), used(named.values->size());
  used(am::read_npz<am::vector<double>>("run.npz", "x", am::cyclic()).size());
  used(am::read_npz<am::matrix<float>>("run.npz", "m", am::grid(), am::halo(1)).size());
  small.for_each_entry(
      [](std::size_t row, std::size_t column, double value) { used(row + column), used(value); });  // of this rank's rows
  used(held.size());
}

void files_2() {
  struct town {
    std::string name;
    std::optional<double> area;
    std::vector<int> districts;
  };
  for (const town& t : am::read_json_lines<town>("towns.jsonl").local()) used(t.name);  // by the names of the members
  for (const auto& [x, y] : am::read_json_lines<std::pair<int, int>>("pairs.jsonl", {.skip_bad = true}).local()) used(x + y);
  am::write_json_lines("towns.jsonl", std::vector<town>(3));  // the elements of each rank
  const am::array<double> all(100);
  am::write_json_lines("all.jsonl.gz", all);  // in the order of the indices
  am::write_json_lines("named.jsonl", std::vector<town>(3), {.columns = {"town name", "km2", "districts"}});
}

void files_3() {
  const am::array<std::int64_t> ids(1000);
  const am::matrix<double> field({30, 40});
  const am::dataset of_ids("group/ids", ids);  // a container and its name; groups stand before it
  am::write_hdf5("run.h5", of_ids, am::dataset("field", field));
  const auto back = am::read_hdf5<am::vector<std::int64_t>>("run.h5", "group/ids");
  const auto cells = am::read_hdf5<am::matrix<double>>("run.h5", "field", am::world());
  am::write_hdf5("marked.h5", am::dataset("field", field).with("unit", "K").with("step", 17));
  const auto unit = am::read_hdf5_attribute<std::string>("marked.h5", "field", "unit");
  struct particle {
    std::array<double, 3> place;
    std::string name;
    bool fixed;
  };
  am::write_hdf5("particles.h5", am::dataset("all", am::array<particle>(10)), am::dataset("names", am::array<std::string>(10)));
  used(am::read_hdf5<am::array<particle>>("particles.h5", "all").size());  // a compound, by the members' names
  used(back.size()), used(cells.size()), used(of_ids.name), used(of_ids.values->size()), used(of_ids.attributes.size()),
      used(unit);
}

void files_4() {
  am::array<double> numbers(1000);
  am::unordered_map<std::string, long> by_name;
  am::matrix<float> image({100, 100});
  numbers.save("numbers"), by_name.save("by_name"), image.save("image");
  numbers.load("numbers"), by_name.load("by_name"), image.load("image");
  am::bag<double> same;
  same.load("numbers");
  am::list<double> in_order;
  in_order.load("numbers"), in_order.save("numbers");
  am::map<int, long> sorted;
  sorted.save("sorted"), sorted.load("sorted");
  am::queue<double> waiting;
  waiting.load("numbers"), waiting.save("numbers");
  am::work_queue<double> open;
  open.load("numbers"), open.save("numbers");
  am::bitmap bits(100);
  bits.save("bits"), bits.load("bits");
  am::disjoint_set sets(100);
  sets.save("sets"), sets.load("sets");
  am::cyclic_matrix<float> tiles({100, 100}, {8, 8});
  tiles.save("tiles"), tiles.load("image");  // the file of a matrix
  am::keyed_disjoint_set<std::string> by_key;
  by_key.save("by_key"), by_key.load("by_key");
  am::sparse_matrix<double> few;
  few.save("few"), few.load("few");
  am::graph<> none;
  none.save("none"), none.load("none");
}

// ---- Containers that outlive ranks ----

void containers_that_outlive_ranks() {
  am::array<double> x(1000);
  am::matrix<float> image({100, 100});
  am::unordered_map<std::string, long> count;
  x.keep(1), image.keep(1), count.keep(2);  // copies on the next rank, the next two
  x.checkpoint(), image.checkpoint(7), count.checkpoint(7);
  const auto go_on = [&](const am::team& t) {  // what survivors() gave
    am::recovered<am::array<double>> back = x.recover(t);
    const std::vector<am::index_range> gone = back.gone;
    x = std::move(back.container);
    auto image_back = image.recover(t);
    const std::vector<am::cell_range<2>> blocks = image_back.gone;
    const std::vector<am::rank_t> parts = count.recover(t).gone;
    const am::raw_t as_it_is = am::raw;  // without a checkpoint
    auto now = x.recover(t, as_it_is);
    used(gone.size() + blocks.size() + parts.size() + now.mark + image_back.mark);
  };
  used(sizeof go_on);
}

void containers_that_outlive_ranks_2() {
  static_assert(am::rebalanced_container<am::vector<double>>);
  const auto go_over = [](const am::team& more, am::vector<double>& mine, bool has_it) {
    if (has_it)
      mine = am::rebalance(more, std::move(mine));
    else
      mine = am::rebalance<am::vector<double>>(more);  // a rank that has come
  };
  const auto go_back = [](const am::team& fewer, am::vector<double>& mine) {
    mine = am::shrink(fewer, std::move(mine));  // on ranks that leave: the empty team
  };
  used(sizeof go_over + sizeof go_back);
}

// ---- map, set ----

void map_set() {
  const am::ordered_options usual;  // what the braces name
  used(usual.gather);
  am::map<std::string, long> price({.gather = 4096, .uneven = 2}), of_half(am::world().split(am::rank() % 2));
  am::set<long, std::greater<>> falling;                                     // another order
  price.rebalance_like(std::vector<std::string>{"anchor", "buoy", "sail"});  // such keys are to come: all ranks call it
  price.insert_or_assign("anchor", 40);                                      // one-way calls, as in unordered_map
  price.update("anchor", 2, std::plus<>{});
  falling.insert(7);
  am::fence();
  const auto found = price.find("anchor").get();  // calls
  const std::optional<std::pair<std::string, long>> first = price.lower_bound("b").get(), behind = price.upper_bound("b").get();
  const std::vector<std::pair<std::string, long>> some = price.between("a", "c");  // from a on, below c
  for (const auto& [name, p] : price.local()) used(p);                             // of this rank, in order
  used(price.position());                                                          // elements of all in front of this rank's
  const am::map<std::string, long>::handle_type name = price.handle();
  am::async(0, [](am::map<std::string, long>::handle_type h) { h->erase("anchor"); }, name);
  price.rebalance();  // a fence, and each rank has as many: all ranks call it
  used(found), used(first), used(behind), used(some), used(price.rank_of("sail")), used(price.size() + of_half.size());
  const am::set<long, std::greater<>>::element one = falling.lower_bound(100).get().value_or(0);
  used(one), used(price.empty()), used(price.members().size());
  am::barrier();
}

// ---- list ----

void list() {
  am::list<std::string> lines, more(am::world());
  const am::list_place mine = lines.push_local("mine");  // behind this rank's elements
  lines.push_back("last");                               // one-way: after all others
  const am::list_place before = lines.insert(mine, "in front").get();
  lines.set(before, "changed");
  const std::optional<std::string> text = lines.get(before).get();
  lines.erase(mine);
  am::fence();
  lines.splice(more);  // all of `more`, rank by rank
  lines.for_each_in_order([](std::string& s) { used(s); });
  lines.for_each_in_order([](const std::string& s, am::list_place p) { used(s), used(p.rank), used(p.slot + p.age); });
  for (std::string& s : lines.local()) s += "!";  // this rank's, to be walked in both directions
  lines.clear_local();                            // removes this rank's
  more.clear();                                   // all ranks': collective, and a fence
  used(text), used(lines.size()), used(lines.empty()), used(lines.local_size()), used(lines.members().size());
  am::barrier();
}

// ---- bag ----

void bag() {
  am::bag<int> found, of_some(am::on(am::world()));
  found.push(am::rank());
  found.push(5, am::ranks() - 1);  // on that rank; one-way
  found.push_range(std::vector<int>{1, 2, 3});
  found.rebalance();                            // a fence, too
  am::for_each(found, [](int& e) { e += 1; });  // a distributed range, as a vector
  for (int e : found.local()) used(e);
  used(found.size()), used(found.empty()), used(found.members().size()), used(found.placement().size());
  found.clear();
  am::barrier();
}

// ---- work_queue ----

void work_queue() {
  am::work_queue<long> open, of_some(am::world());
  if (am::rank() == 0) open.push(20);
  const am::work_share mine = open.process([&](long n) {  // all ranks, until no item is left
    for (long part = n / 2; part > 0; part /= 2) open.push(part);
  });
  used(mine.items), used(mine.steals);  // run here; how often this rank got some of another's
  const am::work_queue<long>::handle_type name = open.handle();
  am::async(0, [](am::work_queue<long>::handle_type h, long n) { h->push(n); }, name, 7L);
  am::fence();
  used(open.size()), used(open.empty()), used(open.local_size()), used(open.members().size());
  open.clear_local();  // this rank's; open.clear() all ranks'
  am::barrier();
}

// ---- queue, priority_queue ----

void queue_priority_queue() {
  am::queue<std::string> jobs(0), of_some(am::world(), 0);  // on rank 0
  am::priority_queue<int, std::greater<>> smallest;
  jobs.push("first");  // one-way calls
  jobs.push_range(std::vector<std::string>{"second", "third"});
  smallest.push(7);
  am::fence();
  const std::optional<std::string> job = jobs.pop().get();  // calls
  const std::vector<std::string> some = jobs.pop_some(10).get();
  const std::size_t left = jobs.count().get();
  used(jobs.size()), used(jobs.empty());  // at the last fence
  const am::queue<std::string>::handle_type name = jobs.handle();
  am::async(0, [](am::queue<std::string>::handle_type h) { h->push("fourth"); }, name);
  used(job), used(some), used(left), used(jobs.owner()), used(of_some.members().size()), used(smallest.pop().get());
  am::fence();
}

// ---- remote_channel ----

void remote_channel() {
  am::remote_channel<std::string> lines(0, 64), of_some(am::world(), 0, 64, {am::ranks() - 1});  // rank 0 receives; who sends
  if (am::rank() != 0) {
    lines.push("waits while 64 of this rank are not popped");
    const bool had_room = lines.try_push("or fails"), cancelled = lines.cancelled();
    am::future<bool> sent = lines.push_async("or is a future");
    const std::size_t pushed = lines.push_range(std::vector<std::string>(100));
    used(had_room), used(cancelled), used(sent.get()), used(pushed), used(lines.room());
    lines.close();  // this rank pushes nothing more
  } else {
    const std::optional<std::string> first = lines.pop(), next = lines.try_pop();
    const std::vector<std::string> some = lines.pop_some(10);
    am::future<std::optional<std::string>> later = lines.pop_async();
    used(first), used(next), used(some), used(later.get()), used(lines.size());
    while (std::optional<std::string> line = lines.pop()) used(*line);  // nothing once all have closed
    used(lines.over());
    of_some.cancel();  // or: nothing more is taken, and pushes return false
  }
  const am::remote_channel<std::string>::handle_type name = lines.handle();  // for called functions: h->push(...)
  used(name), used(lines.receiver()), used(lines.capacity()), used(lines.members().size());
  am::fence();
}

// ---- Handles ----

void handles() {
  am::array<int> numbered(100);
  am::list<std::string> notes;
  const am::array<int>::handle_type name = numbered.handle();
  const auto body = [](am::array<int>::handle_type h, am::list<std::string>::handle_type l, std::size_t i) {
    if (!h->local().empty()) h->local()[0] += 1;  // the part of the rank that runs it
    h->set(i, 7);                                 // any element
    l->push_local("seen");
  };
  am::async((am::rank() + 1) % am::ranks(), body, name, notes.handle(), 42);
  am::fence();                                     // both live until here
  const am::container_handle<am::bitmap> unnamed;  // a type of its own: am::bitmap::handle_type
  used(unnamed);
  am::barrier();
}

}  // namespace names
