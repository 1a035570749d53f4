# Two stages: the first installs from the lock files, with hashes, into a virtual environment; the second holds only that.
# Another base, for example one pinned by digest: docker build --build-arg PYTHON_IMAGE=python@sha256:...
ARG PYTHON_IMAGE=python:3.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ONLY_BINARY=:all:
WORKDIR /src
RUN python -m venv /opt/rag-sidecar
ENV PATH=/opt/rag-sidecar/bin:$PATH
# Dependencies first: they change less often than the code, so that this layer is used again.
COPY requirements.lock requirements-build.lock ./
RUN python -m pip install --require-hashes -r requirements-build.lock -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY exporters exporters
COPY sidecar sidecar
RUN python -m pip install --no-deps --no-build-isolation --no-index . \
    && python -m pip uninstall --yes setuptools \
    && rag-sidecar version \
    && python -m pip uninstall --yes pip

FROM ${PYTHON_IMAGE}
LABEL org.opencontainers.image.title="rag-sidecar" \
      org.opencontainers.image.description="Online monitoring of production RAG services: Kafka traces in, reference-free scores out" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0"
COPY --from=build /opt/rag-sidecar /opt/rag-sidecar
ENV PATH=/opt/rag-sidecar/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
# A number, so that Kubernetes can tell that it is not root. The image needs to write nowhere but in /tmp.
USER 10001:10001
WORKDIR /tmp
EXPOSE 9464 9465
# /livez on the probes' port; orchestrators with probes of their own (see the chart) do not read this.
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + (os.environ.get('RAG_SIDECAR_ADMIN__PROBE_PORT') or str(int(os.environ.get('RAG_SIDECAR_ADMIN__PORT', '9464')) + 1)) + '/livez', timeout=4)"]
ENTRYPOINT ["rag-sidecar"]
CMD ["run"]
