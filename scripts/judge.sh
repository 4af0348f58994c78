# Sourced by the checks of the tree: how a check tries itself on a made-up tree.

# judge RESULT TEXT WHAT: runs check on $tree, removes the tree, and ends the script unless it is accepted or rejected as
# RESULT says, with TEXT in its output. WHAT names the case.
judge() {
  found=accepted
  check "$tree" >"$tree/said" || found=rejected
  if [ "$found" != "$1" ] || ! grep -q -- "$2" "$tree/said"; then
    printf '%s: %s, saying:\n' "$3" "$found"
    cat "$tree/said"
    rm -rf "$tree"
    exit 1
  fi
  rm -rf "$tree"
}
