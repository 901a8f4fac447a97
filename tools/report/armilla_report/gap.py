# SPDX-License-Identifier: Apache-2.0
"""What calls take more than global pointers, by component: the shares of the gap, as the MRPC paper has them for CC++ and Split-C."""
import json

LEAST = 0.05  # of the time by pointers; less is no gap
# The paper's shares, section 6, by experiment: of the gap, in its words.
PAPER = {
    "em3d": {"threads": "25–50 %", "management": "10–15 %", "synchronisation": "19 % (ghost)", "runtime": "over 50 %"},
    "water": {"threads": "25–50 %", "management": "10–15 %", "synchronisation": "14 % (atomic)", "runtime": "over 50 %"},
    "lu": {"threads": "25–50 %", "management": "10–15 %", "synchronisation": "32 %", "runtime": "over 50 %"},
}


def sibling(version):
    """The version by pointers of one by calls."""
    return version[:-len("calls")] + "pointers" if version.split("/")[-1] == "calls" else None


def rows_of(program, entry):
    """A row for each pair by messages; shares are None where calls take hardly more time, or less."""
    if program not in PAPER:
        return []
    records = {(r["version"], json.dumps(r["size"], sort_keys=True)): r for r in entry.get("components", []) if r["command"] == "messages"}
    rows = []
    for (version, size), calls in records.items():
        pointers = records.get((sibling(version), size))
        if pointers is None or not pointers["components"].get("wall", 0) > 0:
            continue
        more = {name: calls["components"].get(name, 0) - value for name, value in pointers["components"].items()}
        gap = more["wall"]
        row = {"version": version, "size": calls["size"], "gap": 100 * gap / pointers["components"]["wall"], "shares": None}
        if gap > LEAST * pointers["components"]["wall"]:
            part = {name: 100 * value / gap for name, value in more.items()}
            management, synchronisation = part.get("thread_mgmt", 0), part.get("thread_sync", 0)
            row["shares"] = [management + synchronisation, management, synchronisation, part.get("runtime", 0), part.get("net", 0), part.get("cpu", 0)]
        rows.append(row)
    return rows
