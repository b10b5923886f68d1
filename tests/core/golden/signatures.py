"""The signatures of the compiled core: its generated stub without the docstrings.

``nox -s stubs`` writes them to ``signatures.txt`` here, to be committed.
"""

from __future__ import annotations

import ast
import re
from importlib.metadata import version
from pathlib import Path

import crossdock.core as cx

GOLDEN = Path(__file__).with_name('signatures.txt')
# Of Python 3.12 and later.
BY_PYTHON = {'__buffer__', '__release_buffer__'}


class WithoutDocstrings(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:]
            node.body = [one for one in node.body if getattr(one, 'name', None) not in BY_PYTHON]
            node.body = node.body or [ast.Expr(ast.Constant(...))]
        return node


def signatures() -> str:
    stub = Path(cx.__file__).with_name('_core.pyi').read_text()
    bare = ast.unparse(WithoutDocstrings().visit(ast.parse(stub)))
    dense = re.sub(r'\n\n+', '\n', re.sub(r':\n\s+\.\.\.', ': ...', bare))
    major = version('nanobind').split('.')[0]
    return f'# nanobind {major}\n{dense}\n'


if __name__ == '__main__':
    GOLDEN.write_text(signatures())
