# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# TAP for tests in POSIX sh. Source it first:  . "${0%/*}/../lib/tap.sh"
#
#   run CMD...            runs CMD; sets $status, leaves its output in $TMP/out and $TMP/err,
#                         and its text (without the last newline) in $out and $err
#   ok STATUS DESC        passes when STATUS is 0
#   is GOT WANT DESC      the same text
#   isnt GOT WANT DESC    another text
#   like GOT ERE DESC     a line of GOT matches the extended regular expression
#   unlike GOT ERE DESC   no line of GOT matches it
#   pass DESC, fail DESC  without a condition
#   skip COUNT WHY        COUNT tests that this machine cannot run
#   diag TEXT             a remark
#   bail WHY              nothing can be tested: ends the test as failed
#   at_exit COMMAND       evaluated when the test ends, in reverse order
#   done_testing          the last line: prints the plan, exits 1 when a test failed
#
# $PYATTACH is the program under test (an absolute path), $TMP a folder of this test's own.

tap_count=0
tap_failed=0
tap_ended=0
tap_exit=

TMP=$(mktemp -d "${TMPDIR:-/tmp}/pyattach-test.XXXXXX") || exit 1
tap_root=$(cd "${0%/*}/../.." && pwd) || exit 1
PYATTACH=${PYATTACH:-$tap_root/build/release/pyattach}
case $PYATTACH in
/*) ;;
*) PYATTACH=$PWD/$PYATTACH ;;
esac
export TMP PYATTACH

# shellcheck disable=SC2317 # called by the traps
tap_cleanup()
{
	tap_status=$?
	trap - EXIT
	eval "$tap_exit"
	rm -rf "$TMP"
	if [ "$tap_ended" = 0 ] && [ "$tap_status" = 0 ]; then
		echo "# the test ended before done_testing"
		tap_status=1
	fi
	exit "$tap_status"
}
trap tap_cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

at_exit()
{
	tap_exit="$1
$tap_exit"
}

diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

ok()
{
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s\n' "$tap_count" "$2"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	printf 'not ok %d - %s\n' "$tap_count" "$2"
	return 1
}

pass()
{
	ok 0 "$1"
}

fail()
{
	ok 1 "$1"
}

is()
{
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got:  $1"
		diag "want: $2"
		return 1
	fi
}

isnt()
{
	if [ "$1" != "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got, but should not: $1"
		return 1
	fi
}

like()
{
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got: $1"
		diag "no line matches: $2"
		return 1
	fi
}

unlike()
{
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		ok 1 "$3"
		diag "got: $1"
		diag "a line matches: $2"
		return 1
	else
		ok 0 "$3"
	fi
}

skip()
{
	tap_left=$1
	while [ "$tap_left" -gt 0 ]; do
		tap_count=$((tap_count + 1))
		printf 'ok %d # SKIP %s\n' "$tap_count" "$2"
		tap_left=$((tap_left - 1))
	done
}

run()
{
	"$@" >"$TMP/out" 2>"$TMP/err"
	status=$?
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
	: "$status" "$out" "$err"
}

bail()
{
	tap_ended=1
	printf 'Bail out! %s\n' "$1"
	exit 1
}

done_testing()
{
	tap_ended=1
	printf '1..%d\n' "$tap_count"
	[ "$tap_count" -gt 0 ] && [ "$tap_failed" -eq 0 ]
	exit
}
