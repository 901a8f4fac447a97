// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

#include "bench/papers/npb/cg_problem.hpp"

/// What a rank of CG does alone: the same for every way of communicating.
namespace npb {

/// out = a x, where x is the whole vector and out has an element for each of the rows.
void multiply(const sparse_rows& a, const double* x, std::span<double> out);

/// The scalar product of what this rank has of two vectors.
double dot(std::span<const double> a, std::span<const double> b);

/// z += alpha p, r -= alpha q; returns r r.
double advance(double alpha, std::span<const double> p, std::span<const double> q, std::span<double> z, std::span<double> r);

/// p = r + beta p.
void turn(double beta, std::span<const double> r, std::span<double> p);

/// |x - y|^2.
double distance(std::span<const double> x, std::span<const double> y);

/// x = factor z.
void scale(double factor, std::span<const double> z, std::span<double> x);

}  // namespace npb
