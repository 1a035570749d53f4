#!/usr/bin/env bash
# Builds the image with a container engine (ENGINE=docker or podman) and looks whether it is what the chart runs: version, user, a read-only root,
# no capabilities, a score without a network, the health check's words, and the size. Needs no Kafka.
set -euo pipefail
cd "$(dirname "$0")/.."
engine=${ENGINE:-$(command -v docker || command -v podman || { echo "neither docker nor podman is in PATH" >&2; exit 1; })}
image=${IMAGE:-rag-sidecar:try}
"$engine" build --target sidecar --tag "$image" ${PYTHON_IMAGE:+--build-arg "PYTHON_IMAGE=$PYTHON_IMAGE"} --build-arg "REVISION=$(git rev-parse --short HEAD)" .
run=("$engine" run --rm --interactive --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --network none)
"${run[@]}" "$image" version
[[ $("${run[@]}" --entrypoint id "$image" -u) == 10001 ]] && echo "user 10001"
"${run[@]}" --entrypoint sh "$image" -c '! touch /opt/rag-sidecar/x 2>/dev/null && echo "the root is read-only"'
echo '{"question": "How long is the warranty?", "answer": "Nine years.", "contexts": ["The warranty is two years."]}' \
    | "${run[@]}" "$image" score - | grep --quiet '"verdict":"hallucinated"' && echo "scores without a network"
"$engine" image inspect --format '{{.Size}}' "$image" | awk '{printf "%.0f MB\n", $1 / 1e6}'
