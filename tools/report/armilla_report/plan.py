# SPDX-License-Identifier: Apache-2.0
"""The plan: programs, sizes, baselines, what is to be reached, and the papers' numbers."""
from . import plan_kernels, plan_messages, plan_micro, plan_npb, plan_programs

ITEMS = (*plan_micro.ITEMS, *plan_programs.ITEMS, *plan_kernels.ITEMS, *plan_messages.ITEMS, *plan_npb.ITEMS)
SHORT = {"calls": "messages and calls", "table3": "micro-benchmarks", "em3d": "EM3D", "water": "Water", "lu": "LU", "message16": "16 bytes",
         "ping": "pings", "inner": "inner product", "cg": "CG", "is": "IS", "cg_counts": "what CG sends"}  # names where there is little room


def chosen(names):
    """The items of these names; all without names."""
    if not names:
        return list(ITEMS)
    unknown = sorted(set(names) - {item.id for item in ITEMS})
    if unknown:
        raise ValueError(f"no program {', '.join(unknown)}; there are: {', '.join(item.id for item in ITEMS)}")
    return [item for item in ITEMS if item.id in names]
