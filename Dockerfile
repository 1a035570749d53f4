# Stages: `build` installs from the lock files, with hashes, into a virtual environment; `sidecar`, the default, holds only that; `with-hhem` holds
# HHEM besides, out of a snapshot that you give:
#
#   docker build -t rag-sidecar .
#   docker build -t rag-sidecar --build-arg PYTHON_IMAGE=python@sha256:DIGEST .
#   docker build -t rag-sidecar-hhem --target with-hhem --build-context snapshot=DIRECTORY .
ARG PYTHON_IMAGE=python:3.13-slim-trixie

FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ONLY_BINARY=:all:
WORKDIR /src
# For `strip`.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends binutils && rm -r /var/lib/apt/lists/*
RUN python -m venv /opt/rag-sidecar
ENV PATH=/opt/rag-sidecar/bin:$PATH
# Dependencies first: they change less often than the code, so that this layer is used again.
COPY requirements.lock requirements-build.lock ./
RUN python -m pip install --no-compile --require-hashes -r requirements-build.lock -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY exporters exporters
COPY sidecar sidecar
RUN python -m pip install --no-compile --no-deps --no-build-isolation --no-index . \
    && python -m pip uninstall --yes setuptools \
    && rag-sidecar version

FROM build AS slim
# What nothing at run time opens goes: pip; the client of a model hub, which tokenizers asks for and which only downloads; a second copy of onnxruntime's
# engine, for programs in C, and its tools; numpy's compilers, transforms, polynomials, records and examples; messages of Google's services; a C parser
# of YAML, which is read by the safe one in Python; lexers, formatters and styles that would colour tracebacks, their classes of characters, and a reader of Markdown with what asks for it; a parser of metrics; names of other
# conventions than OpenTelemetry's own, and an older interface of grpc; a whole older pydantic; readers of packages' metadata, lock files and ranges of versions (aiokafka compares two); HTTP/2, whose library is not there; consoles of Windows; what speaks for browsers, macOS and Windows to their own stores and sockets; HTTP by libraries that are not there; websockets; benchmarks; plug-ins for a type checker and a test runner, another event loop, pipelines that are tried out, colours and commands of their own; C libraries by ctypes; tests; headers; symbols for debuggers. Then bytecode is made of what a start and a score read, and of nothing else.
WORKDIR /opt/rag-sidecar/lib
RUN python -m pip uninstall --yes huggingface-hub hf-xet filelock fsspec tqdm flatbuffers markdown-it-py mdurl pip \
    && rm -r python3*/site-packages/onnxruntime/capi/libonnxruntime.so.* \
        python3*/site-packages/onnxruntime/backend python3*/site-packages/onnxruntime/datasets python3*/site-packages/onnxruntime/quantization \
        python3*/site-packages/onnxruntime/tools python3*/site-packages/onnxruntime/transformers \
        python3*/site-packages/numpy/f2py python3*/site-packages/numpy/testing python3*/site-packages/pydantic/v1 \
        python3*/site-packages/numpy/fft python3*/site-packages/numpy/polynomial \
        python3*/site-packages/numpy/lib/recfunctions.py python3*/site-packages/numpy/ma/mrecords.py python3*/site-packages/numpy/ma/testutils.py \
        python3*/site-packages/numpy/random/_examples python3*/site-packages/numpy/doc python3*/site-packages/numpy/_pyinstaller \
        python3*/site-packages/google/api python3*/site-packages/google/cloud python3*/site-packages/google/gapic python3*/site-packages/google/logging \
        python3*/site-packages/google/longrunning python3*/site-packages/google/type \
        python3*/site-packages/yaml/_yaml.*.so python3*/site-packages/_yaml \
        python3*/site-packages/pydantic/mypy.py python3*/site-packages/anyio/_backends/_trio.py python3*/site-packages/click/testing.py \
        python3*/site-packages/genai_prices/_cli.py python3*/site-packages/httpx2/websockets python3*/site-packages/starlette/testclient.py \
        python3*/site-packages/packaging/licenses python3*/site-packages/pygments/unistring.py python3*/site-packages/pygments/cmdline.py \
        python3*/site-packages/httpcore*/_*sync/http2.py \
        python3*/site-packages/rich/markdown.py python3*/site-packages/typer/rich_utils.py python3*/site-packages/prometheus_client/openmetrics/parser.py \
        python3*/site-packages/pydantic/experimental/pipeline.py python3*/site-packages/anyio/pytest_plugin.py \
        python3*/site-packages/rich/_win32_console.py python3*/site-packages/rich/_windows_renderer.py python3*/site-packages/rich/__main__.py \
        python3*/site-packages/click/_winconsole.py python3*/site-packages/typer/_click/_winconsole.py \
        python3*/site-packages/opentelemetry/semconv/trace python3*/site-packages/grpc/beta python3*/site-packages/grpc/framework \
        python3*/site-packages/urllib3/contrib/emscripten python3*/site-packages/urllib3/contrib/pyopenssl.py \
        python3*/site-packages/truststore/_macos.py python3*/site-packages/truststore/_windows.py \
        python3*/site-packages/uvicorn/protocols/http/httptools_impl.py python3*/site-packages/uvicorn/protocols/http/zttp_*impl.py \
        python3*/site-packages/uvicorn/protocols/websockets/*_impl.py python3*/site-packages/google/protobuf/internal/*_benchmark.py \
        python3*/site-packages/httpx/_main.py python3*/site-packages/httpx2/_main.py python3*/site-packages/pydantic/color.py \
        python3*/site-packages/numpy/ctypeslib python3*/site-packages/numpy/typing/mypy_plugin.py \
        python3*/site-packages/google/protobuf/internal/testing_refleaks.py python3*/site-packages/annotated_types/test_cases.py python3*/site-packages/typer/testing.py \
    && rm -rf python3*/site-packages/numpy/distutils \
    && find . -path '*/site-packages/packaging/*.py' -not -name __init__.py -not -name version.py -not -name _structures.py -delete \
    && find . \( -path '*/pygments/lexers/*.py' -o -path '*/pygments/formatters/*.py' -o -path '*/pygments/styles/*.py' \) -not -name __init__.py -not -name _mapping.py -delete \
    && find . -path '*/opentelemetry/semconv/_incubating/*.py' -not -name __init__.py -not -name 'otel_*.py' -not -name rpc_attributes.py -delete \
    && find . -path '*/numpy/_core/_simd*.so' -delete -o -path '*/numpy/_core/*_tests.*.so' -delete \
    && find . -type d -name tests -not -path '*/site-packages/sidecar/*' -prune -exec rm -r {} + \
    && find . -type f \( -name '*.pyi' -o -name '*.pxd' -o -name '*.[ach]' -o -name '*.proto' -o -path '*.dist-info/RECORD' \) -not -path '*/site-packages/sidecar/*' -delete \
    && find . \( -path '*/tokenizers/*.so' -o -path '*/sentencex/*.so' -o -path '*/aiokafka/*.so' -o -path '*/re2/*.so' -o -path '*/charset_normalizer/*.so' \
        -o -path '*/numpy/_core/*.so' -o -path '*/numpy/linalg/*.so' -o -path '*/numpy/random/*.so' -o -path '*/google/_upb/*.so' \) -exec strip --strip-unneeded {} + \
    && find . -type d -name __pycache__ -prune -exec rm -r {} +
