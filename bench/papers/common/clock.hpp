// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace papers {

/// Seconds since some moment, by the clock that samples are taken with: the processor's, which all
/// processes of a host share (MPI's begins with each). A program that is built for the
/// simulated cluster has the simulator's in its place (bench/scale).
double seconds_now();

}  // namespace papers
