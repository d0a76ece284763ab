# SPDX-License-Identifier: Apache-2.0
"""Every example runs, and asserts what it shows; and so does the code of docs/python.md."""
import pathlib
import re
import runpy

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "python").glob("*.py")), ids=lambda p: p.stem)
def test_example(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")


def test_page():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), {})
