#!/bin/sh
# Install this clone with all that the service needs: deploy/install.sh FOLDER [PYTHON]
# The Dockerfile runs it, and so can you on a machine without Docker.
set -eu
folder=$1
python=${2:-python3}
cd "$(dirname "$0")/.."
"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet ".[service]"
# What no service needs: Numba's own tests, and pip, 30 MB of 360. Run again, this script brings pip back.
rm -rf "$folder"/lib/python3*/site-packages/numba/tests
"$folder/bin/python" -m pip uninstall --quiet --yes pip
# Compiled code knows its source by the time of the file. Layers of an image keep whole seconds.
find "$folder" -name '*.py' -path '*rbmle*' -exec touch -d '2020-01-01T00:00:00Z' {} +
