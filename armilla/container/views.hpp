// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Views: a range that computes its elements from those of others when they are looked at. Nothing is copied; a view names its
/// containers and must not outlive them. Each takes a range as its first argument, or stands behind one:
///
///     double s = am::reduce(x | am::views::drop(1) | am::views::transform(square));
#include "armilla/container/index_views.hpp"
#include "armilla/container/mapped_views.hpp"
#include "armilla/container/part_views.hpp"
#include "armilla/container/row_views.hpp"
#include "armilla/container/zip_view.hpp"
