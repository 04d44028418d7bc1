import Joi from 'joi'
import { contentAction, type ContentVerb, contentVerbs } from '../../people/access/actions.ts'
import { readInput } from '../../people/access/input.ts'
import { assertMayIn } from '../../people/access/permissions.ts'
import { rulesFor } from '../../people/access/principal.ts'
import { mayInUnderRule } from '../../people/access/ruled-reads.ts'
import { compareContent } from '../../content/history/compare-content.ts'
import {
  getPastState,
  listChangedHistory,
  listHistory,
  type PastState,
} from '../../content/history/find-history.ts'
import { withoutTargets } from '../../content/history/past-content.ts'
import { type IsPastVisible, pastVisibility } from '../../content/history/visible-history.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { shownNames } from '../../content/rules/shown-names.ts'
import { restoreContent } from '../../content/history/restore-content.ts'
import { showWrittenVersion } from '../../content/write/show-written.ts'
import { NotFoundError, ValidationError } from '../../base/errors.ts'
import { parseEntryQuery } from '../../query/parse-query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { readCondition, sendTagged } from '../answer/entity-tag.ts'
import { entryEnvelope } from '../answer/envelope.ts'
import { administratorsUnderRule, type GuardedRouter } from '../router/guarded-router.ts'
import { payloadOf, parameterOf, readQuery } from '../body/read-request.ts'
import { entryRulesOf, readOriginOf, writerOf } from '../reads/query-rules.ts'
import type { ContentRouteDependencies } from '../content/handlers.ts'
import type { Context } from '../router/state.ts'
import { toJson } from '../answer/to-json.ts'
import { adminRouter } from '../router/admin-router.ts'
import { HISTORY_PAGE_SIZE, historyEnvelope } from './request/entry-facts.ts'
import { mayFindIn } from './request/may-find-in.ts'

type Dependencies = ContentRouteDependencies
type Handler = (ctx: Context, plan: ContentTypePlan, dependencies: Dependencies) => Promise<void>

const IS_REVISION = /^[0-9a-f]{16}$/

const REVISION = Joi.string()
  .pattern(IS_REVISION)
  .message('{{#label}} must be a revision: 16 hexadecimal digits')

const LOCALE = Joi.string().max(100)

interface ListQuery {
  readonly locale?: string
  readonly status?: 'draft' | 'published'
  readonly changes?: boolean
  readonly pagination?: { readonly cursor?: string; readonly pageSize: number }
}

const LIST = Joi.object<ListQuery>({
  locale: LOCALE,
  status: Joi.string().valid('draft', 'published'),
  changes: Joi.boolean(),
  pagination: Joi.object({
    cursor: Joi.string()
      .pattern(/^[0-9a-f]{24}(\.\d{6})?$/)
      .message('{{#label}} is not a cursor of this list'),
    pageSize: Joi.number().integer().min(1).max(100).default(HISTORY_PAGE_SIZE),
  }),
}).prefs({ convert: true }) // query parameters are text

interface InLocale {
  readonly locale?: string
}

/** Versions of several locales may share a revision, because one write can change all of them. */
const IN_LOCALE = Joi.object<InLocale>({ locale: LOCALE })

const DIFFERENCE = Joi.object<InLocale & { readonly from: string; readonly to: string }>({
  from: REVISION.required(),
  to: REVISION.required(),
  locale: LOCALE,
})

const RESTORE = Joi.object<{ readonly attributes?: readonly string[] }>({
  attributes: Joi.array().items(Joi.string().max(200)).max(500).min(1),
})

export function historyRoutes(dependencies: Dependencies): GuardedRouter {
  const admin = adminRouter('/admin/history', dependencies)
  const add = (method: 'get' | 'post', path: string, verb: ContentVerb, handler: Handler): void => {
    const actionOf = (ctx: Context): string => contentAction(planOf(ctx, dependencies), verb)
    admin.guarded(
      method,
      `/:uid/:documentId${path}`,
      (run) => administratorsUnderRule(verb, actionOf, run),
      (ctx) => handler(ctx, planOf(ctx, dependencies), dependencies),
    )
  }
  add('get', '', 'find', list)
  add('get', '/diff', 'find', compare)
  add('get', '/:revision', 'find', sendRevision)
  add('post', '/:revision/restore', 'update', restore)
  return admin.router
}

async function list(
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: Dependencies,
): Promise<void> {
  const {
    locale,
    status,
    changes = false,
    pagination,
  } = readInput(LIST, readQuery(ctx.querystring))
  const { cursor = null, pageSize = HISTORY_PAGE_SIZE } = pagination ?? {}
  const selection = {
    documentId: parameterOf(ctx, 'documentId'),
    locales: await readableLocales(ctx, plan, dependencies, locale),
    ...(status !== undefined && { status }),
  }
  const page = { before: cursor, limit: pageSize }
  const { documents } = dependencies
  const { defaultCode } = await dependencies.locales.current()
  const isVisible = await visibilityOf(ctx, plan, dependencies)
  // The names of changed attributes are not matched with rules.
  const found =
    changes && isVisible === null
      ? await listChangedHistory(documents, plan, selection, {
          ...page,
          mayRead: mayFindIn(ctx, defaultCode),
        })
      : await listHistory(documents, plan, selection, page, isVisible)
  ctx.body = historyEnvelope(found, pageSize)
}

async function sendRevision(
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: Dependencies,
): Promise<void> {
  const { locale } = readInput(IN_LOCALE, readQuery(ctx.querystring))
  const which = { revision: parameterOf(ctx, 'revision'), locale }
  const { version, content, unknown } = await shownState(ctx, plan, dependencies, which)
  ctx.body = { data: { ...version, content, unknown } }
}

