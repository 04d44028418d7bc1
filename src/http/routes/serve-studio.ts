import { NotFoundError } from '../../base/errors.ts'
import { everyone, type GuardedRouter, guardedRouter } from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'
import { sendStatic } from '../answer/static-file.ts'
import type { StudioFile, StudioFiles } from '../answer/studio-files.ts'

/** Files may come from other hosts such as S3. The Studio cannot be framed. */
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

function policyFor(previews: readonly string[]): string {
  const frames = previews.length === 0 ? [] : [`frame-src ${previews.join(' ')}`]
  return [...POLICY, ...frames].join('; ')
}

const READ_AFTER_MS = 3_000

const FOR_GOOD = 'public, max-age=31536000, immutable'

/** `read` is called soon, because a new version may replace the files, but not before the server answers. */
export function serveStudio(
  read: () => Promise<StudioFiles>,
  previews: readonly string[] = [],
): GuardedRouter {
  const router = guardedRouter('', { sensitive: true })
  const policy = policyFor(previews)
  const opened = readOnce(read)
  setTimeout(() => void opened().catch(() => undefined), READ_AFTER_MS).unref()
  const page = everyone(async (ctx) => sendPage(ctx, await opened(), policy))
  router.get('/studio', page)
  router.get(
    '/studio/{*path}',
    everyone(async (ctx) => {
      const studio = await opened()
      const name = ctx.path.slice('/studio/'.length)
      const file = studio.files.get(name)
      if (file !== undefined && file !== studio.page) return send(ctx, file)
      if (name.startsWith('assets/') || name.startsWith('branding/')) {
        throw new NotFoundError('There is no such file')
      }
      sendPage(ctx, studio, policy)
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

/** Files that are missing or unreadable are looked for again. */
export function readOnce(read: () => Promise<StudioFiles>): () => Promise<StudioFiles> {
  let opened: Promise<StudioFiles> | null = null
  const again = (): void => {
    opened = null
  }
  return () => {
    if (opened === null) {
      opened = read()
      opened.then(({ page }) => {
        if (page === null) again()
      }, again)
    }
    return opened
  }
}

function sendPage(ctx: Context, { page }: StudioFiles, policy: string): void {
  if (page === null) throw new NotFoundError('The Studio is not built: npm run build')
  ctx.set('Content-Security-Policy', policy)
  ctx.set('X-Frame-Options', 'DENY')
  send(ctx, page)
}

function send(ctx: Context, file: StudioFile): void {
  const { image } = file
  if (image !== undefined) ctx.set('Content-Security-Policy', image.policy)
  const isVersioned = image !== undefined && ctx.querystring === `v=${image.version}`
  sendStatic(ctx, file, file.hashed || isVersioned ? FOR_GOOD : 'no-cache')
}
