import type { Attempt } from '../../api/webhooks.ts'
import type { Texts } from '../../texts/texts.ts'

/** Why an attempt failed, in words; its status where it was delivered. */
export function reasonOf({ status, error }: Attempt, t: Texts['t']): string {
  return t(`webhook.error.${error ?? 'status'}`, { status: String(status ?? '') })
}
