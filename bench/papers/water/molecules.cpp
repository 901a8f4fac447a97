// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/water/molecules.hpp"

#include <cstdint>

namespace water {
namespace {

/// The expansion of the potential inside of a molecule: by the bonds' excess lengths a and b, and the angle's excess t, as an
/// arc.
namespace expansion {
constexpr double f11 = 0.512596, f33 = 0.048098, f12 = -0.005823, f13 = 0.016452;
constexpr double f111 = -0.57191 / bond, f333 = -0.007636 / bond, f112 = -0.001867 / bond, f113 = -0.002047 / bond,
                 f123 = -0.03083 / bond, f133 = -0.0094245 / bond;
constexpr double bond2 = bond * bond;
constexpr double f1111 = 0.8431 / bond2, f3333 = -0.00193 / bond2, f1112 = -0.0030 / bond2, f1122 = 0.0036 / bond2,
                 f1113 = -0.012 / bond2, f1123 = 0.0060 / bond2, f1133 = -0.0048 / bond2, f1233 = 0.0211 / bond2,
                 f1333 = 0.006263 / bond2;

double energy(double a, double b, double t) {
  const double s = a + b, p = a * b, q = a * a + b * b, c = a * a * a + b * b * b;
  return (f11 * q + f33 * t * t) / 2 + f12 * p + f13 * s * t + f111 * c + f333 * t * t * t + f112 * s * p + f113 * q * t +
         f123 * p * t + f133 * s * t * t + f1111 * (a * a * a * a + b * b * b * b) + f3333 * t * t * t * t + f1112 * q * p +
         f1122 * p * p + f1113 * c * t + f1123 * s * p * t + f1133 * q * t * t + f1233 * p * t * t + f1333 * s * t * t * t;
}

/// Its derivative by a; by b with a and b exchanged.
double by_length(double a, double b, double t) {
  return f11 * a + f12 * b + f13 * t + 3 * f111 * a * a + f112 * (2 * a + b) * b + 2 * f113 * a * t + f123 * b * t +
         f133 * t * t + 4 * f1111 * a * a * a + f1112 * (3 * a * a + b * b) * b + 2 * f1122 * a * b * b + 3 * f1113 * a * a * t +
         f1123 * (2 * a + b) * b * t + 2 * f1133 * a * t * t + f1233 * b * t * t + f1333 * t * t * t;
}

double by_arc(double a, double b, double t) {
  const double s = a + b, p = a * b, q = a * a + b * b, c = a * a * a + b * b * b;
  return f33 * t + f13 * s + 3 * f333 * t * t + f113 * q + f123 * p + 2 * f133 * s * t + 4 * f3333 * t * t * t + f1113 * c +
         f1123 * s * p + 2 * f1133 * q * t + 2 * f1233 * p * t + 3 * f1333 * s * t * t;
}
}  // namespace expansion

/// The shape of a molecule: from the hydrogens to the oxygen, and what is not as at rest.
struct bonds {
  double u1[3], u2[3], r1, r2, cosine, a, b, t;

  explicit bonds(const triple& m) {
    double q1 = 0, q2 = 0, dot = 0;
    for (int d = 0; d < 3; ++d) {
      const double* p = m.data() + component(d, 0);
      u1[d] = p[oxygen] - p[h1], u2[d] = p[oxygen] - p[h2];
      q1 += u1[d] * u1[d], q2 += u2[d] * u2[d], dot += u1[d] * u2[d];
    }
    r1 = std::sqrt(q1), r2 = std::sqrt(q2);
    cosine = dot / (r1 * r2);
    a = r1 - bond, b = r2 - bond, t = (std::acos(cosine) - angle) * bond;
  }
};

triple force_inside(const triple& m) {
  const bonds x(m);
  const double along1 = expansion::by_length(x.a, x.b, x.t) / x.r1, along2 = expansion::by_length(x.b, x.a, x.t) / x.r2;
  const double turn = -expansion::by_arc(x.a, x.b, x.t) * bond / std::sqrt(1 - x.cosine * x.cosine);  // by the cosine
  triple f;
  for (int d = 0; d < 3; ++d) {
    const double on1 = along1 * x.u1[d] + turn * (x.u2[d] / (x.r1 * x.r2) - x.cosine * x.u1[d] / (x.r1 * x.r1));
    const double on2 = along2 * x.u2[d] + turn * (x.u1[d] / (x.r1 * x.r2) - x.cosine * x.u2[d] / (x.r2 * x.r2));
    f[std::size_t(component(d, h1))] = on1;
    f[std::size_t(component(d, h2))] = on2;
    f[std::size_t(component(d, oxygen))] = -on1 - on2;
  }
  return f;
}

/// Random numbers, -4 to 4.
class splitmix64 {
 public:
  double operator()() noexcept {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return -4 + 8 * (double((z ^ (z >> 31)) >> 11) * 0x1p-53);
  }

