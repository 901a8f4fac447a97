// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Everything of Armilla that a program needs.
#include "armilla/base/rank.hpp"
#include "armilla/base/types.hpp"
#include "armilla/session/program.hpp"
#include "armilla/session/run.hpp"
#include "armilla/session/session.hpp"
