# The service: docs/howto/deploy.md. `docker compose up` starts it with PostgreSQL.
FROM python:3.13.7-slim-bookworm AS build
ARG VERSION=0.1.0.dev0
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 SETUPTOOLS_SCM_PRETEND_VERSION_FOR_RBMLE=$VERSION
WORKDIR /build
COPY pyproject.toml README.md LICENSE CHANGELOG.md CITATION.cff ./
COPY deploy/install.sh deploy/
COPY src src
RUN deploy/install.sh /opt/rbmle

FROM python:3.13.7-slim-bookworm
# Code for a plain processor runs on every machine, so that what is compiled here is found there.
ENV PATH=/opt/rbmle/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NUMBA_CPU_NAME=generic \
    RBMLE_CACHE_DIR=/var/lib/rbmle/cache \
    RBMLE_DATABASE=sqlite:////var/lib/rbmle/data/rbmle.db
RUN useradd --uid 10001 --create-home --home-dir /var/lib/rbmle --shell /usr/sbin/nologin rbmle
COPY --from=build /opt/rbmle /opt/rbmle
USER 10001
WORKDIR /var/lib/rbmle
RUN mkdir -m 700 cache data && env -u RBMLE_DATABASE rbmle service warm
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["rbmle"]
CMD ["serve", "--host", "0.0.0.0", "--workers", "2"]
