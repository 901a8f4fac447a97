// SPDX-License-Identifier: Apache-2.0
// A library that statics_test loads while it runs.
extern "C" {
extern int late_variable;
extern const int late_constant;
int late_variable = 5;
extern const int late_constant = 6;
}
