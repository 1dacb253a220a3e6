# Read by the scripts beside it: counts what holds, shows the log of what does not. Wants $dir, a folder for the log.
passed=0 failed=0
check() { # NAME COMMAND..
  local name=$1
  shift
  if "$@" >"$dir/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $name"
    tail -20 "$dir/log"
  fi
}
