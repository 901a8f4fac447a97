// SPDX-License-Identifier: Apache-2.0
// The other program of master.cpp.
#include <armilla/armilla.hpp>
namespace am = armilla;

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    const auto squares = am::broadcast_value(am::global_ptr<long>(), 0);
    squares[am::rank()] = long(am::rank()) * am::rank();
    am::barrier();
  });
}
