import Joi from 'joi'
import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import { readInput } from '../../people/access/input.ts'
import { assertMayIn } from '../../people/access/permissions.ts'
import { rulesFor } from '../../people/access/principal.ts'
import { type AssertMayEnd, endDeleted } from '../../content/trash/end-deleted.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { listTrash } from '../../content/trash/list-trash.ts'
import {
  assertDeletionsVisible,
  assertMayDelete,
  visibleDeletions,
} from '../../content/trash/visible-deletions.ts'
import { restoreDocument } from '../../content/trash/restore-document.ts'
import type { FileTrash } from '../../media/file-trash.ts'
import {
  assertSeenBy,
  FILE_ACTIONS,
  isOfFile,
  seenFiles,
  UID_OF_FILES,
  type TrashVerb,
} from './request/trashed-files.ts'
import { plainFault } from '../../base/errors.ts'
import { type RestoreTarget } from '../../content/trash/restore-document.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { administratorsUnderRule, type GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf, parameterOf, readQuery } from '../body/read-request.ts'
import { readOriginOf } from '../reads/query-rules.ts'
import type { ContentRouteDependencies } from '../content/handlers.ts'
import type { Context } from '../router/state.ts'
import { adminRouter } from '../router/admin-router.ts'
import { mayFindIn } from './request/may-find-in.ts'
import { maySeeUnderRule, readableTypes } from './request/readable-types.ts'
import { assertSingle, ownVerb, planOf } from '../content/editor-content.ts'

interface Dependencies extends ContentRouteDependencies {
  readonly trash: FileTrash
}

const DELETION = Joi.string()
  .pattern(/^[0-9a-f]{24}-[a-z][a-z0-9]{23}$/)
  .message('{{#label}} must be an id of this list')

interface ListQuery {
  readonly uid?: string
  readonly pagination?: { readonly cursor?: string; readonly pageSize?: number }
}

const LIST = Joi.object<ListQuery>({
  uid: Joi.string().max(255),
  pagination: Joi.object({
    cursor: DELETION,
    pageSize: Joi.number().integer().min(1).max(100),
  }),
}).prefs({ convert: true }) // query parameters are text

interface RestoreInput {
  readonly deletion?: string
  readonly locales?: readonly string[]
  readonly from?: RestoreTarget['from']
}

const RESTORE = Joi.object<{ readonly data?: RestoreInput }>({
  data: Joi.object({
    deletion: DELETION,
    locales: Joi.array().items(Joi.string().max(35)).min(1).max(500).unique(),
    from: Joi.valid('draft', 'published', 'both'),
  }),
})

const RESTORE_FILE = Joi.object<{ readonly data?: Pick<RestoreInput, 'deletion'> }>({
  data: Joi.object({ deletion: DELETION }),
})

const END = Joi.object<{ readonly deletion?: string }>({ deletion: DELETION })

export function trashRoutes(dependencies: Dependencies): GuardedRouter {
  const admin = adminRouter('/admin/trash', dependencies)
  const asking = (verb: TrashVerb) => (ctx: Context) => {
    if (isOfFile(ctx)) return FILE_ACTIONS[verb]
    const plan = planOf(ctx, dependencies)
    assertSingle(ctx, plan)
    return contentAction(plan, ownVerb(plan, verb))
  }
  admin.get('/', null, (ctx) => list(ctx, dependencies))
  admin.guarded(
    'post',
    '/:uid/:documentId/restore',
    (run) => administratorsUnderRule('create', asking('create'), run),
    (ctx) => (isOfFile(ctx) ? restoreFile : restore)(ctx, dependencies),
  )
  admin.guarded(
    'delete',
    '/:uid/:documentId',
    (run) => administratorsUnderRule('delete', asking('delete'), run),
    (ctx) => (isOfFile(ctx) ? endFile : end)(ctx, dependencies),
  )
  return admin.router
}

async function list(ctx: Context, dependencies: Dependencies): Promise<void> {
  const { documents, locales, schema } = dependencies
  const { uid, pagination = {} } = readInput(LIST, readQuery(ctx.querystring))
  const { cursor = null, pageSize = 25 } = pagination
  const plans = [...schema.contentTypes.values()].filter(
    (plan) => plan.uid.startsWith('api::') && (uid === undefined || plan.uid === uid),
  )
  const known = await locales.current()
  const files = uid === undefined || uid === UID_OF_FILES ? seenFiles(ctx) : []
  const seen = [...readableTypes(ctx.state.principal, plans, known, maySeeUnderRule), ...files]
  const page = { before: cursor, limit: pageSize }
  const rules = writeRulesOf(ctx.state.principal)
  const { deleted, next } = await listTrash(documents, seen, page, (rows) =>
    visibleDeletions(documents, rules, schema.contentTypes, rows),
  )
  const { trashDays } = documents.database
  ctx.body = { data: deleted, meta: { trashDays, pagination: { pageSize, nextCursor: next } } }
}

