import { CmsError, UnexpectedFailureError } from '../../base/errors.ts'
import { principalWriteRules } from '../../content/rules/principal-rules.ts'
import type { Session } from '../../mongo/connection/database.ts'
import {
  type PushClient,
  type PushClients,
  type PushedOutcome,
  PushOvertaken,
  withoutAcknowledged,
} from '../../mongo/system/push-clients.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { assertFollows, openPushClient } from './open-push-client.ts'
import { isOutcomeOf, outcomeKey } from './mutation-digest.ts'
import { assertDependencies, type PushState, writeOf } from './mutation-write.ts'
import type { PushConflict } from './push-conflict.ts'
import { pushCreation } from './push-creation.ts'
import { pushDeletion, pushPublication } from './push-deletion.ts'
import {
  appliedAnswer,
  type EndedMutation,
  MAX_OUTCOMES,
  placeOf,
  type PushAnswer,
  type PushParts,
} from './push-parts.ts'
import type { Mutation, PushRequest } from './push-request.ts'
import { groupFrom, pushTogether } from './push-together.ts'
import { pushUpdate } from './push-update.ts'
import { outcomeAsSent, resultAsSent, withoutAliases } from './pushed-names.ts'
import {
  clientSides,
  type SettledOutcome,
  type SettlingWrite,
  type Unchanged,
  type WriteResult,
} from './pushed-write.ts'
import { readTheirs } from './repeated-conflict.ts'

export interface PushAnswers {
  readonly last: number
  readonly answers: readonly PushAnswer[]
}

/** Carries out mutations in order. Stops at the first one whose outcome is not known. @throws ConflictError */
export async function runPush(parts: PushParts, request: PushRequest): Promise<PushAnswers> {
  const { mutations } = request
  const found = await openPushClient(parts, request)
  if (found === null) return { last: 0, answers: mutations.map(toRetry) }
  const { ack } = request.head
  const isOnlyAck = mutations.length === 0
  const client = isOnlyAck
    ? await parts.clients.acknowledge(found, ack)
    : withoutAcknowledged(found, ack)
  assertFollows(client, mutations)
  let progress: Progress = { client, answers: [], triedTogether: 0 }
  let current: PushParts | null = parts
  for (let mutation = mutations[0]; mutation !== undefined;) {
    if (progress.answers.length > 0) current = await authorizedAgain(parts)
    const next = current === null ? null : await goOn(current, request, progress, mutation)
    if (next === null) break
    progress = next
    mutation = mutations[progress.answers.length]
  }
  const { answers } = progress
  return {
    last: progress.client.last,
    answers: [...answers, ...mutations.slice(answers.length).map(toRetry)],
  }
}

/** A long request may outlast its credential. Null if it has: the next request is refused. */
async function authorizedAgain(parts: PushParts): Promise<PushParts | null> {
  try {
    return { ...parts, principal: await parts.authorizeAgain() }
  } catch (error) {
    if (!(error instanceof CmsError)) parts.onUnexpected(error)
    return null
  }
}

interface Progress {
  readonly client: PushClient
  readonly answers: readonly PushAnswer[]
  /** Mutations up to this number are carried out alone, if they could not be stored together. */
  readonly triedTogether: number
}

/** Carries out the mutation, perhaps together with later ones. Null if its outcome is not known. */
async function goOn(
  parts: PushParts,
  request: PushRequest,
  progress: Progress,
  mutation: Mutation,
): Promise<Progress | null> {
  const { client, answers, triedTogether } = progress
  const known = client.outcomes.find(({ n }) => n === mutation.n)
  if (known !== undefined) return repeatOutcome(parts, request, progress, { mutation, known })
  if (client.outcomes.length >= MAX_OUTCOMES || parts.isOver()) return null
  const group = mutation.n > triedTogether ? groupFrom(request.mutations, mutation, client) : []
  const tried = Math.max(triedTogether, group.at(-1)?.n ?? 0)
  const together = group.length > 1 ? await pushTogether(parts, request, client, group) : null
  if (together !== null) {
    const stored = [...answers, ...together.answers]
    return { client: together.client, answers: stored, triedTogether: tried }
  }
  const done = await tryMutation(parts, request, client, mutation)
  if (done === null) return null
  return { client: done.client, answers: [...answers, done.answer], triedTogether: tried }
}

interface Repeated {
  readonly mutation: Mutation
  readonly known: PushedOutcome
}

/** Null if another mutation had the number. The next request begins with this one and is refused. */
async function repeatOutcome(
  parts: PushParts,
  request: PushRequest,
  progress: Progress,
  { mutation, known }: Repeated,
): Promise<Progress | null> {
  if (!isOutcomeOf(known, mutation)) return null
  const repeated = await repeat(parts, request, mutation, known)
  return { ...progress, answers: [...progress.answers, repeated] }
}

function toRetry({ n }: Mutation): PushAnswer {
  return { n, outcome: 'retry' }
}

/** Null if the outcome is not known. */
async function tryMutation(
  parts: PushParts,
  request: PushRequest,
  client: PushClient,
  mutation: Mutation,
): Promise<EndedMutation | null> {
  try {
    return await carryOut(parts, request, client, mutation)
  } catch (error) {
    if (error instanceof PushOvertaken) return null
    if (!(error instanceof CmsError)) {
      parts.onUnexpected(error)
      return settleFailure(parts, client, mutation, new UnexpectedFailureError(error))
    }
    if (error.status === 500) return settleFailure(parts, client, mutation, error)
    if (isTransient(error)) return null
    return settleRefusal(parts, client, mutation, error)
  }
}

