# SPDX-License-Identifier: Apache-2.0
"""What CC++ takes more than Split-C, by component: the shares of the gap, as the MRPC paper has them."""
import json

LEAST = 0.05  # of the time in Split-C; less is no gap
# The paper's shares, section 6, by experiment: of the gap, in its words.
PAPER = {
    "em3d": {"threads": "25–50 %", "management": "10–15 %", "synchronisation": "19 % (ghost)", "runtime": "over 50 %"},
    "water": {"threads": "25–50 %", "management": "10–15 %", "synchronisation": "14 % (atomic)", "runtime": "over 50 %"},
    "lu": {"threads": "25–50 %", "management": "10–15 %", "synchronisation": "32 %", "runtime": "over 50 %"},
}


def sibling(version):
    """The version in Split-C of one in CC++."""
    return version[:-len("ccpp")] + "splitc" if version.split("/")[-1] == "ccpp" else None


def rows_of(program, entry):
    """A row for each pair by messages; shares are None where CC++ takes hardly more time, or less."""
    if program not in PAPER:
        return []
    records = {(r["version"], json.dumps(r["size"], sort_keys=True)): r for r in entry.get("components", []) if r["command"] == "messages"}
    rows = []
    for (version, size), ccpp in records.items():
        splitc = records.get((sibling(version), size))
        if splitc is None or not splitc["components"].get("wall", 0) > 0:
            continue
        more = {name: ccpp["components"].get(name, 0) - value for name, value in splitc["components"].items()}
        gap = more["wall"]
        row = {"version": version, "size": ccpp["size"], "gap": 100 * gap / splitc["components"]["wall"], "shares": None}
        if gap > LEAST * splitc["components"]["wall"]:
            part = {name: 100 * value / gap for name, value in more.items()}
            management, synchronisation = part.get("thread_mgmt", 0), part.get("thread_sync", 0)
            row["shares"] = [management + synchronisation, management, synchronisation, part.get("runtime", 0), part.get("net", 0), part.get("cpu", 0)]
        rows.append(row)
    return rows
