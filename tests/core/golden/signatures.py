"""The public signatures of the compiled core: its generated stub without docstrings and private names.

``nox -s stubs`` writes them to ``signatures.txt`` here, to be committed.
"""

from __future__ import annotations

import ast
import re
from importlib.metadata import version
from pathlib import Path

import crossdock.core as cx

GOLDEN = Path(__file__).with_name('signatures.txt')
BY_PYTHON = {'__buffer__', '__release_buffer__'}  # of 3.12 and later


def is_private(node: ast.AST) -> bool:
    name = getattr(node, 'name', '')
    return name in BY_PYTHON or (name.startswith('_') and not name.endswith('__'))


class Public(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.Module):
            node.body = [one for one in node.body if not isinstance(one, (ast.Import, ast.ImportFrom))]
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:]
            node.body = [one for one in node.body if not is_private(one)]
            node.body = node.body or [ast.Expr(ast.Constant(...))]
        return node


def signatures() -> str:
    stub = Path(cx.__file__).with_name('_core.pyi').read_text()
    bare = ast.unparse(Public().visit(ast.parse(stub)))
    dense = re.sub(r'\n\n+', '\n', re.sub(r':\n\s+\.\.\.', ': ...', bare))
    major = version('nanobind').split('.')[0]
    return f'# nanobind {major}\n{dense}\n'


if __name__ == '__main__':
    GOLDEN.write_text(signatures())