 private:
  std::uint64_t state_ = 1997;
};

/// Molecule `m` of a cubic lattice, the last direction first.
triple on_lattice(const box& x, int m) {
  const double edge = std::cbrt(x.molecules);
  const int whole = int(std::lround(edge));
  const double distance = x.length / (edge - 1e-5);  // the reference energies are those of a lattice that is so much wider
  const double along = bond * std::cos(angle / 2), across = bond * std::sin(angle / 2);
  const double at[3] = {(m / (whole * whole) + 0.5) * distance, (m / whole % whole + 0.5) * distance,
                        (m % whole + 0.5) * distance};
  const double offset[3][atoms] = {{along, 0, along}, {across, 0, -across}, {0, 0, 0}};
  triple t;
  for (int d = 0; d < 3; ++d)
    for (int a = 0; a < atoms; ++a) t[std::size_t(component(d, a))] = at[d] + offset[d][a];
  return t;
}

/// Speeds times the time step: random momenta without a sum, and in each direction the energy of 298 K.
std::vector<triple> first_speeds(const box& x) {
  std::vector<triple> v(std::size_t(x.molecules));
  splitmix64 next;
  for (triple& m : v)
    for (int a = 0; a < atoms; ++a)
      for (int d = 0; d < 3; ++d) m[std::size_t(component(d, a))] = next();
  for (int d = 0; d < 3; ++d) {
    double sum = 0, square = 0;
    for (const triple& m : v)
      for (int a = 0; a < atoms; ++a) sum += m[std::size_t(component(d, a))];
    const double mean = sum / (x.molecules * atoms);
    for (triple& m : v)
      for (int a = 0; a < atoms; ++a) {
        double& p = m[std::size_t(component(d, a))];
        p -= mean;
        square += p * p / mass_of(a);
      }
    const double scale = std::sqrt(0.5 / (x.kinetic_unit * square));  // to kT / 2 for each atom
    for (triple& m : v)
      for (int a = 0; a < atoms; ++a) m[std::size_t(component(d, a))] *= scale / mass_of(a);
  }
  return v;
}

}  // namespace

molecules::molecules(const box& x, int first, int count) : box_(x), first_(first), force_(std::size_t(count)) {
  for (std::vector<triple>& d : derivative_) d.resize(std::size_t(count));
  const std::vector<triple> speeds = first_speeds(x);
  for (int i = 0; i < count; ++i) {
    derivative_[0][std::size_t(i)] = on_lattice(x, first + i);
    derivative_[1][std::size_t(i)] = speeds[std::size_t(first + i)];
  }
}

void molecules::predict() {
  for (std::size_t i = 0; i < force_.size(); ++i)
    for (int pass = 0; pass < order; ++pass)  // Taylor's series, by Pascal's triangle
      for (int n = order - 1; n >= pass; --n)
        for (std::size_t c = 0; c < force_[i].size(); ++c)
          derivative_[std::size_t(n)][i][c] += derivative_[std::size_t(n) + 1][i][c];
  for (std::size_t i = 0; i < force_.size(); ++i) force_[i] = force_inside(derivative_[0][i]);
}

double molecules::acceleration_of(int c, double force) const noexcept {
  return force * box_.time_step * box_.time_step / 2 / mass_of(c % atoms);
}

void molecules::correct() {
  constexpr double gear[order + 1] = {863.0 / 6048, 665.0 / 1008, 1, 25.0 / 36, 35.0 / 144, 1.0 / 24, 1.0 / 360};
  for (std::size_t i = 0; i < force_.size(); ++i)
    for (std::size_t c = 0; c < force_[i].size(); ++c) {
      const double error = acceleration_of(int(c), force_[i][c]) - derivative_[2][i][c];
      for (std::size_t n = 0; n <= order; ++n) derivative_[n][i][c] += gear[n] * error;
    }
  wrap();
}

void molecules::wrap() {
  for (triple& m : derivative_[0])
    for (int d = 0; d < 3; ++d) {
      double* const p = m.data() + component(d, 0);
      const double shift = p[oxygen] > box_.length ? -box_.length : p[oxygen] < 0 ? box_.length : 0;
      if (shift != 0)
        for (int a = 0; a < atoms; ++a) p[a] += shift;
    }
}

void molecules::set_acceleration() {
  for (std::size_t i = 0; i < force_.size(); ++i)
    for (std::size_t c = 0; c < force_[i].size(); ++c) derivative_[2][i][c] = acceleration_of(int(c), force_[i][c]);
}

energies molecules::own_energies() const {
  energies e;
  for (std::size_t i = 0; i < force_.size(); ++i) {
    for (std::size_t c = 0; c < force_[i].size(); ++c)
      e.kinetic += mass_of(int(c) % atoms) * derivative_[1][i][c] * derivative_[1][i][c] * box_.kinetic_unit;
    const bonds x(derivative_[0][i]);
    e.intra += expansion::energy(x.a, x.b, x.t) * box_.potential_unit;
  }
  return e;
}

}  // namespace water
