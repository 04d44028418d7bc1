import Joi from 'joi'
import { contentAction } from '../../people/access/actions.ts'
import { readInput } from '../../people/access/input.ts'
import { mayInUnderRule, mayUnderRule } from '../../people/access/ruled-reads.ts'
import type { Principal } from '../../people/access/principal.ts'
import { findEntries } from '../../content/read/find-entries.ts'
import { countEntries } from '../../content/read/overview.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { hasReadRules } from '../../content/rules/visible-documents.ts'
import { NotFoundError } from '../../base/errors.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { VersionKey } from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { rulesOf } from '../reads/query-rules.ts'
import { readQuery } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'
import { adminRouter } from '../router/admin-router.ts'
import { contentPlans, type EditorContentDependencies } from '../content/editor-content.ts'

export function overviewRoutes(dependencies: EditorContentDependencies): GuardedRouter {
  const admin = adminRouter('/admin', dependencies)
  admin.get('/counts', null, (ctx) => showCounts(ctx, dependencies))
  return admin.router
}

const COUNTS = Joi.object<{ readonly locale?: string }>({ locale: Joi.string().max(35) })

async function showCounts(ctx: Context, dependencies: EditorContentDependencies): Promise<void> {
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
  dependencies: EditorContentDependencies,
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
