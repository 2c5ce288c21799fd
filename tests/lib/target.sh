# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# A Python process to look at, for tests in POSIX sh; after tap.sh:
#
#   start_spinner   one thread that always runs
#   start_sleeper   one thread that always waits
#
# Each sets $target to the pid once Python runs that code; it ends with the test, however that ends.

# shellcheck disable=SC2154 # tap_root is from tap.sh
target_python=$("$tap_root/tests/lib/pythons.py" supported | sed -n '$s/^[^ ]* //p')
[ -n "$target_python" ] || bail "no Python that can be read was found"

# start_target CODE: parent is defined in it as the pid of the test.
start_target()
{
	mkfifo "$TMP/ready" || bail "mkfifo failed"
	"$target_python" -c "
import os, sys, time
parent = os.getppid()
open(sys.argv[1], 'w').close()
$1" "$TMP/ready" &
	target=$!
	at_exit "kill -9 $target 2>/dev/null; wait $target 2>/dev/null"
	read -r _ <"$TMP/ready"
	rm "$TMP/ready"
}

start_spinner()
{
	start_target '
while os.getppid() == parent:
    pass'
}

start_sleeper()
{
	start_target '
while os.getppid() == parent:
    time.sleep(1)'
}
