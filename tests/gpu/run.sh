#!/usr/bin/env bash
# run.sh GPU_PACK RUN_PY: packs random programs and runs them on this machine's GPU; 77 where there is none.
ldconfig -p | grep -q libcuda.so.1 || { echo "skipped: no CUDA driver"; exit 77; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
sm=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
[ "$sm" = 90 ] && sm=90a
"$1" "$work" --target "sm_$sm" --count "${PHOBOS_GPU_PROGRAMS:-500}" && "$2" "$work"
