import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Access } from '../../people/access/access.ts'
import { readerKeys } from '../../people/access/reader-key.ts'
import type { Principal } from '../../people/access/principal.ts'
import { type ApiFacts, describeApi } from '../../describe/openapi/describe-api.ts'
import { sendDigested } from '../answer/entity-tag.ts'
import { everyone, type GuardedRouter, guardedRouter } from '../router/guarded-router.ts'
import type { Context, Middleware } from '../router/state.ts'

export interface DescriptionDependencies {
  readonly facts: () => Promise<ApiFacts>
  readonly access: Pick<Access, 'actions'>
  readonly authenticate: Middleware
}

/** Total size of the cached descriptions. Each distinct set of permissions has its own description. */
const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024

export function descriptionRoutes(dependencies: DescriptionDependencies): GuardedRouter {
  const router = guardedRouter('/api/openapi.json')
  const describe = cacheDescriptions(dependencies)
  const get = everyone(async (ctx: Context) => {
    ctx.set('Cache-Control', 'no-cache')
    ctx.vary('Authorization')
    sendDigested(ctx, await describe(ctx.state.principal))
  })
  router.get('/', dependencies.authenticate, get)
  return router
}

function cacheDescriptions({
  facts,
  access: { actions },
}: DescriptionDependencies): (principal: Principal) => Promise<string> {
  const cached = new LRUCache<string, string>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ length }) => length,
  })
  const readerKey = readerKeys(actions.all)
  return async ({ grants }) => {
    const current = await facts()
    const codes = current.locales.all.map(({ code }) => code)
    const key = digestOf([readerKey(grants), current.locales.defaultCode, ...codes].join(' '))
    const known = cached.get(key)
    if (known !== undefined) return known
    const text = JSON.stringify(describeApi(current, grants))
    cached.set(key, text)
    return text
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
