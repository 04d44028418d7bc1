import { findAssigned, stagesOf } from '../../content/review/find-reviews.ts'
import { factsOfLines, lineKey } from '../../content/read/visible-facts.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { contentPlans } from '../content/editor-content.ts'
import type { Context } from '../router/state.ts'
import type { FirstStepSources } from './first-steps.ts'
import { meOf } from './me-routes.ts'
import { mayComment } from './request/commented-entry.ts'

const MAX_SHOWN = 20

export interface WaitingReview {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
  readonly title: string
  readonly stage: string
  readonly at: Date
}

/** Unpublished drafts that are assigned to the administrator. */
export async function showWaiting(
  ctx: Context,
  { documents, schema, locales }: FirstStepSources,
): Promise<readonly WaitingReview[]> {
  const { principal } = ctx.state
  const rows = await findAssigned(documents.database, meOf(ctx).id)
  const { defaultCode } = await locales.current()
  const items: WaitingReview[] = []
  for (const plan of contentPlans(schema)) {
    const own = rows.filter(
      ({ type, locale }) => type === plan.uid && mayComment(principal, plan, locale),
    )
    if (own.length === 0) continue
    const request = { plan, locale: defaultCode, needsDraft: true }
    const facts = await factsOfLines(documents, writeRulesOf(principal), request, own)
    const stages = await stagesOf(documents.database, plan, own)
    for (const { _id, documentId, locale, at } of own) {
      const found = facts.get(lineKey({ documentId, locale }))
      const stage = stages.get(_id)
      if (found === undefined || found.state === 'published' || stage === undefined) continue
      const code = plan.localized ? locale : null
      items.push({ uid: plan.uid, documentId, locale: code, title: found.title, stage, at })
    }
  }
  return items.sort((one, other) => other.at.getTime() - one.at.getTime()).slice(0, MAX_SHOWN)
}
