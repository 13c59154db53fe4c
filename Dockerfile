# One image for every role; STASH_ROLE and the command decide what a container does (compose.yaml).
FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
RUN python -m venv /app/.venv
COPY requirements.txt ./
COPY client ./client
RUN .venv/bin/python -m pip install -q -r requirements.txt
COPY . .
# The same step that `make run` takes; the secret is of the build only and leaves no trace in the image.
RUN STASH_SECRET_KEY=only-while-the-image-is-built-0000000000000000 STASH_DATA=/tmp/build STASH_STATIC=/app/static-collected \
    sh -c '.venv/bin/python manage.py collectstatic --noinput -v 0 && .venv/bin/python manage.py build_client' \
    && rm -rf /tmp/build

FROM python:3.11-slim-bookworm
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin stash \
    && install -d -o stash -g stash /data
WORKDIR /app
COPY --from=build /app /app
# What `prepare` brings up to date when it finds it old, and it does not run as root.
COPY --from=build --chown=stash:stash /app/static-collected /app/static-collected
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    STASH_DATA=/data STASH_STATIC=/app/static-collected STASH_LOG_LEVEL=INFO
USER stash
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
# Without compose: everything in one container, on SQLite in /data.
CMD ["python", "manage.py", "serve", "--prepare", "--host", "0.0.0.0"]
