"""The value of an arithmetic expression, for checks of a calculator's display: numbers, operators, a few functions, and nothing else."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

_LARGEST_POWER = 10_000
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "radians": math.radians,
    "log10": math.log10,
    "ln": math.log,
    "factorial": math.factorial,
    "round": round,
    "hexadecimal": lambda number: f"{number:X}",
    "binary": lambda number: f"{number:b}",
    "octal": lambda number: f"{number:o}",
}


def outcome(expression: str) -> float | int | str:
    """Return the value of an expression: a number, or the digits in another base. A ValueError says what the expression may not hold.

    Numbers have no commas between digits; a percent sign is the remainder.
    """
    found = _value(ast.parse(expression, mode="eval").body)
    return found if isinstance(found, str | int) else float(found)


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow | ast.LShift) and abs(right) > _LARGEST_POWER:
            raise ValueError(f"{right} is too large a power")
        return _OPERATORS[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords:
        return _FUNCTIONS[node.func.id](*map(_value, node.args))
    raise ValueError(f"an expression has numbers, operators and {', '.join(_FUNCTIONS)}; not '{ast.unparse(node)}'")
