#!/bin/sh
# Runs a program that may use so many seconds of processor time.
# usage: limited.sh SECONDS PROGRAM ARGUMENT …
ulimit -t "$1"
shift
exec "$@"
