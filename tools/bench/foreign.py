"""Translates a gputune template for a tuner that only knows macros, a launch and arguments.

The spec is a JSON file: `tunables` (macros and their numbers; a word such as "shared" becomes a negative
number), `restrictions`, `grid`, `block` and `shared` as Python expressions of tunables and device
properties (named in peer_spec.py), `arguments` with their fills. All of it is read from the template's
pragmas and the output of `gputune space`.
"""
import ast
import re
import sys

PREFIX = "T_"

# Axes that Kernel Tuner with CuPy cannot vary, and their fixed values. Without launch attributes there are no
# clusters, and the driver chooses the carveout. A parameter block is passed by value, because any other way
# would copy it before the measured time begins.
FIXED = {"cluster": "1", "carveout": "auto", "pass": "value"}

TYPES = {
    "float": "float32",
    "double": "float64",
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "unsigned int": "uint32",
    "size_t": "uint64",
}

# The number of blocks that fit on the GPU by threads and shared memory, computed as in gputune.
MAX_BLOCKS = (
    "sm_count * max(1, min(max_threads_per_sm // round_up({threads}, warp_size), max_blocks_per_sm,"
    " shared_per_sm // (({shared}) + shared_reserved) if ({shared}) > 0 else max_blocks_per_sm))"
)


def pragmas(path):
    """Returns (word, text in its parentheses) of each line, in order."""
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    lines = [line.split("//")[0].strip() for line in text.splitlines()]
    return re.findall(r"^#pragma gputune (\w+)\((.*)\)$", "\n".join(lines), re.M)


def split(text, at):
    """Splits at separators outside parentheses and brackets."""
    parts, depth = [""], 0
    for one in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(one, 0)
        if one == at and depth == 0:
            parts.append("")
        else:
            parts[-1] += one
    return [part.strip() for part in parts]


# C's binary operators, lowest precedence first, and Python's for integers.
BINARY = (
    {"||": "or"},
    {"&&": "and"},
    {"==": "==", "!=": "!="},
    {"<": "<", "<=": "<=", ">": ">", ">=": ">="},
    {"<<": "<<", ">>": ">>"},
    {"+": "+", "-": "-"},
    {"*": "*", "/": "//", "%": "%"},
)


class FromC:
    """Translates a C expression to Python, with parentheses around every operation, because Python has other
    precedences and reads a == b == c as a chain."""

    def __init__(self, text):
        self.tokens = re.findall(r"\w+|&&|\|\||<<|>>|[=!<>]=|\S", text)

    def take(self, *wanted):
        """Returns the next token if it is one of `those`."""
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else None

    def choice(self):
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        yes = self.choice()
        self.take(":")
        return f"({yes} if {condition} else {self.choice()})"

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while operator := self.take(*BINARY[level]):
            left = f"({left} {BINARY[level][operator]} {self.binary(level + 1)})"
        return left

    def unary(self):
        if operator := self.take("!", "-", "+"):
            return f"({'not' if operator == '!' else operator} {self.unary()})"
        if self.take("("):
            inner = self.choice()
            self.take(")")
            return inner
        name = self.tokens.pop(0)
        if not self.take("("):
            return name
        values = [self.choice()]
        while self.take(","):
            values.append(self.choice())
        self.take(")")
        return f"{name}({', '.join(values)})"


class Rewrite(ast.NodeTransformer):
    """Replaces names by expressions, and calls by arithmetic."""

    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        known = self.names.get(node.id)
        return node if known is None else ast.parse(str(known), mode="eval").body

    def visit_Call(self, node):
        if node.func.id not in ("ceil_div", "round_up"):
            node.args = [self.visit(one) for one in node.args]
            return node
        up, by = (f"({ast.unparse(self.visit(one))})" for one in node.args)
        divided = f"-(-{up} // {by})"
        text = divided if node.func.id == "ceil_div" else f"{divided} * {by}"
        return ast.parse(text, mode="eval").body


def rewrite(python, names):
    """Returns an expression with the replacements in `names`."""
    return ast.unparse(Rewrite(names).visit(ast.parse(python, mode="eval")))


