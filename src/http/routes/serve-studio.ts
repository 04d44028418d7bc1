import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { NotFoundError } from '../../errors.ts'
import { everyone, type GuardedRouter, guardedRouter } from '../guarded-router.ts'
import type { Context } from '../state.ts'
import type { StudioFile, StudioFiles } from '../studio-files.ts'

/** The app may load itself, call this server and show files, also from elsewhere (S3). It cannot be framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob: https:",
  "media-src 'self' blob: https:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
]

/** It frames nothing but the previews that content-types declare. */
function policyFor(previews: readonly string[]): string {
  const frames = previews.length === 0 ? [] : [`frame-src ${previews.join(' ')}`]
  return [...POLICY, ...frames].join('; ')
}

const FOR_GOOD = 'public, max-age=31536000, immutable'

/**
 * `GET /studio…`: the files of the app, open to everybody as it holds nothing but itself; any address
 * that is no file is one of the app's own screens. A browser that asks for `/admin` is sent there.
 */
export function serveStudio(studio: StudioFiles, previews: readonly string[] = []): GuardedRouter {
  const router = guardedRouter('', { sensitive: true })
  const policy = policyFor(previews)
  const page = everyone((ctx) => sendPage(ctx, studio, policy))
  router.get('/studio', page)
  router.get(
    '/studio/{*path}',
    everyone(async (ctx) => {
      const name = ctx.path.slice('/studio/'.length)
      const file = studio.files.get(name)
      if (file !== undefined && file !== studio.page) return send(ctx, file)
      if (name.startsWith('assets/')) throw new NotFoundError('There is no such file')
      return sendPage(ctx, studio, policy)
    }),
  )
  router.get(
    '/admin',
    everyone((ctx) => {
      if (ctx.accepts('json', 'html') !== 'html') {
        return Promise.reject(new NotFoundError('Not Found'))
      }
      ctx.redirect('/studio')
      return Promise.resolve()
    }),
  )
  return router
}

async function sendPage(ctx: Context, { page }: StudioFiles, policy: string): Promise<void> {
  if (page === null) throw new NotFoundError('The Studio is not built: npm run build')
  ctx.set('Content-Security-Policy', policy)
  ctx.set('X-Frame-Options', 'DENY')
  await send(ctx, page)
}

async function send(ctx: Context, file: StudioFile): Promise<void> {
  ctx.vary('Accept-Encoding')
  ctx.set('Cache-Control', file.hashed ? FOR_GOOD : 'no-cache')
  ctx.set('ETag', file.etag)
  ctx.compress = false // it lies there packed
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const coding = ctx.acceptsEncodings([...Object.keys(file.packed), 'identity'])
  const packed = coding === false ? undefined : file.packed[coding]
  if (packed !== undefined && coding !== false) ctx.set('Content-Encoding', coding)
  const path = packed ?? file.path
  ctx.type = file.type
  ctx.length = (await stat(path)).size
  if (ctx.method !== 'HEAD') ctx.body = createReadStream(path)
}
