# SPDX-License-Identifier: Apache-2.0
"""As much of C++ as a mutant needs: brackets, blocks and statements of one file that clang-format has formatted."""
import re

CONTROL = {"if", "while", "for", "switch"}
OPENING, CLOSING = "([{", ")]}"
WORD = re.compile(r"[A-Za-z_]\w*")
TOKENS = re.compile(r"""
    (?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
  | (?P<raw>\b(?:u8|u|U|L)?R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)")
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<number>(?<![\w])\d[\w.']*)
  | (?P<char>'(?:\\.|[^'\\\n])+')
  | (?P<line>^[ \t]*\#(?:\\\n|[^\n])*)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)


class NotUnderstood(Exception):
    """The file, or this place in it, is beyond these rules."""


def blank(text, fill=" "):
    return "".join("\n" if c == "\n" else fill for c in text)


def mask(text):
    """The same text, as long, in which comments and preprocessor lines are blank, and strings hold underscores."""
    def replace(match):
        found = match.group(0)
        if match.lastgroup == "number":
            return found
        if match.lastgroup in ("comment", "line"):
            return blank(found)
        return found[0] + blank(found[1:-1], "_") + found[-1]
    return TOKENS.sub(replace, text)


def is_balanced(masked):
    stack = []
    for c in masked:
        if c in OPENING:
            stack.append(c)
        elif c in CLOSING and (not stack or OPENING.index(stack.pop()) != CLOSING.index(c)):
            return False
    return not stack


class Source:
    """One file. Offsets are those of its text."""

    def __init__(self, text):
        self.text = text
        self.masked = mask(text)
        self.match = {}  # of each opening bracket and each closing one
        stack = []
        for i, c in enumerate(self.masked):
            if c in OPENING:
                stack.append(i)
            elif c in CLOSING:
                if not stack or OPENING.index(self.masked[stack[-1]]) != CLOSING.index(c):
                    raise NotUnderstood("brackets")
                self.match[i] = stack[-1]
                self.match[stack.pop()] = i
        if stack:
            raise NotUnderstood("brackets")
        self.opening = sorted(i for i in self.match if self.masked[i] in OPENING)
        self.kinds = {}

    def line_start(self, line):
        """The offset of a line, counted from 1."""
        at = 0
        for _ in range(line - 1):
            at = self.text.index("\n", at) + 1
        return at

    def enclosing(self, start, end):
        """The opening brackets around a range, innermost first."""
        return [i for i in reversed(self.opening) if i < start and self.match[i] >= end]

    def head(self, brace):
        """What stands before an opening brace, from the end of the statement before it, without a template's parameters."""
        i = brace - 1
        while i >= 0 and self.masked[i] not in ";{}":
            i = self.match[i] if self.masked[i] in ")]" else i
            i -= 1
        text = " ".join(self.masked[i + 1:brace].split())
        while text.startswith("template <"):
            depth, end = 0, len(text)
            for k, c in enumerate(text):
                depth += (c == "<") - (c == ">" and text[k - 1] != "-")
                if c == ">" and depth == 0:
                    end = k + 1
                    break
            text = text[end:].strip()
        return re.sub(r"^((public|private|protected): ?)+", "", text)

    def kind(self, brace):
        """What a brace opens: namespace, type, enum, code, requires, or init."""
        if brace not in self.kinds:
            self.kinds[brace] = self.find_kind(brace)
        return self.kinds[brace]

    def find_kind(self, brace):
        text = self.head(brace)
        if re.match(r"(inline )?namespace\b", text) or text.startswith("extern \""):
            return "namespace"
        if re.match(r"enum\b", text):
            return "enum"
        if re.search(r"\brequires ?(\([^()]*\))?$", text) and not re.search(r"\) .*requires", text):
            return "requires"
        if not re.search(r"[=(,]$|\breturn$", text):
            if re.match(r"(friend |typedef )?(class|struct|union)\b", text) and not text.endswith(")"):
                return "type"
            if self.begins_code(text, brace):
                return "code"
        return "init"

    def begins_code(self, text, brace):
        if text == "":
            return True
        if re.search(r"(\)|\belse|\bdo|\btry|\bconst|\bnoexcept|\boverride|\bfinal|\bmutable|[^:]:)$", text):
            return True
        if re.search(r"\) (const )?(noexcept )?(mutable )?-> [\w:<>,&* .()]+$", text) or re.search(r"\brequires\b", text):
            return True
        if re.search(r"\)( const| noexcept| override)* \[\[\w+\]\]$", text) or re.search(r"\belse \[\[\w+\]\]$", text):
            return True
        return bool(re.search(r"(^|[^\w\])])\[[^\[\]]*\]$", text))  # a lambda without parameters

    def in_code(self, start, end):
        """The innermost block of a function around a range, or None."""
        for i in self.enclosing(start, end):
            if self.masked[i] == "{" and self.kind(i) != "init":
                return i if self.kind(i) == "code" else None
        return None

    # --- statements -------------------------------------------------------------------------------------------------
    def skip_space(self, i):
        while True:
            while i < len(self.masked) and self.masked[i].isspace():
                i += 1
            if self.masked.startswith("[[", i):
                i = self.match[i] + 1
            else:
                return i

    def statement(self, i):
        """(start, end, statements in it without braces of their own) of the statement at i."""
        start = i = self.skip_space(i)
        if self.masked[i] == "{":
            return start, self.match[i] + 1, []
        word = WORD.match(self.masked, i)
        word = word.group(0) if word else ""
        if word in CONTROL:
            return self.control(start, word)
        if word == "do":
            inner = self.statement(i + 2)
            return start, self.masked.index(";", self.skip_brackets(inner[1])) + 1, [inner]
        if word == "try":
            end = self.statement(i + 3)[1]
            while self.masked.startswith("catch", self.skip_space(end)):
                end = self.statement(self.match[self.masked.index("(", end)] + 1)[1]
            return start, end, []
        if word in ("case", "default"):
            end = re.compile(r"[^:]:(?!:)").search(self.masked, i).end()
            return start, end, []
        return start, self.simple_end(i), []

    def control(self, start, word):
        paren = self.masked.index("(", start)
        inner = [self.statement(self.match[paren] + 1)]
        end = inner[0][1]
        after = self.skip_space(end)
        if word == "if" and re.match(r"else\b", self.masked[after:after + 5]):
            inner.append(self.statement(after + 4))
            end = inner[1][1]
        return start, end, inner

    def skip_brackets(self, i):
        while self.masked[i] not in ";}":
            i = self.match[i] + 1 if self.masked[i] in OPENING else i + 1
        return i

    def simple_end(self, i):
        i = self.skip_brackets(i)
        if self.masked[i] != ";":
            raise NotUnderstood("a statement without an end")
        return i + 1

    def statements_around(self, start, end):
        """The statements around a range within the innermost block of a function, innermost first, each (start, end)."""
        block = self.in_code(start, end)
        if block is None:
            return []
        i, found = block + 1, []
        while self.skip_space(i) < self.match[block]:
            at = self.statement(i)
            if at[0] <= start and end <= at[1]:
                self.descend(at, start, end, found)
                return found
            i = at[1]
            if i > end:
                break
        return []

    def descend(self, at, start, end, found):
        for inner in at[2]:
            if inner[0] <= start and end <= inner[1] and self.masked[inner[0]] != "{":
                self.descend(inner, start, end, found)
        found.append((at[0], at[1]))
