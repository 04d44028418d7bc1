import { contentAction } from '../../people/access/actions.ts'
import { administratorAction } from '../../people/access/administrator-actions.ts'
import { may } from '../../people/access/permissions.ts'
import { mayInUnderRule } from '../../people/access/ruled-reads.ts'
import { listAdministrators } from '../../people/administrators/administrators.ts'
import type { RecentRow } from '../../people/administrators/recent-work.ts'
import { findEntries } from '../../content/read/find-entries.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { factsOfLines, lineKey } from '../../content/read/visible-facts.ts'
import { listWebhooks } from '../../changes/webhooks/manage-webhooks.ts'
import { parseQuery } from '../../query/parse-query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { contentPlans } from '../content/editor-content.ts'
import { rulesOf } from '../reads/query-rules.ts'
import { adminRouter } from '../router/admin-router.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'
import { showInbox } from './inbox.ts'
import { meOf } from './me-routes.ts'
import { showWaiting } from './waiting-reviews.ts'
import { picturesOf } from './entry-pictures.ts'
import { type FirstStepSources, firstSteps } from './first-steps.ts'

const RECENT = 20
const MAX_INBOX_ENTRIES = 50
const LOOKED_AT = 200
const NEWEST_LOOKED_AT = 10

/** The entries that are newest without a change of an administrator have no author. */
type WorkedOnAt = Omit<RecentRow, 'administrator'> & Partial<Pick<RecentRow, 'administrator'>>

export interface RecentEntry {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
  readonly title: string
  readonly state: string
  readonly at: Date
  /** The name of the last editor. Null if it is no administrator. */
  readonly by: string | null
}

export function recentRoutes(dependencies: FirstStepSources): GuardedRouter {
  const admin = adminRouter('/admin/recent', dependencies)
  admin.get('/', null, (ctx) => showRecent(ctx, dependencies))
  return admin.router
}

async function showRecent(ctx: Context, dependencies: FirstStepSources): Promise<void> {
  const { recent } = dependencies
  const { id } = meOf(ctx)
  const worked = await recent.of(id, MAX_INBOX_ENTRIES)
  const mine = await toEntries(ctx, dependencies, worked.slice(0, RECENT))
  const [noted, drafts] = [await recent.ofAll(LOOKED_AT), await newestDrafts(ctx, dependencies)]
  const all = await toEntries(ctx, dependencies, [...noted, ...drafts])
  const differing = all.filter(({ state }) => state !== 'published').slice(0, RECENT)
  const pictureOf = await picturesOf(ctx, dependencies, [...mine, ...differing])
  const withPictures = (entries: readonly RecentEntry[]) =>
    entries.map((entry) => ({ ...entry, picture: pictureOf(entry) }))
  ctx.body = {
    data: {
      mine: withPictures(mine),
      differing: withPictures(differing),
      inbox: await showInbox(ctx, dependencies, worked),
      reviews: await showWaiting(ctx, dependencies),
      webhooks: await failedWebhooks(ctx, dependencies),
      steps: await firstSteps(ctx, dependencies, mine),
    },
  }
}

/** Webhooks that their receiver has turned off, or that missed events. */
async function failedWebhooks(
  { state: { principal } }: Context,
  { documents }: FirstStepSources,
): Promise<readonly object[]> {
  if (!may(principal, administratorAction('admin::webhooks', 'read'))) return []
  const all = await listWebhooks(documents)
  return all
    .filter(({ disabledBecause, missed }) => disabledBecause === 'gone' || missed !== null)
    .map(({ id, name, url, missed }) => ({ id, name, url, missed }))
}

async function newestDrafts(
  ctx: Context,
  dependencies: FirstStepSources,
): Promise<readonly WorkedOnAt[]> {
  const { documents, locales, schema } = dependencies
  const rules = await locales.current()
  const plans = contentPlans(schema).filter((plan) => plan.draftAndPublish)
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
      const { entries } = await findEntries(documents.database, parsed)
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

async function toEntries(
  ctx: Context,
  { documents, schema, locales, administrators }: FirstStepSources,
  rows: readonly WorkedOnAt[],
): Promise<readonly RecentEntry[]> {
  const shown = new Map<string, RecentEntry>()
  const rules = writeRulesOf(ctx.state.principal)
  const { defaultCode } = await locales.current()
  const people = await listAdministrators(administrators)
  for (const plan of contentPlans(schema)) {
    const own = rows.filter((row) => row.uid === plan.uid && mayOpen(ctx, plan, row.locale))
    const lines = uniqueLines(own)
    const facts = await factsOfLines(documents, rules, { plan, locale: defaultCode }, lines)
    for (const { documentId, locale } of lines) {
      const line = lineKey({ documentId, locale })
      const latest = own.find((row) => lineKey(row) === line)
      const found = facts.get(line)
      if (latest === undefined || found === undefined) continue
      const { at, administrator } = latest
      const { title, state } = found
      const by = people.find(({ id }) => id === administrator)?.name ?? null
      const code = plan.localized ? locale : null
      shown.set(`${plan.uid}:${line}`, {
        uid: plan.uid,
        documentId,
        locale: code,
        title,
        state,
        at,
        by,
      })
    }
  }
  return [...shown.values()].sort((one, other) => other.at.getTime() - one.at.getTime())
}

function uniqueLines(rows: readonly WorkedOnAt[]): readonly WorkedOnAt[] {
  return [...new Map(rows.map((row) => [`${row.documentId}:${row.locale}`, row])).values()]
}

/** Also true under rules, which the caller must apply. */
function mayOpen(
  { state: { principal } }: Context,
  plan: ContentTypePlan,
  locale: string,
): boolean {
  const codes = plan.localized ? [locale] : []
  const verb = plan.draftAndPublish ? 'readDrafts' : 'find'
  return (
    mayInUnderRule(principal, contentAction(plan, 'find'), codes) &&
    mayInUnderRule(principal, contentAction(plan, verb), codes)
  )
}