async function restore(ctx: Context, dependencies: Dependencies): Promise<void> {
  const plan = planOf(ctx, dependencies)
  const { data = {} } = readInput(RESTORE, payloadOf(ctx) ?? {})
  const documentId = parameterOf(ctx, 'documentId')
  await assertVisible(ctx, dependencies, plan, data.deletion ?? null)
  const { defaultCode } = await dependencies.locales.current()
  const rules = writeRulesOf(ctx.state.principal)
  const { versions, lost, taken } = await restoreDocument(dependencies.documents, {
    plan,
    documentId,
    deletion: data.deletion ?? null,
    locales: data.locales ?? null,
    from: data.from ?? 'draft',
    assertMay: assertMayAll(ctx, plan, 'create'),
    assertMayPublish: (published) => {
      if (published.length > 0) assertMayAll(ctx, plan, 'publish')(published)
    },
    writer: { ...(rules !== undefined && { rules }), locale: defaultCode },
    origin: readOriginOf(ctx),
  })
  const mayFind = mayFindIn(ctx, defaultCode)
  const named = lost.filter(
    ({ targetUid, locale }) => targetUid === null || mayFind(targetUid, locale),
  )
  const own = ({ locale }: { readonly locale: string }) => (plan.localized ? { locale } : {})
  ctx.body = {
    data: versions.map((version) => ({
      documentId,
      ...own(version),
      status: version.status,
      revision: version._revision,
    })),
    meta: {
      lost: named.map((one) => ({ ...own(one), path: one.path, documentId: one.documentId })),
      taken: taken.map(({ locale, ...one }) => ({ ...own({ locale }), ...plainFault(one) })),
    },
  }
}

async function restoreFile(ctx: Context, { trash }: Dependencies): Promise<void> {
  const { data = {} } = readInput(RESTORE_FILE, payloadOf(ctx) ?? {})
  const documentId = parameterOf(ctx, 'documentId')
  const { deletion = null } = data
  const restored = await trash.restore({ documentId, deletion }, assertSeenBy(ctx))
  const { status, _revision: revision } = restored
  ctx.body = { data: [{ documentId, status, revision }], meta: { lost: [], taken: [] } }
}

async function endFile(ctx: Context, { trash }: Dependencies): Promise<void> {
  const { deletion = null } = readInput(END, readQuery(ctx.querystring))
  await trash.end({ documentId: parameterOf(ctx, 'documentId'), deletion }, assertSeenBy(ctx))
  ctx.status = 204
}

async function end(ctx: Context, dependencies: Dependencies): Promise<void> {
  const plan = planOf(ctx, dependencies)
  const { deletion = null } = readInput(END, readQuery(ctx.querystring))
  const which = { documentId: parameterOf(ctx, 'documentId'), deletion }
  await assertVisible(ctx, dependencies, plan, deletion)
  const { documents } = dependencies
  const { principal } = ctx.state
  const rules = writeRulesOf(principal)
  const isRuled = rulesFor(principal, contentAction(plan, 'delete')).length > 0
  const assertMay: AssertMayEnd = async (rows, session) => {
    if (rules !== undefined && isRuled) {
      await assertMayDelete(documents, rules, plan, rows, session)
    } else assertMayAll(ctx, plan, 'delete')(rows.flatMap(({ locales }) => locales))
  }
  await endDeleted(documents, plan, which, assertMay)
  ctx.status = 204
}

async function assertVisible(
  ctx: Context,
  { documents }: Dependencies,
  plan: ContentTypePlan,
  deletion: string | null,
): Promise<void> {
  const documentId = parameterOf(ctx, 'documentId')
  const rules = writeRulesOf(ctx.state.principal)
  await assertDeletionsVisible(documents, rules, plan, { documentId, deletion })
}

function assertMayAll({ state: { principal } }: Context, plan: ContentTypePlan, verb: ContentVerb) {
  const action = contentAction(plan, ownVerb(plan, verb))
  return (locales: readonly string[]): void => {
    // Rules have no locales.
    if (rulesFor(principal, action).length > 0) return
    assertMayIn(principal, action, plan.localized ? locales : [])
  }
}
