import { type EntryComment, toComment } from '../../content/comments/comments.ts'
import { findInbox } from '../../content/comments/inbox.ts'
import { factsOfLines, lineKey } from '../../content/read/visible-facts.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import type { RecentRow } from '../../people/administrators/recent-work.ts'
import { contentPlans } from '../content/editor-content.ts'
import type { Context } from '../router/state.ts'
import type { FirstStepSources } from './first-steps.ts'
import { meOf } from './me-routes.ts'
import { isShownComment, mayComment } from './request/commented-entry.ts'

const MAX_SHOWN = 20
const MAX_EXCERPT_LENGTH = 200

export interface InboxItem {
  readonly id: string
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
  readonly title: string
  readonly attribute: string | null
  readonly text: string
  readonly by: string
  readonly at: Date
  readonly mentioned: boolean
}

/** Open comments of others: mentions of the administrator, and comments on `changed` entries. */
export async function showInbox(
  ctx: Context,
  { documents, schema, locales }: FirstStepSources,
  changed: readonly RecentRow[],
): Promise<readonly InboxItem[]> {
  const { principal } = ctx.state
  const { id } = meOf(ctx)
  const rows = await findInbox(documents.database, id, changed)
  const { defaultCode } = await locales.current()
  const items: InboxItem[] = []
  for (const plan of contentPlans(schema)) {
    const isShown = isShownComment(principal, plan)
    const own = rows
      .filter(({ type, locale }) => type === plan.uid && mayComment(principal, plan, locale))
      .map((row) => toComment(plan, row))
      .filter(isShown)
    const request = { plan, locale: defaultCode, needsDraft: true }
    const facts = await factsOfLines(documents, writeRulesOf(principal), request, linesOf(own))
    for (const { locale, ...row } of own) {
      const found = facts.get(lineKey({ ...row, locale }))
      if (found === undefined) continue
      items.push({
        id: row._id,
        uid: plan.uid,
        documentId: row.documentId,
        locale: plan.localized ? locale : null,
        title: found.title,
        attribute: row.attribute,
        text: row.text.slice(0, MAX_EXCERPT_LENGTH),
        by: row.by.name,
        at: row.createdAt,
        mentioned: row.mentions.includes(id),
      })
    }
  }
  return items.sort((one, other) => other.at.getTime() - one.at.getTime()).slice(0, MAX_SHOWN)
}

function linesOf(comments: readonly EntryComment[]): readonly EntryComment[] {
  return [...new Map(comments.map((comment) => [lineKey(comment), comment])).values()]
}