class Foreign:
    """A kernel at one size in a foreign tuner's terms.

    `space`: a template, its kernel's name, sizes ("n=4096"), and values of axes that replace the
    template's."""

    def __init__(self, bench, space):
        self.bench, self.space = bench, space
        self.pragmas = pragmas(bench.template(space))
        listed = bench.describe(space, {})["values"]
        kinds = {one["axis"]: one["kind"] for one in listed}
        self.fixed = {axis: FIXED[kind] for axis, kind in kinds.items() if kind in FIXED}
        self.axes = {axis: [] for axis in kinds}
        for one in listed:
            if not one["excluded"]:
                self.axes[one["axis"]].append(one["value"])
        for axis, values in {**space["tunables"], **self.fixed}.items():
            self.axes[axis] = [values] if axis in self.fixed else [str(value) for value in values]
        words = [one["value"] for one in listed if not one["value"].isdigit()]
        self.words = {word: -1 - i for i, word in enumerate(dict.fromkeys(words))}
        self.sizes = self._sizes()
        self.valid = bench.describe(space, self.fixed)["totals"][0]["valid"]

    def _texts(self, word):
        return [text for found, text in self.pragmas if found == word]

    def _sizes(self):
        """Returns problem values by name; a type's value is its name."""
        wanted = dict(size.split("=") for size in self.space["sizes"])
        sizes = {}
        found = [part for text in self._texts("problem") for part in split(text, ",")]
        for part in (one for one in found if " = " in one):  # the others are values
            kind, name, value = re.match(r"(const |type )?(\w+) = (.*)", part).groups()
            value = wanted.get(name, value)
            sizes[name] = value if kind == "type " else eval(value)  # for example 1 << 26
        return sizes

    def _number(self, value):
        return self.words[value] if value in self.words else int(value)

    def _names(self):
        """Returns the values of the template's names for an expression of the spec."""
        names = {axis: PREFIX + axis for axis in self.axes if axis not in self.fixed}
        names.update((axis, self._number(value)) for axis, value in self.fixed.items())
        names.update((name, value) for name, value in self.sizes.items() if value not in TYPES)
        return names

    def _type(self, kind):
        return TYPES[self.sizes.get(kind, kind)]

    def _bytes(self, kind):
        return int(re.sub(r"\D", "", self._type(kind))) // 8  # float32: 4

    def _expression(self, text, names):
        text = re.sub(r"\bsizeof\(([\w ]+)\)", lambda found: str(self._bytes(found[1])), text)
        for word, number in self.words.items():
            text = re.sub(rf"\b{word}\b", f"({number})", text)
        return rewrite(FromC(text).choice(), names)

    def _argument(self, text):
        """Returns one of `args`, or the block of `pass` in the same form."""
        way, kind, name, count, value = re.fullmatch(
            r"(?:(in|out|inout) )?(.*?) ?(\w+)(?:\[(.*)\])?(?: = (.*))?", text
        ).groups()
        count = count and "(" + count.replace("][", ") * (") + ")"
        kind = self._type(kind)
        if way is None:
            return {"type": kind, "value": self.sizes.get(name, value and float(value))}
        argument = {"type": kind, "count": eval(self._expression(count, self._names()))}
        if way == "out":
            return argument
        filled = re.fullmatch(r"uniform\((.*)\)", value or "uniform(-1, 1)")
        if not filled:
            sys.exit(f"{self.space['kernel']}: {value}: a fill that is not known here")
        low, high = split(filled.group(1), ",")
        names = self._names()
        argument["low"] = eval(self._expression(low, names))
        argument["high"] = eval(self._expression(high, names))
        return argument

    def _arguments(self):
        arguments = []
        for text in self._texts("pass"):
            name, block, *fill = split(text, ":")
            kind, count = re.match(r"(.*)(\[.*\])", block).groups()
            value = f" = {fill[0]}" if fill else ""
            arguments.append(self._argument(f"in {kind} {name}{count}{value}"))
            arguments[-1]["by_value"] = True
        (text,) = self._texts("args")
        return arguments + [self._argument(one) for one in split(text, ",")]

    def _restrictions(self, shared, names):
        requires = [self._expression(text, names) for text in self._texts("require")]
        # a requirement without tunables restricts nothing
        restrictions = [f"({shared}) <= shared_optin"] + requires
        return [one for one in dict.fromkeys(restrictions) if PREFIX in one]

    def spec(self):
        """Returns the spec as a dictionary for JSON."""
        names = self._names()
        block = [self._expression(one, names) for one in split(self._texts("block")[0], ",")]
        names.update(zip(("block_x", "block_y", "block_z"), block))
        shared = self._expression((self._texts("shared") or ["0"])[0], names)
        threads = " * ".join(f"({one})" for one in block)
        names["max_blocks"] = rewrite(MAX_BLOCKS.format(threads=threads, shared=shared), {})
        tunables = [axis for axis in self.axes if axis not in self.fixed]
        return {
            "arguments": self._arguments(),
            "tunables": {
                PREFIX + axis: list(map(self._number, self.axes[axis])) for axis in tunables
            },
            "restrictions": self._restrictions(shared, names),
            "grid": [self._expression(one, names) for one in split(self._texts("grid")[0], ",")],
            "block": block,
            "shared": shared,
        }

    def write_spec(self):
        """Writes the spec into the bench's folder and returns its path."""
        return self.bench.write_json(self.space["kernel"] + "-spec.json", self.spec())

    def write_source(self):
        """Returns the generated source for a tuner that puts its own defines first: the tunables' values are
        taken from separate names, because the prelude uses UNROLL and others."""
        text = self.bench.emit(self.space, self.fixed)
        for axis, values in self.axes.items():
            if axis in self.fixed:
                continue
            taken = f"#define {axis} {PREFIX}{axis}"
            text = re.sub(rf"^#define {axis} .*$", taken, text, flags=re.M)
            for word in set(values) & set(self.words):
                is_it = f"#define {axis}_{word} ({PREFIX}{axis} == {self.words[word]})"
                text = re.sub(rf"^#define {axis}_{word} .*$", is_it, text, flags=re.M)
        for bounds in self._texts("launch_bounds"):
            for axis in self.axes:
                own = self.fixed.get(axis, PREFIX + axis)
                bounds = re.sub(rf"\b{axis}\b", own, bounds)
            taken = f"#define GPUTUNE_LAUNCH_BOUNDS __launch_bounds__({bounds})"
            text = re.sub(r"^#define GPUTUNE_LAUNCH_BOUNDS .*$", taken, text, flags=re.M)
        path = self.bench.path(self.space["kernel"] + "-bare.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def foreign(self, text):
        """Returns a configuration's text in the foreign tuner's form."""
        pairs = dict(pair.split("=") for pair in text.split())
        return " ".join(
            f"{PREFIX}{axis}={self._number(value)}"
            for axis, value in pairs.items()
            if axis not in self.fixed
        )

    def own(self, numbers):
        """Returns a configuration's text from the foreign tuner's numbers."""
        found = dict(self.fixed)
        for axis, values in self.axes.items():
            for value in values if axis not in self.fixed else []:
                if self._number(value) == numbers[PREFIX + axis]:
                    found[axis] = value
        return " ".join(f"{axis}={found[axis]}" for axis in self.axes)
