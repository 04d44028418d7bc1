import type { Attempt } from '../../api/webhooks.ts'
import type { Texts } from '../../texts/texts.ts'

/** The reason of a failed attempt, or the status of a delivered one. */
export function reasonOf({ status, error }: Attempt, t: Texts['t']): string {
  return t(`webhook.error.${error ?? 'status'}`, { status: String(status ?? '') })
}
