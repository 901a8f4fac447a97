// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Views: ranges that compute their elements from those of other ranges when they are read.
///
/// Use them to give algorithms a part of a container, pairs of several ranges, or computed values, without a copy.
///
///     double s = am::reduce(x | am::views::drop(1) | am::views::transform(square));
///     double t = am::reduce(am::views::take(x, 10));          // the same form, with the range as an argument
///
/// A view refers to its containers, and must not outlive them. Views compose by `|`. docs/reference/containers.md has a table of
/// all.
#include "armilla/container/views/index_views.hpp"
#include "armilla/container/views/mapped_views.hpp"
#include "armilla/container/views/part_views.hpp"
#include "armilla/container/views/row_views.hpp"
#include "armilla/container/views/zip_view.hpp"
