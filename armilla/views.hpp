// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Views: a range that computes its elements from those of others when they are looked at. Nothing is copied; a view names its
/// containers and must not outlive them. Each takes a range as its first argument, or stands behind one:
///
///     double s = am::reduce(x | am::views::drop(1) | am::views::transform(square));
#include "armilla/container/views/index_views.hpp"
#include "armilla/container/views/mapped_views.hpp"
#include "armilla/container/views/part_views.hpp"
#include "armilla/container/views/row_views.hpp"
#include "armilla/container/views/zip_view.hpp"
