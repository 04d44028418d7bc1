import Joi from 'joi'
import { contentAction, type ContentVerb, contentVerbs } from '../../people/access/actions.ts'
import { readInput } from '../../people/access/input.ts'
import { rulesFor } from '../../people/access/principal.ts'
import type { DocumentContext } from '../../content/context.ts'
import { deleteDocument } from '../../content/write/delete-document.ts'
import {
  discardDraft,
  publishDocument,
  unpublishDocument,
} from '../../content/write/publish-document.ts'
import { CmsError, NotFoundError } from '../../base/errors.ts'
import { parseActionLocales, parseDeletedLocales } from '../../query/parse-version.ts'
import type { LocaleRules } from '../../query/query.ts'
import { assertTypeWritable } from '../../schema/adopted-verbs.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { codedEnvelope } from '../answer/envelope.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf } from '../body/read-request.ts'
import { readOriginOf, writerOf } from '../reads/query-rules.ts'
import type { Context } from '../router/state.ts'
import { adminRouter } from '../router/admin-router.ts'
import { boundLocales } from '../admin/request/bound-locales.ts'
import {
  type EditorContentDependencies,
  localeOf,
  planOf,
  readersOfType,
} from './editor-content.ts'

type BulkName = 'publish' | 'unpublish' | 'discard' | 'delete'

interface BulkInput {
  readonly action: BulkName
  readonly documentIds: readonly string[]
  readonly locale?: string
}

interface BulkResult {
  readonly documentId: string
  readonly status: number
  readonly error?: object
}

const MAX_DOCUMENTS = 500
/** Concurrent documents per request, so that most database connections stay available to other requests. */
const CONCURRENCY = 4

export const DOCUMENT_IDS = Joi.array()
  .items(Joi.string().max(100))
  .min(1)
  .max(MAX_DOCUMENTS)
  .unique()
  .required()

const BULK = Joi.object<BulkInput>({
  action: Joi.valid('publish', 'unpublish', 'discard', 'delete').required(),
  documentIds: DOCUMENT_IDS,
  locale: Joi.string().max(1_000),
})

const VERBS: Readonly<Record<BulkName, ContentVerb>> = {
  publish: 'publish',
  unpublish: 'publish',
  discard: 'update',
  delete: 'delete',
}

export function bulkActionRoutes(dependencies: EditorContentDependencies): GuardedRouter {
  const admin = adminRouter('/admin/content', dependencies)
  admin.guarded(
    'post',
    '/:uid/bulk',
    (run) => readersOfType(dependencies, run),
    (ctx) => runBulk(ctx, dependencies),
  )
  return admin.router
}

async function runBulk(ctx: Context, dependencies: EditorContentDependencies): Promise<void> {
  const plan = planOf(ctx, dependencies)
  const { action, documentIds, locale = '' } = readInput(BULK, payloadOf(ctx))
  const verb = VERBS[action]
  assertTypeWritable(plan, action)
  const isThere = action === 'delete' || plan.draftAndPublish
  if (!isThere || !contentVerbs(plan).includes(verb)) throw new NotFoundError('Not Found')
  const prepare = async (): Promise<Work> => {
    const known = await dependencies.locales.current()
    const needed = contentAction(plan, verb)
    const isRuled = rulesFor(ctx.state.principal, needed).length > 0
    const rules = boundLocales(ctx, plan, { locale }, isRuled ? [] : [needed], known)
    return workOf(ctx, plan, { action, locale, rules }, dependencies.documents)
  }
  await prepare() // rejects an invalid request as a whole
  const results: BulkResult[] = []
  for (let start = 0; start < documentIds.length; start += CONCURRENCY) {
    if (ctx.req.socket.destroyed) return // the client has disconnected
    const some = documentIds.slice(start, start + CONCURRENCY)
    const work = await prepareAgain(ctx, prepare)
    results.push(...(await Promise.all(some.map((documentId) => resultOf(documentId, work)))))
  }
  ctx.body = { data: results }
}

type Work = (documentId: string) => Promise<void>

/** If the caller lost its permissions between two batches, the remaining documents fail with that error. */
async function prepareAgain(ctx: Context, prepare: () => Promise<Work>): Promise<Work> {
  try {
    await ctx.state.authorizeAgain?.()
    return await prepare()
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
    return () => Promise.reject(error)
  }
}

function workOf(
  ctx: Context,
  plan: ContentTypePlan,
  { action, locale, rules }: Pick<BulkInput, 'action'> & { locale: string; rules: LocaleRules },
  documents: DocumentContext,
): Work {
  const origin = readOriginOf(ctx)
  const writer = writerOf(ctx, { locale: localeOf(plan, { locale }, rules) })
  if (action === 'delete') {
    const which = parseDeletedLocales({ locale }, plan, rules)
    return (documentId) =>
      deleteDocument(documents, { plan, documentId, locales: which, origin, writer })
  }
  const run = { publish: publishDocument, unpublish: unpublishDocument, discard: discardDraft }[
    action
  ]
  const locales = parseActionLocales({ locale }, plan, rules)
  return async (documentId) => {
    await run(documents, { plan, documentId, locales, writer, origin })
  }
}

async function resultOf(documentId: string, work: Work): Promise<BulkResult> {
  try {
    await work(documentId)
    return { documentId, status: 200 }
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
    const shown = codedEnvelope(error).error
    return { documentId, status: error.status, error: { ...shown, code: error.errorCode } }
  }
}
