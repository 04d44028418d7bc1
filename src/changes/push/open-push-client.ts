import { ConflictError } from '../../base/errors.ts'
import type { PushClient, PushClients } from '../../mongo/system/push-clients.ts'
import type { SignedInUser } from '../../people/access/principal.ts'
import { isOutcomeOf } from './mutation-digest.ts'
import type { Mutation, PushRequest } from './push-request.ts'

interface PushPlace {
  readonly clients: PushClients
  readonly principal: SignedInUser
  readonly log: string
}

/** Null if another request is starting the client. @throws ConflictError if the server does not know it any more */
export async function openPushClient(
  { clients, principal, log }: PushPlace,
  { head, mutations }: PushRequest,
): Promise<PushClient | null> {
  const name = { user: principal.documentId, client: head.client }
  const stored = await clients.find(name)
  const isCurrent = head.log === null || head.log === log
  if (stored?.log === log && isCurrent) return stored
  if (head.log !== null) throw logChanged(log)
  if (stored !== null) {
    if (head.start < 1 && stored.last > 0) throw logChanged(log)
    return clients.restart(stored, log, head.start)
  }
  if (mutations.length === 0) return null
  return clients.start(name, log, head.start)
}

function logChanged(log: string): ConflictError {
  const message = 'The server does not know this client any more'
  return new ConflictError(message, { log }, { code: 'push_log_changed' })
}

/** @throws ConflictError */
export function assertFollows(
  { last, outcomes }: PushClient,
  mutations: readonly Mutation[],
): void {
  const [first] = mutations
  if (first === undefined || first.n === last + 1) return
  if (outcomes.some((outcome) => isOutcomeOf(outcome, first))) return
  const message = 'The first mutation does not follow the last one with an outcome'
  throw new ConflictError(message, { last }, { code: 'push_gap' })
}
