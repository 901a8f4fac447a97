# SPDX-License-Identifier: Apache-2.0
"""The result as mutants.json and mutants.md."""
import json
import os


def is_caught(mutant):
    return any(s["result"] == "caught" for s in mutant["suites"].values())


def was_caught(mutant):
    return any(s["result"] == "caught" for s in mutant.get("before_now", {}).values())


def survives(mutant):
    return not is_caught(mutant) and any(s["result"] in ("survives", "not reached") for s in mutant["suites"].values())


def in_words(found):
    if found is None:
        return ""
    if found["result"] == "caught":
        return f"`{found['by']}` ({found['how']})"
    text = found["result"] + (f", {found['ran']} of {found['reached_by']} tests" if found.get("reached_by") else "")
    return f"**{text}**"


def code(text):
    return "`" + text.strip().replace("|", "\\|") + "`"


def change(mutant):
    """Only what differs, with a little around it, would be hard to find: the whole lines."""
    if mutant["mutated"].strip().startswith("/*"):
        return "deleted: " + code(mutant["original"])
    return code(mutant["original"]) + " → " + code(mutant["mutated"])


def table(result):
    suites = list(result["suites"])
    rows = ["| # | layer | where | change | " + " | ".join(suites) + " | judged |", "|---|---|---|---|" + "---|" * len(suites) + "---|"]
    for m in result["mutants"]:
        found = " | ".join(in_words(m["suites"].get(s)) for s in suites)
        rows.append(f"| {m['number']} | {m['layer']} | {m['file']}:{m['line']} | {change(m)} | {found} | {m.get('judged', '')} |")
    caught, left = [m for m in result["mutants"] if is_caught(m)], [m for m in result["mutants"] if survives(m)]
    lines = [f"{len(result['mutants'])} mutants, {len(caught)} caught, {len(left)} survive.", ""]
    for name, suite in result["suites"].items():
        lines.append(f"- {name}: `{suite['options']}`, {suite['tests']} tests, {suite['seconds']} s one after the other; "
                     f"{len(suite['fail_without'])} fail without a mutant: {', '.join(n for n, _ in suite['fail_without']) or 'none'}")
    lines += [f"- can not be placed: {m['number']} {m['file']}:{m['line']} {code(m['original'])}" for m in result["lost"]]
    return "\n".join([*lines, "", *rows, "", *differences(left)])


def differences(mutants):
    """What survives, as a diff."""
    for m in mutants:
        yield f"{m['number']}: {m['file']}:{m['line']}\n\n```diff"
        yield from ["  " + line for line in m["before"]]
        yield f"- {m['original']}\n+ {'' if m['mutated'].strip().startswith('/*') else m['mutated']}"
        yield from ["  " + line for line in m["after"]]
        yield "```\n"


def write(folder, result):
    os.makedirs(folder, exist_ok=True)
    for name, text in (("mutants.json", json.dumps(result, indent=1)), ("mutants.md", table(result))):
        with open(os.path.join(folder, name + ".new"), "w", encoding="utf-8") as f:
            f.write(text + "\n")
        os.replace(os.path.join(folder, name + ".new"), os.path.join(folder, name))


def verdict(result, least):
    """Prints why the run fails, if it does, and the last line. Returns the exit code."""
    left = [m for m in result["mutants"] if survives(m)]
    caught = sum(is_caught(m) for m in result["mutants"])
    escaped = [m["number"] for m in left if was_caught(m)]
    few = caught < least * (caught + len(left))
    if escaped:
        print(f"caught before, and survive now: {escaped}")
    if few:
        print(f"{caught} of {caught + len(left)} mutants are caught, fewer than {least:.0%}")
    bad = len(left) if few else len(escaped)
    print(f"{caught} passed, {bad} failed")
    return 1 if bad else 0
