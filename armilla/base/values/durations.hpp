// SPDX-License-Identifier: Apache-2.0
#pragma once
// std::chrono::duration, time_point and their literals. <mutex> declares waits that take them, and is there anyway. The rest of
// <chrono>, calendars and the streams that print them, is dear to compile.
#include <mutex>
