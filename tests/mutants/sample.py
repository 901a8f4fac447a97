# SPDX-License-Identifier: Apache-2.0
"""Which lines are mutated: candidates of universalmutator, and the place of a known mutant in a newer tree."""
import contextlib
import difflib
import io
import os
import re

from schema import difference
from source_text import mask

RULES = ["universal.rules", "c_like.rules", "cpp.rules"]
CONTEXT = 3  # lines before and after that a mutant remembers
SPACED = {"<", ">", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "&&", "||", "&", "|", "+=", "-=", "<<", ">>"}
OPERATOR = "<>=!+-*/%&|^"
STANDARD = {"begin", "end", "min", "max", "if", "any_of", "all_of", "none_of", "front_inserter", "back_inserter", "min_element",
            "max_element"}
WORD = re.compile(r"[A-Za-z_]\w*")


def layers(root):
    """{layer: (its folder and those of its rooms, its headers of armilla/)} of cmake/layers.txt, lowest first."""
    found = {}
    with open(os.path.join(root, "cmake/layers.txt"), encoding="utf-8") as f:
        for indent, name, headers in re.findall(r"^( *)\d+ +(\w+)(?:: *(.*))?$", f.read(), re.MULTILINE):
            layer = next(reversed(found)) if indent else name
            folders, own = found.setdefault(layer, ([], []))
            folders.append(f"armilla/{layer}/{name}" if indent else f"armilla/{layer}")
            own += [f"armilla/{header}.hpp" for header in headers.split()]
    return found


def is_source(name, text):
    return name.endswith((".cpp", ".hpp")) and not re.search(r"_test\.|_testing\.|^test", name) and text != ""


def sources(root, layer):
    """Paths of a layer's sources without its tests, with their text."""
    found = {}
    folders, headers = layers(root)[layer]
    inside = [f"{folder}/{name}" for folder in folders for name in sorted(os.listdir(os.path.join(root, folder)))]
    for path in inside + headers:
        name = os.path.basename(path)
        if os.path.isfile(os.path.join(root, path)):
            with open(os.path.join(root, path), encoding="utf-8") as f:
                text = f.read()
            if is_source(name, text):
                found[path] = text
    return found


def candidates(text):
    """{line: [mutated line, ...]} of what may be worth a compile."""
    from universalmutator import mutator
    masked = mask(text).split("\n")
    with contextlib.redirect_stdout(io.StringIO()):
        all_of_them = mutator.mutants_regexp([line + "\n" for line in text.split("\n")], RULES, ignorePatterns=[],
                                             ignoreStringOnly=True)
    lines, found = text.split("\n"), {}
    for number, mutated, rule, _ in all_of_them:
        original = lines[number - 1]
        if "break;" in rule[0] or "continue;" in rule[0]:
            continue
        if is_plausible(original, masked[number - 1], mutated.rstrip("\n")):
            found.setdefault(number, []).append(mutated.rstrip("\n"))
    return found


def is_plausible(original, masked, mutated):
    """Whether the change is one of code, and not of a type, a template's arguments or a name."""
    if re.match(r"\s*((template|using|typedef|friend|namespace|public|private|protected|static_assert|class|struct|enum)\b|[})\]]*;?$)", masked):
        return False
    if mutated.strip().startswith("/*"):
        return masked.strip().endswith(";") and mutated.strip().endswith("*/")
    start, end, new = difference(original, mutated)
    if original[start:max(end, start + 1)] != masked[start:max(end, start + 1)] and original[start:end].strip() != "":
        return False
    if any(m.start() < max(end, start + 1) and start < m.end() for m in re.finditer(r"\w<[^<>;]*>", masked)):
        return False  # a template's arguments
    if set(WORD.findall(mutated)) - set(WORD.findall(original)) - STANDARD:
        return False
    return is_number(original, start, end) or is_operator(original, start, end, new) or is_other(original[start:end], new)


