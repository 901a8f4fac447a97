// SPDX-License-Identifier: Apache-2.0
// The main function of a layer's tests of several ranks.
#include "tests/rank_test.hpp"

RANK_TEST_MAIN()
