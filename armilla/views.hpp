// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Views: ranges that compute their elements from those of other ranges when they are read.
///
/// Use them to give algorithms a part of a container, pairs of several ranges, or computed values, without a copy.
///
///     double s = am::reduce(x | am::views::drop(1) | am::views::transform(square));
///     double t = am::reduce(am::views::take(x, 10));          // the same form, with the range as an argument
///
/// A view refers to its containers, and must not outlive them. Views compose by `|`. `v[i]` returns a copy of element i, on
/// whichever rank it is (not of `chunk`, `slide` and views without a size); many elements are cheaper by `gather` or an
/// algorithm.
///
/// | view                        | element i                                          | size                                 |
/// |-----------------------------|----------------------------------------------------|--------------------------------------|
/// | `slice(r, first, last)`     | `r[first + i]`                                     | `last - first`                       |
/// | `take(r, n)`, `drop(r, n)`  | the first n; all but the first n                   | at most that of r                    |
/// | `stride(r, k)`              | `r[k * i]`                                         | that of r by k, rounded up           |
/// | `reverse(r)`                | from the last to the first                         | that of r                            |
/// | `transform(r, f)`           | `f(r[i])`                                          | that of r                            |
/// | `filter(r, p)`              | the elements for which p holds                     | none                                 |
/// | `zip(r...)`                 | the tuple of element i of each                     | the least                            |
/// | `zip_transform(f, r...)`    | `f` of element i of each, constant                 | the least                            |
/// | `enumerate(r)`              | `(i, r[i])`                                        | that of r                            |
/// | `chunk(r, n)`               | a span of n elements from `r[n * i]` on            | that of r by n, rounded up           |
/// | `slide(r, n)`               | a span of n constant elements from `r[i]` on       | that of r, less n - 1                |
/// | `flatten(r)`                | the elements of vectors, strings and spans         | none                                 |
/// | `keys(r)`, `values(r)`      | the first member of `r[i]`, constant; the second   | that of r; of a map none             |
/// | `iota(first, n)`            | `first + i`                                        | n                                    |
/// | `all(r)`                    | `r[i]`                                             | that of r                            |
///
/// Searches, folds, `for_each`, `copy` and `everything` take a range without a size; others refuse it at compile time. Algorithms
/// call functions of views on the rank that reads the element. The headers below describe each view; armilla/matrix_views.hpp and
/// armilla/graph_views.hpp have those of matrices and graphs.
#include "armilla/container/views/index_views.hpp"
#include "armilla/container/views/mapped_views.hpp"
#include "armilla/container/views/part_views.hpp"
#include "armilla/container/views/row_views.hpp"
#include "armilla/container/views/zip_view.hpp"
