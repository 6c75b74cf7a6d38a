#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The notebook of the tutorials runs from its first cell to its last, and what its cells show is something.

    test_notebook.py SABLIER

Cells are run one after the other in one place, as a kernel does; the last expression of each is its output.
"""
import ast
import json
import os
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
os.environ["SABLIER_LIBRARY"] = os.path.join(BUILD, "libsablier.so")
os.environ["SABLIER_PROGRAM"] = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(ROOT, "postproc"))


def run_cell(source, names):
    """The value of its last expression, or None."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def main():
    with open(os.path.join(ROOT, "docs/tutorials/notebook.ipynb"), encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    failed, shown, names = 0, {}, {}
    with tempfile.TemporaryDirectory(prefix="sablier-notebook-") as folder:
        os.chdir(folder)
        for number, cell in enumerate(c for c in cells if c["cell_type"] == "code"):
            source = "".join(cell["source"])
            if cell["outputs"] or cell["execution_count"]:
                failed += 1
                print(f"FAILED cell {number} is stored with its output")
            try:
                shown[number] = run_cell(source, names)
            except Exception as problem:
                failed += 1
                print(f"FAILED cell {number}: {problem!r}\n{source}")
        html = names["silo"]._repr_html_()
        good = ["steady" in html or "finished" in html, os.path.getsize("shear.pdf") > 3000, len(names["done"].table) == 2,
                any(hasattr(value, "savefig") for value in shown.values()), names["table"]["Q"].is_monotonic_increasing]
        failed += good.count(False)
        if not all(good):
            print(f"FAILED what the cells left: {good}")
        names.clear()
        os.chdir(ROOT)
    print(f"{len(shown) + len(good) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
