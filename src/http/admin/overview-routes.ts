import Joi from 'joi'
import { contentAction } from '../../people/access/actions.ts'
import { readInput } from '../../people/access/input.ts'
import { assertMayIn, may, mayIn } from '../../people/access/permissions.ts'
import type { Principal } from '../../people/access/principal.ts'
import type { Presence } from '../../people/administrators/presence.ts'
import type { RecentRow } from '../../people/administrators/recent-work.ts'
import { findDocuments } from '../../content/read/find-documents.ts'
import { countEntries, titlesOf } from '../../content/read/overview.ts'
import { findStates } from '../../content/read/find-states.ts'
import { NotFoundError } from '../../base/errors.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { VersionKey } from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { rulesOf } from '../reads/query-rules.ts'
import { payloadOf, readQuery } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { adminRouter } from '../router/admin-router.ts'
import type { EditorContentDependencies } from '../content/editor-content.ts'
import { meOf } from './me-routes.ts'

export interface OverviewDependencies extends EditorContentDependencies {
  readonly presence: Presence
}

const RECENT = 20
const LOOKED_AT = 200

type WorkedOnAt = Omit<RecentRow, 'administrator'>

interface PresenceInput {
  readonly uid: string
  readonly documentId: string
  readonly locale?: string | null
}

const PRESENCE = Joi.object<PresenceInput>({
  uid: Joi.string().max(255).required(),
  documentId: Joi.string()
    .pattern(/^[a-z][a-z0-9]{23}$/)
    .required(),
  locale: Joi.string().max(35).allow(null),
})

export function overviewRoutes(dependencies: OverviewDependencies): GuardedRouter {
  const admin = adminRouter('/admin', dependencies)
  admin.get('/counts', null, (ctx) => showCounts(ctx, dependencies))
  admin.get('/recent', null, (ctx) => showRecent(ctx, dependencies))
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
  const plans = contentOf(schema.contentTypes).filter(
    ({ localized }) => localized || asked === undefined,
  )
  const counts: [string, number][] = []
  for (const plan of plans) {
    const key = countedVersion(principal, plan, codes)
    if (key !== null) counts.push([plan.uid, await countEntries(documents.database, plan, key)])
  }
  ctx.body = { data: Object.fromEntries(counts) }
}

function countedVersion(
  principal: Principal,
  plan: ContentTypePlan,
  codes: readonly string[],
): VersionKey | null {
  const find = contentAction(plan, 'find')
  const locale = plan.localized ? codes.find((code) => mayIn(principal, find, [code])) : NO_LOCALE
  if (!may(principal, find) || locale === undefined) return null
  const reading = contentAction(plan, 'readDrafts')
  const drafts = plan.draftAndPublish && mayIn(principal, reading, plan.localized ? [locale] : [])
  return { locale, status: drafts ? 'draft' : 'published' }
}

async function showRecent(ctx: Context, dependencies: OverviewDependencies): Promise<void> {
  const { recent } = dependencies
  const { id } = meOf(ctx)
  const mine = await toEntries(ctx, dependencies, await recent.of(id, RECENT))
  const [noted, drafts] = [await recent.ofAll(LOOKED_AT), await newestDrafts(ctx, dependencies)]
  const all = await toEntries(ctx, dependencies, [...noted, ...drafts])
  const differing = all.filter(({ state }) => state !== 'published').slice(0, RECENT)
  ctx.body = { data: { mine, differing } }
}

const NEWEST_LOOKED_AT = 10

async function newestDrafts(
  ctx: Context,
  dependencies: OverviewDependencies,
): Promise<readonly WorkedOnAt[]> {
  const { documents, locales, schema } = dependencies
  const rules = await locales.current()
  const plans = contentOf(schema.contentTypes).filter((plan) => plan.draftAndPublish)
  const readable = plans.filter((plan) => mayOpen(ctx, plan, codeOf(plan, rules.defaultCode)))
  const found = await Promise.all(
    readable.map(async (plan): Promise<readonly WorkedOnAt[]> => {
      const locale = codeOf(plan, rules.defaultCode)
      const query = {
        status: 'draft',
        sort: 'id:desc',
        fields: ['documentId', 'updatedAt'],
        pagination: { pageSize: String(NEWEST_LOOKED_AT), withCount: 'false' },
        ...(plan.localized && { locale }),
      }
      const parsed = parseQuery(query, plan, rulesOf(ctx, dependencies, rules))
      const { entries } = await findDocuments(documents.database, parsed)
      return entries.map(({ documentId, updatedAt }) => ({
        uid: plan.uid,
        documentId: String(documentId),
        locale,
        at: new Date(updatedAt as string | Date),
      }))
    }),
  )
  return found.flat()
}

function codeOf({ localized }: ContentTypePlan, defaultCode: string): string {
  return localized ? defaultCode : NO_LOCALE
}

interface RecentEntry {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
  readonly title: string
  readonly state: string
  readonly at: Date
}

async function toEntries(
  ctx: Context,
  { documents: { database }, schema }: OverviewDependencies,
  rows: readonly WorkedOnAt[],
): Promise<readonly RecentEntry[]> {
  const shown = new Map<string, RecentEntry>()
  for (const plan of contentOf(schema.contentTypes)) {
    const own = rows.filter((row) => row.uid === plan.uid && mayOpen(ctx, plan, row.locale))
    const states = await findStates(database, plan, uniqueLines(own))
    const titles = await titlesOf(database, plan, uniqueLines(own))
    for (const { documentId, locale, state } of states) {
      const line = `${documentId}:${locale}`
      const at = own.find((row) => `${row.documentId}:${row.locale}` === line)?.at
      const title = titles.get(line)
      if (at === undefined || title === undefined) continue
      const code = plan.localized ? locale : null
      shown.set(`${plan.uid}:${line}`, {
        uid: plan.uid,
        documentId,
        locale: code,
        title,
        state,
        at,
      })
    }
  }
  return [...shown.values()].sort((one, other) => other.at.getTime() - one.at.getTime())
}

function uniqueLines(rows: readonly WorkedOnAt[]): readonly WorkedOnAt[] {
  return [...new Map(rows.map((row) => [`${row.documentId}:${row.locale}`, row])).values()]
}

function mayOpen(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  locale: string,
): boolean {
  const codes = plan.localized ? [locale] : []
  const verb = plan.draftAndPublish ? 'readDrafts' : 'find'
  return (
    mayIn(principal, contentAction(plan, 'find'), codes) &&
    mayIn(principal, contentAction(plan, verb), codes)
  )
}

async function notePresence(
  ctx: Context,
  { presence, schema, locales }: OverviewDependencies,
): Promise<void> {
  const { uid, documentId, locale } = readInput(PRESENCE, payloadOf(ctx))
  const plan = uid.startsWith('api::') ? schema.contentTypes.get(uid) : undefined
  if (plan === undefined) throw new NotFoundError('Not Found')
  const known = await locales.current()
  const code = plan.localized ? (locale ?? known.defaultCode) : NO_LOCALE
  if (plan.localized && !known.has(code)) throw new NotFoundError('Not Found')
  assertMayIn(ctx.state.principal, contentAction(plan, 'find'), plan.localized ? [code] : [])
  ctx.body = { data: await presence.note(meOf(ctx), { uid, documentId, locale: code }) }
}

function contentOf(types: ReadonlyMap<string, ContentTypePlan>): readonly ContentTypePlan[] {
  return [...types.values()].filter(({ uid }) => uid.startsWith('api::'))
}
