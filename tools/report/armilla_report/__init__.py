# SPDX-License-Identifier: Apache-2.0
"""Runs the papers' programs beside their baselines and draws what came out."""
