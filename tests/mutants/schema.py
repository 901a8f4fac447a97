# SPDX-License-Identifier: Apache-2.0
"""A changed line becomes a schema: code that does what the line did, or what the changed line does where its mutant is on."""
import re

from source_text import NotUnderstood, Source, is_balanced, mask

DECLARES = re.compile(r"(?:(?:const|static|thread_local|inline|typename|volatile|unsigned|struct)\b|auto\b|"
                      r"(?!return\b|co_return\b|throw\b|delete\b|else\b|goto\b|new\b|co_await\b|co_yield\b)"
                      r"[A-Za-z_][\w:]*(?:<[^;=()]*>)?(?:::\w+)?(?: const)?[&*]*(?: const)?[&*]*\s+[A-Za-z_]\w*\s*[=({;\[,:])")
CONSTANT = re.compile(r"\b(constexpr|consteval|constinit|static_assert|using|typedef|template|concept|asm|__asm__|goto|enum|case|default)\b")
NO_VALUE = re.compile(r"\b(sizeof|decltype|alignas|alignof|noexcept|static_assert|requires|constexpr|catch|__attribute__|offsetof|declval)\s*$")


def difference(before, after):
    """(start, end, new): after = before[:start] + new + before[end:], with the shortest range."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    tail = 0
    while tail < min(len(before), len(after)) - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return start, len(before) - tail, after[start:len(after) - tail]


def is_deletion(old, new):
    return new.strip().startswith("/*") and new.strip().endswith("*/") or (new.strip() == "" and old.strip().endswith(";"))


class Change:
    """One changed line of a source."""

    def __init__(self, source, line, mutated):
        self.source = source
        begin = source.line_start(line)
        original = source.text[begin:source.text.index("\n", begin)]
        mutated = mutated.rstrip("\n")
        if "/*" in mutated and "/*" not in original or mutated.strip() == "":  # the whole line goes
            indent = len(original) - len(original.lstrip())
            start, end, new = indent, len(source.masked[begin:begin + len(original)].rstrip()), ""
        else:
            start, end, new = difference(original, mutated)
        self.start, self.end, self.new = begin + start, begin + end, new

    def is_only_text(self):
        """Whether the change is in a comment, a string or a preprocessor line."""
        text, masked = self.source.text, self.source.masked
        touched = slice(self.start, max(self.end, self.start + 1))
        return text[touched] != masked[touched]

    def mutated(self, start, end):
        return self.source.text[start:self.start] + self.new + self.source.text[self.end:end]

    def regions(self):
        """(start, end, form) of what can be replaced, the most faithful first. Forms: statement, value."""
        source = self.source
        statements = source.statements_around(self.start, self.end)
        if not statements:
            yield from self.values(self.outer_limit())
            return
        start, end = statements[0]
        head = source.masked[start:max(self.start, start + 12)]
        if CONSTANT.search(head.split("{")[0]) or self.is_in_constant():
            return
        if source.masked[start:end].split("(")[0].strip() in ("if", "while", "for", "switch", "do", "try"):
            yield from self.values(start)
            if source.masked[start:].startswith("if") and source.masked[start:end].count("\n") < 30:
                yield start, end, "statement"
        elif DECLARES.match(source.masked, start):
            yield from self.values(start)
        else:
            if self.may_go(statements) and source.masked[start:end].count("\n") < 30:
                yield start, end, "statement"
            yield from self.values(start)

    def may_go(self, statements):
        """A function that ends without a return is undefined, and no test of anything."""
        start, end = statements[0]
        if self.mutated(start, end).strip() != "" or not re.match(r"(co_)?return\b", self.source.masked[start:end]):
            return True
        begin, outer_end = statements[-1]
        is_last = self.source.masked[self.source.skip_space(outer_end)] == "}"
        return not is_last or len(statements) > 1 and not re.search(r"\bif constexpr\b|\belse\b", self.source.masked[begin:outer_end])

    def is_in_constant(self):
        return any(NO_VALUE.search(self.source.masked[max(0, i - 40):i]) for i in self.source.enclosing(self.start, self.end)
                   if self.source.masked[i] == "(")

    def outer_limit(self):
        """Outside functions only a constructor's list and a member's default value are mutated: where their text begins, or None."""
        source = self.source
        begin = max(source.masked.rfind(c, 0, self.start) for c in ";}")
        before = source.masked[begin + 1:self.start]
        if CONSTANT.search(before) or self.is_in_constant() or "operator" in before:
            return None
        if re.search(r"\)\s*(noexcept\s*)?:\s", before):
            return begin + 1
        around = source.enclosing(self.start, self.end)
        in_type = around and source.masked[around[0]] == "{" and source.kind(around[0]) == "type"
        if in_type and re.search(r"[\w>&*]\s+\w+ = ", before) and not re.search(r"\bstatic\b|[()]", before):
            return begin + 1
        return None

    def values(self, limit):
        """Expressions around the change, the innermost first: arguments, conditions, initial values."""
        if limit is None:
            return
        for bracket in [*self.source.enclosing(self.start, self.end), None]:
            if bracket is not None and bracket < limit:
                bracket = None
            if bracket is not None and self.source.masked[bracket] == "{" and self.source.kind(bracket) != "init":
                bracket = None
            chunk = self.chunk(limit if bracket is None else bracket + 1, bracket is not None)
            if chunk is not None:
                yield (*chunk, "value")
            if bracket is None:
                return

    def chunk(self, begin, bracketed):
        masked = self.source.masked
        starts, i = begin, begin
        while i < self.start:
            if masked[i] in "([{" and self.source.match[i] < self.start:
                i = self.source.match[i]
            elif masked[i] in ",;" and bracketed or self.is_assignment(i) or (not bracketed and masked.startswith("return ", i)):
                starts = i + (7 if masked[i] == "r" else 1)
            i += 1
        if not bracketed and starts == begin:  # no initial value
            return None
        end = self.end
        while end < len(masked) and masked[end] not in ",;)]}":
            end = self.source.match[end] + 1 if masked[end] in "([{" else end + 1
        start = starts + len(masked[starts:end]) - len(masked[starts:end].lstrip())
        end = start + len(masked[start:end].rstrip())
        text = masked[start:end]
        if start > self.start or text in ("", "...") or text.endswith("...") or text[0] in "{." or self.has_comma(start, end):
            return None
        return start, end

    def has_comma(self, start, end):
        """Between arguments; as a value they would become an expression with the comma operator."""
        i = start
        while i < end:
            if self.source.masked[i] in ",;":
                return True
            i = self.source.match[i] + 1 if self.source.masked[i] in "([{" else i + 1
        return False

    def is_assignment(self, i):
        masked = self.source.masked
        return masked[i] == "=" and masked[i - 1] not in "=!<>+-*/%&|^" and masked[i + 1] != "="

    def schema(self, region, number):
        """The text that takes the place of this region, or None."""
        start, end, form = region
        old, new = self.source.text[start:end], self.mutated(start, end)
        code = mask(new).strip()
        if not is_balanced(code):
            return None
        on = f"::armilla_mutant::on({number})"
        if form == "statement":
            if code == "":
                return f"{{ if (!{on}) {{ {old}\n}} }}"
            return f"{{ if ({on}) {{ {new}\n}} else {{ {old}\n}} }}" if code[-1] in ";}" else None
        return f"({on} ? ({new}) : ({old}))" if code != "" else None


def schemata(text, line, mutated, number):
    """(start, end, schema) for each way to make the schema of a changed line, the most faithful first."""
    try:
        change = Change(Source(text), line, mutated)
        if change.is_only_text() and change.new != "":
            return
        for region in change.regions():
            result = change.schema(region, number)
            if result is not None:
                yield region[0], region[1], result
    except (NotUnderstood, KeyError, ValueError, AttributeError, IndexError):
        return


def overlap(one, other):
    return one[0] < other[1] and other[0] < one[1]


def combine(text, schemas):
    """The text with all of these, which do not overlap, and with the header that they need."""
    for start, end, schema in sorted(schemas, reverse=True):
        text = text[:start] + schema + text[end:]
    line = '#include "armilla/base/mutant.hpp"\n'
    if "#pragma once\n" in text:
        return text.replace("#pragma once\n", "#pragma once\n" + line, 1)
    return line + text
