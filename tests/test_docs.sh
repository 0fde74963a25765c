#!/bin/sh
# The documents: their code is compiled, their sessions are run, their links lead somewhere.
set -u
if command -v python3 >/dev/null; then python3 tests/test_docs.py; else echo 'not ok python3 is needed to check the documents'; fi