async function compare(
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: Dependencies,
): Promise<void> {
  const { from, to, locale } = readInput(DIFFERENCE, readQuery(ctx.querystring))
  const earlier = await shownState(ctx, plan, dependencies, { revision: from, locale })
  const later = await shownState(ctx, plan, dependencies, { revision: to, locale })
  const changes = compareContent(plan, earlier, later)
  ctx.body = { data: { from: earlier.version, to: later.version, changes } }
}

async function restore(
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: Dependencies,
): Promise<void> {
  const { documents } = dependencies
  const { attributes = null } = readInput(RESTORE, payloadOf(ctx) ?? {})
  const { locale: asked } = readInput(IN_LOCALE, readQuery(ctx.querystring))
  const which = { revision: parameterOf(ctx, 'revision'), locale: asked }
  const { version, content } = await stateOf(ctx, plan, dependencies, which)
  const { locale = NO_LOCALE } = version
  const update = contentAction(plan, 'update')
  // Rules have no locales.
  if (rulesFor(ctx.state.principal, update).length === 0) {
    assertMayIn(ctx.state.principal, update, plan.localized ? [locale] : [])
  }
  const status = plan.draftAndPublish ? 'draft' : 'published'
  const rules = entryRulesOf(ctx, dependencies, await dependencies.locales.current())
  const shown = parseEntryQuery({ status, ...(plan.localized && { locale }) }, plan, rules)
  const target = {
    plan,
    documentId: parameterOf(ctx, 'documentId'),
    key: { locale, status } as const,
    writer: writerOf(ctx, shown.reader),
    origin: restoringOrigin(ctx),
    condition: readCondition(ctx),
  }
  const restored = await restoreContent(documents, target, content, attributes)
  const written = { plan, verb: 'update', status, shown } as const
  const { writer } = target
  const { entry, revision } = await showWrittenVersion(documents, writer, restored, written)
  sendTagged(ctx, { body: await toJson(entryEnvelope(entry), ctx.state.answer), revision })
}

function restoringOrigin(ctx: Context): ReturnType<typeof readOriginOf> {
  const { authorship, caller } = readOriginOf(ctx)
  return { authorship: { ...authorship, via: 'restore' }, caller }
}

interface WhichState {
  readonly revision: string
  readonly locale: string | undefined
}

/** Hides targets of links from callers without permission to find them. A restored state keeps all targets. */
async function shownState(
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: Dependencies,
  which: WhichState,
): Promise<PastState> {
  const state = await stateOf(ctx, plan, dependencies, which)
  const { locale = NO_LOCALE } = state.version
  const mayFind = mayFindIn(ctx, (await dependencies.locales.current()).defaultCode)
  const shown = withoutTargets(plan, state, (type) => {
    const target = dependencies.documents.linkable?.(type) ?? null
    return target !== null && mayFind(target.uid, locale)
  })
  return { ...state, ...shown }
}

async function stateOf(
  ctx: Context,
  plan: ContentTypePlan,
  dependencies: Dependencies,
  { revision, locale }: WhichState,
): Promise<PastState> {
  const locales = await readableLocales(ctx, plan, dependencies, locale)
  const { defaultCode } = await dependencies.locales.current()
  const selection = {
    documentId: parameterOf(ctx, 'documentId'),
    locales,
    revision,
    mayRead: mayFindIn(ctx, defaultCode),
    isVisible: await visibilityOf(ctx, plan, dependencies),
    isShown: shownNames(writeRulesOf(ctx.state.principal), plan, ['find', 'readDrafts']),
  }
  const found = IS_REVISION.test(revision)
    ? await getPastState(dependencies.documents, plan, selection)
    : null
  if (found === null) throw new NotFoundError('There is no such revision')
  return found
}

async function visibilityOf(
  ctx: Context,
  plan: ContentTypePlan,
  { documents, locales }: Dependencies,
): Promise<IsPastVisible | null> {
  const { defaultCode: locale } = await locales.current()
  const documentId = parameterOf(ctx, 'documentId')
  const rules = writeRulesOf(ctx.state.principal)
  return pastVisibility(documents, { rules, plan, documentId, locale })
}

/** The locales in which the principal may read drafts, or the requested one. @throws ForbiddenError */
async function readableLocales(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  { locales }: Dependencies,
  asked?: string,
): Promise<readonly string[]> {
  const actions = draftActions(plan)
  const { all } = await locales.current()
  const codes = plan.localized ? all.map(({ code }) => code) : []
  if (asked !== undefined && !codes.includes(asked)) {
    throw new ValidationError(
      'There is no such locale',
      { path: 'locale' },
      { code: 'unknown_locale' },
    )
  }
  const wanted = asked === undefined ? codes : [asked]
  const readable = wanted.filter((code) =>
    actions.every((action) => mayInUnderRule(principal, action, [code])),
  )
  if (!plan.localized || readable.length === 0) {
    for (const action of actions) {
      if (!mayInUnderRule(principal, action, wanted)) assertMayIn(principal, action, wanted)
    }
  }
  return plan.localized ? readable : [NO_LOCALE]
}

/** The actions that drafts of a content-type require. */
function draftActions(plan: ContentTypePlan): readonly string[] {
  const verbs = plan.draftAndPublish ? (['find', 'readDrafts'] as const) : (['find'] as const)
  return verbs.map((verb) => contentAction(plan, verb))
}

function planOf(ctx: Context, { schema }: Dependencies): ContentTypePlan {
  const uid = parameterOf(ctx, 'uid')
  const plan = uid.startsWith('api::') ? schema.contentTypes.get(uid) : undefined
  if (plan === undefined || !contentVerbs(plan).includes('find')) {
    throw new NotFoundError('There is no such content-type')
  }
  return plan
}
