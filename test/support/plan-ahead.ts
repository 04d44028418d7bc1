import type { Answer } from './server.ts'

const MAX_LEAD_MS = 60_000

/**
 * Sends a request that plans an action for a moment from now. If the moment has passed when the
 * request arrives on a busy machine, sends it again with a later one.
 */
export async function sendSoon(
  send: (at: string) => Promise<Answer>,
  leadMs = 300,
): Promise<Answer> {
  const answer = await send(new Date(Date.now() + leadMs).toISOString())
  const isTooLate = answer.status === 400 && answer.text.includes('must lie in the future')
  return isTooLate && leadMs < MAX_LEAD_MS ? sendSoon(send, leadMs * 2) : answer
}

/**
 * Runs steps that must end before the planned moment `at`, which they return. If that moment has
 * passed, runs them again with twice the time.
 *
 * @throws Error if they do not end within a minute
 */
export async function aheadOfTime<T extends { readonly at: string }>(
  steps: (leadMs: number) => Promise<T>,
  leadMs = 1_000,
): Promise<T> {
  const outcome = await steps(leadMs)
  if (Date.now() < Date.parse(outcome.at)) return outcome
  if (leadMs >= MAX_LEAD_MS) throw new Error(`not over within ${leadMs} ms`)
  return aheadOfTime(steps, leadMs * 2)
}