def is_number(line, start, end):
    """A literal, and no digit of a name or of a longer literal. The difference may be an insertion before or after it."""
    while start > 0 and line[start - 1].isdigit():
        start -= 1
    while end < len(line) and line[end].isdigit():
        end += 1
    if not line[start:end].isdigit():
        return False
    before, after = line[start - 1:start], line[end:end + 1].strip("uU")
    return not re.match(r"[\w.'\"]", before) and not re.match(r"[\w.'\"]", after)


def is_operator(line, start, end, new):
    """An operator as clang-format writes it: with spaces around it where it has two operands."""
    if any(c not in OPERATOR for c in line[start:end] + new):
        return False
    while start > 0 and line[start - 1] in OPERATOR:
        start -= 1
    while end < len(line) and line[end] in OPERATOR:
        end += 1
    run = line[start:end]
    if new == "" and line[:start].rstrip()[-1:] not in "(,={[?:&|<>" and not line[:start].endswith("return "):
        return run == "!"
    if run in SPACED and line[start - 1:start] == " " and line[end:end + 1] == " ":
        return "operator" not in line[:start][-12:] and "template" not in line
    return run in ("!", "++", "--", "-")


def is_other(old, new):
    """Conditions, arguments, calls by another name."""
    return re.search(r"[A-Za-z_(),]", old + new) is not None and re.fullmatch(r"[\d()+-]*", old + new) is None


def context_of(lines, number):
    return {"before": lines[max(0, number - 1 - CONTEXT):number - 1], "after": lines[number:number + CONTEXT]}


def describe(path, text, number, mutated):
    """A mutant as it is stored: enough to find it again."""
    lines = text.split("\n")
    return {"file": path, "line": number, "original": lines[number - 1], "mutated": mutated, **context_of(lines, number)}


def random_candidates(root, layer, random):
    """Without end of those that are left: first a line, then what is done to it."""
    texts = sources(root, layer)
    pool = {}
    for path, text in texts.items():
        for line, mutations in candidates(text).items():
            pool[path, line] = mutations
    places = sorted(pool)
    random.shuffle(places)
    for path, line in places:
        yield describe(path, texts[path], line, random.choice(pool[path, line]))
    # a second mutation of each line, where a sample is larger than the layer has lines
    for path, line in places:
        yield describe(path, texts[path], line, random.choice(pool[path, line]))


# --- a known mutant in a newer tree ----------------------------------------------------------------------------------
def similarity(a, b):
    return difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()


def context_score(lines, i, mutant):
    around = [line.strip() for line in lines[max(0, i - 2 * CONTEXT):i + 2 * CONTEXT + 1]]
    return sum(line.strip() in around for line in mutant["before"] + mutant["after"] if line.strip() not in ("", "}"))


def carried_over(mutant, line):
    """The same change of a line that is a little different, or None."""
    original, mutated = mutant["original"].strip(), mutant["mutated"].strip()
    indent = line[:len(line) - len(line.lstrip())]
    if line.strip() == original:
        return indent + mutated if mutated else ""
    if mutated.startswith("/*"):
        return f"{indent}/*{line.strip()}*/"
    start, end, new = difference(original, mutated)
    for margin in (12, 8, 5, 3):
        old = original[max(0, start - margin):end + margin]
        if line.count(old) == 1:
            return line.replace(old, original[max(0, start - margin):start] + new + original[end:end + margin])
    return None


def place(mutant, texts):
    """The mutant as it is in these texts ({path: text}), or None. Its own file comes first; a line that differs must be similar."""
    best, found = 0.0, None
    for path, text in texts.items():
        lines = text.split("\n")
        for i, line in enumerate(lines):
            equal = line.strip() == mutant["original"].strip()
            if not equal and (path != mutant["file"] or similarity(line.strip(), mutant["original"].strip()) < 0.8):
                continue
            context = context_score(lines, i, mutant)
            known = len([x for x in mutant["before"] + mutant["after"] if x.strip() not in ("", "}")])
            score = (2 if equal else 1) + context + (1.5 if path == mutant["file"] else 0)
            enough = context >= (1 if path == mutant["file"] and equal else max(1, known / 2))
            changed = carried_over(mutant, line)
            if enough and score > best and changed is not None:
                best, found = score, describe(path, text, i + 1, changed)
    return found
