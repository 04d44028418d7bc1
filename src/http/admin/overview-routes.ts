import Joi from 'joi'
import { contentAction } from '../../people/access/actions.ts'
import { inputError, readInput } from '../../people/access/input.ts'
import { mayInUnderRule, mayUnderRule } from '../../people/access/ruled-reads.ts'
import type { Principal } from '../../people/access/principal.ts'
import type { Presence } from '../../people/administrators/presence.ts'
import { findEntries } from '../../content/read/find-entries.ts'
import { countEntries } from '../../content/read/overview.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { hasReadRules } from '../../content/rules/visible-documents.ts'
import { factsOfLines } from '../../content/read/visible-facts.ts'
import { ForbiddenError, NotFoundError } from '../../base/errors.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { VersionKey } from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { rulesOf } from '../reads/query-rules.ts'
import { payloadOf, readQuery } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { adminRouter } from '../router/admin-router.ts'
import { contentPlans, type EditorContentDependencies } from '../content/editor-content.ts'
import { meOf } from './me-routes.ts'

export interface OverviewDependencies extends EditorContentDependencies {
  readonly presence: Presence
}

interface PresenceInput {
  readonly uid: string
  readonly documentId: string
  readonly locale?: string | null
}

/** Adopted entries have ids of another service. */
const DOCUMENT_ID = /^[a-z][a-z0-9]{23}$/

function malformed(documentId: string): Error {
  const message = 'documentId must be the id of an entry'
  return inputError('documentId', message, documentId, { code: 'any.invalid' })
}

const PRESENCE = Joi.object<PresenceInput>({
  uid: Joi.string().max(255).required(),
  documentId: Joi.string().max(1_024).required(),
  locale: Joi.string().max(35).allow(null),
})

export function overviewRoutes(dependencies: OverviewDependencies): GuardedRouter {
  const admin = adminRouter('/admin', dependencies)
  admin.get('/counts', null, (ctx) => showCounts(ctx, dependencies))
  admin.put('/presence', null, (ctx) => notePresence(ctx, dependencies))
  return admin.router
}

const COUNTS = Joi.object<{ readonly locale?: string }>({ locale: Joi.string().max(35) })

async function showCounts(ctx: Context, dependencies: OverviewDependencies): Promise<void> {
  const { documents, locales, schema } = dependencies
  const { principal } = ctx.state
  const { all, defaultCode } = await locales.current()
  const { locale: asked } = readInput(COUNTS, readQuery(ctx.querystring))
  if (asked !== undefined && !all.some(({ code }) => code === asked)) {
    throw new NotFoundError('There is no such locale')
  }
  const codes = asked === undefined ? [defaultCode, ...all.map(({ code }) => code)] : [asked]
  const plans = contentPlans(schema).filter(({ localized }) => localized || asked === undefined)
  const counts: [string, number][] = []
  for (const plan of plans) {
    const key = countedVersion(principal, plan, codes)
    if (key === null) continue
    const count = hasReadRules(writeRulesOf(principal), plan)
      ? await countVisible(ctx, dependencies, plan, key)
      : await countEntries(documents.database, plan, key)
    counts.push([plan.uid, count])
  }
  ctx.body = { data: Object.fromEntries(counts) }
}

/** A list without content has the total. */
async function countVisible(
  ctx: Context,
  dependencies: OverviewDependencies,
  plan: ContentTypePlan,
  { status, locale }: VersionKey,
): Promise<number> {
  const { documents, locales } = dependencies
  const query = {
    status,
    fields: ['documentId'],
    pagination: { pageSize: '1' },
    ...(plan.localized && { locale }),
  }
  const parsed = parseQuery(query, plan, rulesOf(ctx, dependencies, await locales.current()))
  const { total } = await findEntries(documents.database, parsed)
  return total ?? 0
}

function countedVersion(
  principal: Principal,
  plan: ContentTypePlan,
  codes: readonly string[],
): VersionKey | null {
  const find = contentAction(plan, 'find')
  const locale = plan.localized
    ? codes.find((code) => mayInUnderRule(principal, find, [code]))
    : NO_LOCALE
  if (!mayUnderRule(principal, find) || locale === undefined) return null
  const reading = contentAction(plan, 'readDrafts')
  const drafts =
    plan.draftAndPublish && mayInUnderRule(principal, reading, plan.localized ? [locale] : [])
  return { locale, status: drafts ? 'draft' : 'published' }
}

async function notePresence(ctx: Context, dependencies: OverviewDependencies): Promise<void> {
  const { presence, schema, locales } = dependencies
  const { uid, documentId, locale } = readInput(PRESENCE, payloadOf(ctx))
  const plan = uid.startsWith('api::') ? schema.contentTypes.get(uid) : undefined
  if (plan === undefined) throw new NotFoundError('Not Found')
  if (plan.adopted === undefined && !DOCUMENT_ID.test(documentId)) throw malformed(documentId)
  const known = await locales.current()
  const code = plan.localized ? (locale ?? known.defaultCode) : NO_LOCALE
  if (plan.localized && !known.has(code)) throw new NotFoundError('Not Found')
  await assertMayMeet(ctx, dependencies, plan, { documentId, locale: code })
  ctx.body = { data: await presence.note(meOf(ctx), { uid, documentId, locale: code }) }
}

/** @throws ForbiddenError, and NotFoundError for a document that rules hide */
async function assertMayMeet(
  { state: { principal } }: Context,
  { documents, locales }: OverviewDependencies,
  plan: ContentTypePlan,
  line: { readonly documentId: string; readonly locale: string },
): Promise<void> {
  const rules = writeRulesOf(principal)
  const find = contentAction(plan, 'find')
  if (!mayInUnderRule(principal, find, plan.localized ? [line.locale] : [])) {
    throw new ForbiddenError('Forbidden', {}, { action: find })
  }
  if (!hasReadRules(rules, plan)) return
  const { defaultCode: locale } = await locales.current()
  const facts = await factsOfLines(documents, rules, { plan, locale }, [line])
  if (facts.size === 0) throw new NotFoundError('Not Found')
}
