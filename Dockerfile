# The Node of the final image and of the build are the same, so that native addons fit.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/schema/package.json packages/schema/
COPY packages/merge/package.json packages/merge/
COPY packages/migrate/package.json packages/migrate/
COPY packages/native-clients/package.json packages/native-clients/
COPY packages/engine/package.json packages/engine/
COPY packages/create/package.json packages/create/
COPY packages/client/package.json packages/client/
COPY tools/bench/package.json tools/bench/
COPY tools/simulate/package.json tools/simulate/
COPY packages/studio/package.json packages/studio/
RUN npm ci
COPY tsconfig.base.json tsconfig.build.json ./
COPY packages/schema packages/schema
COPY packages/merge packages/merge
COPY packages/migrate packages/migrate
COPY packages/native-clients packages/native-clients
COPY packages/engine packages/engine
COPY packages/create packages/create
COPY packages/client packages/client
COPY packages/studio packages/studio
COPY src src
COPY scripts scripts
RUN npm run build && npm prune --omit=dev

FROM node:${NODE_VERSION}-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=1337 QUIRE_DATA_DIR=/data
# Memory that is free goes back to the system: docs/performance.md.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576 MALLOC_TRIM_THRESHOLD_=1048576
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/packages/schema packages/schema
COPY --from=build /app/packages/merge packages/merge
COPY --from=build /app/packages/migrate packages/migrate
COPY --from=build /app/packages/native-clients packages/native-clients
COPY --from=build /app/packages/engine packages/engine
COPY --from=build /app/packages/create packages/create
COPY --from=build /app/dist dist
COPY content-types content-types
USER node
VOLUME /data
EXPOSE 1337
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/_health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# node is process 1 and handles SIGTERM itself: no shell and no npm in between.
CMD ["node", "--enable-source-maps", "--max-semi-space-size=16", "--heap-growing-percent=100", "dist/src/server/main.js"]
