import Joi from 'joi'
import { listDeadLetters, retryDeadLetters } from '../../changes/extensions/dead-letters.ts'
import { examineFollowers } from '../../changes/extensions/follower-health.ts'
import type { DocumentContext } from '../../content/context.ts'
import { administratorAction } from '../../people/access/administrator-actions.ts'
import { readInput } from '../../people/access/input.ts'
import { payloadOf, readQuery } from '../body/read-request.ts'
import { adminRouter, type BeforeAdmin } from '../router/admin-router.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'

export interface ExtensionFailureDependencies extends BeforeAdmin {
  readonly documents: Pick<DocumentContext, 'database' | 'now'>
}

interface Selection {
  readonly extension?: string
  readonly id?: string
}

const NAME = Joi.string().max(200)
const QUERY = Joi.object<Selection>({ extension: NAME })
const RETRY = Joi.object<Selection>({ extension: NAME, id: Joi.string().max(1_000) })
  .or('extension', 'id')
  .required()

export function extensionFailureRoutes(dependencies: ExtensionFailureDependencies): GuardedRouter {
  const { database, now } = dependencies.documents
  const admin = adminRouter('/admin/extension-failures', dependencies)
  admin.get('/', administratorAction('admin::webhooks', 'read'), async (ctx) => {
    const { extension = null } = readInput(QUERY, readQuery(ctx.querystring))
    const extensions = await examineFollowers(database)
    ctx.body = { data: await listDeadLetters(database, extension), meta: { extensions } }
  })
  admin.post('/retry', administratorAction('admin::webhooks', 'update'), async (ctx) => {
    const { extension = null, id = null } = readInput(RETRY, payloadOf(ctx))
    const retried = await retryDeadLetters(database, { extension, id }, now())
    ctx.body = { data: { retried } }
  })
  return admin.router
}
