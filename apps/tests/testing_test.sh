# The words of testing.sh fail when they should, also inside $(...).
words=$(cd "$(dirname "$0")" && pwd)/testing.sh
source "$words"

# judged STATUS BODY: a test with that body ends with the status.
judged() {
  printf 'source "%s"\necho "{\\"a\\": 1}" >out\n%s\nfinish\n' "$words" "$2" >small_test.sh
  expect "$1" bash small_test.sh "$espalier" "$json_value"
}
judged 0 'equal "$(json /a)" 1'
judged 0 'json /a >/dev/null'
judged 1 'equal "$(json /a)" 2'
judged 1 'json /missing >/dev/null'
judged 1 'equal "$(json /missing)" "$(json /missing_too)"'
says err "no JSON with /missing_too"
says err "2 failed"
judged 1 'value=$(json /missing); equal "$value" ""'
judged 1 'expect 1 true'
judged 1 'touch model.partial-1'
judged 0 ':'
finish