/** After so many failures a mutation is refused, so that it does not block the later ones for ever. */
const MAX_FAILURES = 5

/** The database counts the failures, so failures of the database itself do not count. */
async function settleFailure(
  parts: PushParts,
  client: PushClient,
  mutation: Mutation,
  error: CmsError,
): Promise<EndedMutation | null> {
  try {
    const failures = await parts.clients.fail(client, mutation.n)
    if (failures < MAX_FAILURES) return null
  } catch (failure) {
    parts.onUnexpected(failure)
    return null
  }
  return settleRefusal(parts, client, mutation, error)
}

const TRANSIENT: ReadonlySet<string> = new Set([
  'entry_changed',
  'precondition_failed',
  'rate_limited',
  'request_under_way',
  'write_conflict',
])

function isTransient({ status, errorCode }: CmsError): boolean {
  return status >= 500 || TRANSIENT.has(errorCode)
}

async function settleRefusal(
  { clients, onUnexpected }: PushParts,
  client: PushClient,
  mutation: Mutation,
  error: CmsError,
): Promise<EndedMutation | null> {
  const { n } = mutation
  const { status, errorCode: code } = error
  const refused = { outcome: 'refused', revision: null, status, code } as const
  const outcome = { ...outcomeKey(mutation), ...refused }
  try {
    const moved = await clients.move(client, [outcome])
    return { client: moved, answer: { n, outcome: 'refused', error } }
  } catch (failure) {
    if (!(failure instanceof CmsError || failure instanceof PushOvertaken)) onUnexpected(failure)
    return null
  }
}

async function carryOut(
  parts: PushParts,
  request: PushRequest,
  client: PushClient,
  mutation: Mutation,
): Promise<EndedMutation> {
  const { clients } = parts
  const key = outcomeKey(mutation)
  const { n } = key
  if (mutation.op === 'skip') return settleUnchanged(clients, client, mutation, SKIPPED)
  assertDependencies(client, mutation)
  let moved: { readonly client: PushClient; readonly outcome: SettledOutcome } | null = null
  const settle: SettlingWrite<Mutation>['settle'] = async (outcome, session) => {
    moved = {
      client: await clients.move(client, [{ ...outcome, ...key }], session),
      outcome,
    }
  }
  const plan = parts.types.get(mutation.type)
  const result =
    plan === undefined
      ? unknownType(mutation)
      : resultAsSent(
          plan,
          mutation,
          await write({ parts, request, client, settle }, plan, mutation),
        )
  if (result === null) {
    const done = moved as { readonly client: PushClient; readonly outcome: SettledOutcome } | null
    if (done === null) throw new Error('a write has an outcome')
    return { client: done.client, answer: { n, ...appliedAnswer(done.outcome) } }
  }
  if ('outcome' in result) return settleUnchanged(clients, client, mutation, result)
  const { code, attributes, revision } = result
  const outcome = { ...key, outcome: 'conflict', code, attributes, revision } as const
  const settled = await clients.move(client, [outcome])
  return { client: settled, answer: { n, outcome: 'conflict', ...result } }
}

const SKIPPED: Unchanged = { outcome: 'applied', revision: null, changed: false }

/** The outcome of a mutation without a write. */
async function settleUnchanged(
  clients: PushClients,
  client: PushClient,
  mutation: Mutation,
  outcome: Unchanged,
): Promise<EndedMutation> {
  const settled = await clients.move(client, [{ ...outcome, ...outcomeKey(mutation) }])
  return { client: settled, answer: { n: mutation.n, ...outcome } }
}

function unknownType(mutation: Mutation): PushConflict {
  const sides = clientSides(mutation)
  return { code: 'unknown_type', attributes: [], ...sides, theirs: null, revision: null }
}

interface Running extends PushState {
  readonly settle: SettlingWrite<Mutation>['settle']
}

/** @throws CmsError for a refusal */
function write(
  { settle, ...running }: Running,
  plan: ContentTypePlan,
  mutation: Exclude<Mutation, { readonly op: 'skip' }>,
): Promise<WriteResult> {
  const common = {
    ...writeOf(running, plan, mutation),
    settle: (outcome: SettledOutcome, session: Session) =>
      settle(outcomeAsSent(plan, mutation, outcome), session),
  }
  switch (mutation.op) {
    case 'create':
      return pushCreation({ ...common, mutation: withoutAliases(plan, mutation) })
    case 'update':
      return pushUpdate({ ...common, mutation: withoutAliases(plan, mutation) })
    case 'delete':
      return pushDeletion({ ...common, mutation })
    case 'publish':
      return pushPublication({ ...common, mutation })
  }
}

/** The stored outcome of a mutation. Content comes from the mutation and the current version. */
async function repeat(
  parts: PushParts,
  request: PushRequest,
  mutation: Mutation,
  known: PushedOutcome,
): Promise<PushAnswer> {
  const { n, documentId: _document, digest: _digest, ...settled } = known
  if (known.outcome === 'applied' || known.outcome === 'merged') {
    return { n, ...appliedAnswer(settled), replayed: true }
  }
  const { status = 500, code = 'internal_error', attributes = [] } = known
  if (known.outcome === 'refused') return { n, outcome: 'refused', replayed: true, status, code }
  const sides = clientSides(mutation)
  const rules = principalWriteRules(parts.principal)
  const theirs = await readTheirs(parts, mutation, attributes, (plan) =>
    placeOf(parts, request, rules, plan, mutation),
  )
  return { n, outcome: 'conflict', replayed: true, code, attributes, ...sides, ...theirs }
}
