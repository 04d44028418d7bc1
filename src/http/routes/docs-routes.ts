import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, type BrotliOptions, constants, gzip } from 'node:zlib'
import { NotFoundError } from '../../base/errors.ts'
import { everyone, type GuardedRouter, guardedRouter } from '../router/guarded-router.ts'
import { parameterOf } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { sendStatic, type StaticFile } from '../answer/static-file.ts'

/** Made by the build, see scripts/copy-swagger-ui.ts. */
const COPIED = fileURLToPath(new URL('../../../swagger-ui/', import.meta.url))

const ASSETS: ReadonlyMap<
  string,
  { readonly type: string; readonly read: () => Promise<Buffer | string> }
> = new Map([
  ['swagger-ui.css', { type: 'text/css', read: () => packaged('swagger-ui.css') }],
  [
    'swagger-ui-bundle.js',
    { type: 'text/javascript', read: () => packaged('swagger-ui-bundle.js') },
  ],
  ['start.js', { type: 'text/javascript', read: () => Promise.resolve(START) }],
])

function assetFiles(): (name: string) => Promise<StaticFile> | undefined {
  const files = new Map<string, Promise<StaticFile>>()
  return (name) => {
    const asset = ASSETS.get(name)
    if (asset === undefined) return undefined
    const known = files.get(name) ?? packAsset(asset)
    files.set(name, known)
    known.catch(() => files.delete(name))
    return known
  }
}

async function packAsset({
  type,
  read,
}: {
  readonly type: string
  readonly read: () => Promise<Buffer | string>
}): Promise<StaticFile> {
  const bytes = Buffer.from(await read())
  const [br, gzip] = await Promise.all([packBrotli(bytes, BROTLI), packGzip(bytes)])
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 20)}"`
  return { type, bytes, packed: { br, gzip }, etag }
}

const packBrotli = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)
const packGzip = promisify<Buffer, Buffer>(gzip)
/** Higher qualities take seconds per megabyte. */
const BROTLI: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

/** This server hosts all assets, so that the page works offline. */
export function docsRoutes(publicUrl: string): GuardedRouter {
  const router = guardedRouter('/api/docs')
  const page = everyone((ctx) => {
    ctx.set('Content-Security-Policy', policyFor(publicUrl))
    ctx.set('Cache-Control', 'no-cache')
    ctx.type = 'html'
    ctx.body = pageAt(ctx)
    return Promise.resolve()
  })
  const assetOf = assetFiles()
  const asset = everyone(async (ctx) => {
    const found = assetOf(parameterOf(ctx, 'asset'))
    if (found === undefined) throw new NotFoundError('Not Found')
    sendStatic(ctx, await found, 'public, max-age=3600')
  })
  router.get('/', page)
  router.get('/:asset', asset)
  return router
}

function packaged(name: string): Promise<Buffer> {
  return readFile(join(assetFolder(), name))
}

/** Without a build, the files of the development dependency. */
function assetFolder(): string {
  if (existsSync(COPIED)) return COPIED
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
}

/** Swagger UI sets inline styles. The page connects only to this server and its public origin. */
function policyFor(publicUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}

function pageAt({ path }: Context): string {
  const folder = path.endsWith('/') ? '' : 'docs/'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Content API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}swagger-ui.css">
</head>
<body>
<main id="api"></main>
<noscript>This page needs JavaScript; the description itself is <a href="/api/openapi.json">openapi.json</a>.</noscript>
<script src="${folder}swagger-ui-bundle.js"></script>
<script src="${folder}start.js"></script>
</body>
</html>
`
}

/** Runs in the browser. Reloads the description with the token after \`Authorize\`. */
const START = `'use strict'
const description = location.pathname.replace(/docs\\/?$/i, 'openapi.json')
let token = null
const withToken = (after) => (original, system) => (payload) => {
  token = after(payload)
  original(payload)
  system.specActions.download(description)
}
SwaggerUIBundle({
  url: description,
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor: (request) => {
    if (token !== null) request.headers.Authorization = 'Bearer ' + token
    return request
  },
  plugins: [
    () => ({
      statePlugins: {
        auth: {
          wrapActions: {
            authorize: withToken((payload) => payload.bearer?.value || null),
            logout: withToken(() => null),
          },
        },
      },
    }),
  ],
})
`
