# SPDX-License-Identifier: Apache-2.0
"""One extension module over the C interface, good for every CPython from 3.9 on (cffi's API mode, stable ABI)."""
from setuptools import setup

setup(
    cffi_modules=["build_core.py:ffi"],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
