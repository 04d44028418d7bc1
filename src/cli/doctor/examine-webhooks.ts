import { actionsOfWebhook } from '../../changes/webhooks/owner-rights.ts'
import { type WebhookRow, webhooksOf } from '../../changes/webhooks/webhook.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { compileActions } from '../../people/access/actions.ts'
import { type KnownStaff, loadStaff } from '../../people/administrators/staff.ts'
import type { Schema } from '../../schema/plan.ts'
import type { Finding } from './finding.ts'

const MAX_NAMED = 5

/** Explains payloads without content: a webhook sends only content that its creator may read without a rule. */
export async function examineWebhooks(
  database: Database,
  schema: Schema,
): Promise<readonly Finding[]> {
  const rows = await webhooksOf(database).find({ disabledAt: null }).toArray()
  if (rows.length === 0) return []
  const staff = await loadStaff(database, compileActions(schema))
  return rows.flatMap((row) => {
    const actions = ruledActions(staff, row, actionsOfWebhook(schema, row))
    if (actions.length === 0) return []
    const more = actions.length > MAX_NAMED ? ` and ${actions.length - MAX_NAMED} more` : ''
    const named = actions.slice(0, MAX_NAMED).join(', ') + more
    const what = `${row.name}: its creator has ${named} under a rule only, so payloads of these types have no content; create it again as an administrator without these rules`
    return [{ check: 'webhooks', level: 'warning' as const, what }]
  })
}

function ruledActions(
  { rights, ruled }: KnownStaff,
  { by }: WebhookRow,
  actions: readonly string[],
): readonly string[] {
  if (by?.kind !== 'administrator') return []
  const id = String(by.id)
  const rules = new Set((ruled.get(id)?.rules ?? []).map(({ rule }) => rule.action))
  return actions.filter((action) => rules.has(action) && rights.get(id)?.get(action) !== null)
}