RUN python -c 'import sidecar.app; from sidecar import score; \
        assert score([{"answer": "Nine years.", "contexts": ["The warranty is two years."]}])[0]["verdict"] == "hallucinated"' \
    && rag-sidecar check --example >/dev/null

FROM build AS export
COPY requirements-export.lock ./
RUN python -m pip install --require-hashes -r requirements-export.lock
# A folder that is given to the build, not a stage.
# hadolint ignore=DL3022
COPY --from=snapshot . /snapshot
RUN rag-sidecar models export hhem /snapshot --out /opt/hhem

FROM ${PYTHON_IMAGE} AS runtime
ARG REVISION=unknown
LABEL org.opencontainers.image.title="rag-sidecar" \
      org.opencontainers.image.description="Online monitoring of production RAG services: Kafka traces in, reference-free scores out" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=slim /opt/rag-sidecar /opt/rag-sidecar
ENV PATH=/opt/rag-sidecar/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    ORT_DISABLE_TELEMETRY=1
# A number, so that Kubernetes can tell that it is not root. The image needs to write nowhere but in /tmp.
USER 10001:10001
WORKDIR /tmp
EXPOSE 9464 9465
# /livez on the probes' port; orchestrators with probes of their own (see the chart) do not read this.
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + (os.environ.get('RAG_SIDECAR_ADMIN__PROBE_PORT') or str(int(os.environ.get('RAG_SIDECAR_ADMIN__PORT', '9464')) + 1)) + '/livez', timeout=4)"]
ENTRYPOINT ["rag-sidecar"]
CMD ["run"]

FROM runtime AS with-hhem
COPY --from=export /opt/hhem /opt/hhem
ENV RAG_SIDECAR_INFERENCE__HHEM_DIR=/opt/hhem

FROM runtime AS sidecar
