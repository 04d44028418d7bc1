import {
  CmsError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  UnexpectedFailureError,
} from '../../base/errors.ts'
import type { DocumentContext } from '../../content/context.ts'
import { principalWriteRules } from '../../content/rules/principal-rules.ts'
import { singleDocumentId } from '../../content/write/single-document-id.ts'
import type { Writer } from '../../content/write-target.ts'
import type { WriteRules } from '../../content/write-rules.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import {
  type PushClient,
  type PushClients,
  type PushedOutcome,
  PushOvertaken,
} from '../../mongo/system/push-clients.ts'
import type { SignedInUser } from '../../people/access/principal.ts'
import { parseWriteKey } from '../../query/parse-version.ts'
import type { LocaleRules } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import {
  clientSides,
  pushCreation,
  pushDeletion,
  type PushedWrite,
  pushPublication,
  pushUpdate,
  type SettledOutcome,
  type WriteResult,
} from './push-mutation.ts'
import { assertFollows, openPushClient } from './open-push-client.ts'
import type { PushConflict } from './push-conflict.ts'
import { missingAction, pushedAttributes } from './pushed-type.ts'
import type { Mutation, PushRequest } from './push-request.ts'
import { readTheirs } from './repeated-conflict.ts'

export interface PushParts {
  readonly documents: DocumentContext
  /** The types that take pushes, by their singular names. */
  readonly types: ReadonlyMap<string, ContentTypePlan>
  readonly locales: LocaleRules
  readonly clients: PushClients
  /** The id of the commit log. */
  readonly log: string
  readonly principal: SignedInUser
  readonly origin: WriteOrigin
  readonly writerOf: (locale: string) => Writer
  readonly isOver: () => boolean
  readonly onUnexpected: (error: unknown) => void
}

export type PushAnswer = { readonly n: number } & (
  | { readonly outcome: 'retry' }
  | ({ readonly outcome: 'applied' | 'merged'; readonly replayed?: true } & SettledOutcome)
  | ({
      readonly outcome: 'conflict'
      readonly code: string
      readonly replayed?: true
    } & Omit<PushConflict, 'code'>)
  | { readonly outcome: 'refused'; readonly error: CmsError }
  | {
      readonly outcome: 'refused'
      readonly replayed: true
      readonly status: number
      readonly code: string
    }
)

export interface PushAnswers {
  readonly last: number
  readonly answers: readonly PushAnswer[]
}

/** Beyond it, the client must acknowledge outcomes first. */
const MAX_OUTCOMES = 100

/** Carries out mutations in order. Stops at the first one whose outcome is not known. @throws ConflictError */
export async function runPush(parts: PushParts, request: PushRequest): Promise<PushAnswers> {
  const { mutations } = request
  const found = await openPushClient(parts, request)
  if (found === null) return { last: 0, answers: mutations.map(toRetry) }
  let client = await parts.clients.acknowledge(found, request.head.ack)
  assertFollows(client, mutations)
  const answers: PushAnswer[] = []
  for (const mutation of mutations) {
    const known = client.outcomes.find(({ n }) => n === mutation.n)
    if (known !== undefined) {
      answers.push(await repeat(parts, request, mutation, known))
      continue
    }
    if (client.outcomes.length >= MAX_OUTCOMES || parts.isOver()) break
    const done = await tryMutation(parts, request, client, mutation)
    if (done === null) break
    ;({ client } = done)
    answers.push(done.answer)
  }
  return {
    last: client.last,
    answers: [...answers, ...mutations.slice(answers.length).map(toRetry)],
  }
}

function toRetry({ n }: Mutation): PushAnswer {
  return { n, outcome: 'retry' }
}

interface Done {
  readonly client: PushClient
  readonly answer: PushAnswer
}

/** Null if the outcome is not known. */
async function tryMutation(
  parts: PushParts,
  request: PushRequest,
  client: PushClient,
  mutation: Mutation,
): Promise<Done | null> {
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
): Promise<Done | null> {
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
  { n, documentId }: Mutation,
  error: CmsError,
): Promise<Done | null> {
  const { status, errorCode: code } = error
  const outcome = { n, documentId, outcome: 'refused', revision: null, status, code } as const
  try {
    const moved = await clients.move(client, outcome)
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
): Promise<Done> {
  const { clients } = parts
  const { n, documentId } = mutation
  if (mutation.op === 'skip') return settleUnchanged(clients, client, mutation, null)
  assertDependencies(client, mutation)
  let moved: { readonly client: PushClient; readonly outcome: SettledOutcome } | null = null
  const settle: PushedWrite<Mutation>['settle'] = async (outcome, session) => {
    moved = { client: await clients.move(client, { ...outcome, n, documentId }, session), outcome }
  }
  const plan = parts.types.get(mutation.type)
  const result =
    plan === undefined
      ? unknownType(mutation)
      : await write({ parts, request, client, settle }, plan, mutation)
  if (result === null) {
    const done = moved as { readonly client: PushClient; readonly outcome: SettledOutcome } | null
    if (done === null) throw new Error('a write has an outcome')
    return { client: done.client, answer: { n, ...appliedAnswer(done.outcome) } }
  }
  if (result === 'unchanged') {
    return settleUnchanged(clients, client, mutation, null)
  }
  const { code, attributes, revision } = result
  const outcome = { n, documentId, outcome: 'conflict', code, attributes, revision } as const
  const settled = await clients.move(client, outcome)
  return { client: settled, answer: { n, outcome: 'conflict', ...result } }
}

/** The outcome of a mutation without a write. */
async function settleUnchanged(
  clients: PushClients,
  client: PushClient,
  { n, documentId }: Mutation,
  revision: string | null,
): Promise<Done> {
  const outcome = { outcome: 'applied', revision, changed: false } as const
  const settled = await clients.move(client, { ...outcome, n, documentId })
  return { client: settled, answer: { n, ...outcome } }
}

function appliedAnswer(settled: SettledOutcome) {
  return { ...settled, outcome: settled.outcome === 'merged' ? 'merged' : 'applied' } as const
}

function unknownType(mutation: Mutation): PushConflict {
  const sides = clientSides(mutation)
  return { code: 'unknown_type', attributes: [], ...sides, theirs: null, revision: null }
}

/** @throws ConflictError */
function assertDependencies({ outcomes }: PushClient, mutation: Mutation): void {
  const base = baseNumber(mutation)
  const needed = new Set([...mutation.depends, ...(base === null ? [] : [base])])
  const failed = outcomes.find(
    ({ n, outcome }) => needed.has(n) && (outcome === 'conflict' || outcome === 'refused'),
  )
  if (failed === undefined) return
  const message = `Mutation ${failed.n}, on which this one depends, was not applied`
  throw new ConflictError(message, { n: failed.n }, { code: 'push_dependency' })
}

function baseNumber(mutation: Mutation): number | null {
  if (!('base' in mutation) || mutation.base === null) return null
  return typeof mutation.base === 'string' ? null : mutation.base.n
}

function baseRevision({ outcomes }: PushClient, mutation: Mutation): string | null {
  if (!('base' in mutation)) return null
  const { base, documentId } = mutation
  if (base === null || typeof base === 'string') return base
  const earlier = outcomes.find(({ n }) => n === base.n)
  // An unknown revision equals none, so that the values decide. So does the result of a merge,
  // because it contains changes that the device has not seen.
  if (earlier?.documentId !== documentId || earlier.rebased === true) return ''
  return earlier.revision ?? ''
}

interface Running {
  readonly parts: PushParts
  readonly request: PushRequest
  readonly client: PushClient
  readonly settle: PushedWrite<Mutation>['settle']
}

/** @throws CmsError for a refusal */
async function write(
  { parts, request, client, settle }: Running,
  plan: ContentTypePlan,
  mutation: Exclude<Mutation, { readonly op: 'skip' }>,
): Promise<WriteResult> {
  const { documents, principal, origin } = parts
  const rules = principalWriteRules(principal)
  const common = {
    ...placeOf(parts, request, rules, plan, mutation),
    documents,
    rules,
    plan,
    base: baseRevision(client, mutation),
    origin,
    settle,
  }
  switch (mutation.op) {
    case 'create':
      return pushCreation({ ...common, mutation })
    case 'update':
      return pushUpdate({ ...common, mutation })
    case 'delete':
      return pushDeletion({ ...common, mutation })
    case 'publish':
      return pushPublication({ ...common, mutation })
  }
}

/** @throws ForbiddenError, NotFoundError, ValidationError for an unknown locale */
function placeOf(
  { documents, locales, writerOf }: Pick<PushParts, 'documents' | 'locales' | 'writerOf'>,
  { head }: PushRequest,
  rules: WriteRules,
  plan: ContentTypePlan,
  mutation: Mutation,
) {
  const status = plan.draftAndPublish ? head.status : 'published'
  const action = missingAction(rules, plan, status)
  if (action !== null) throw new ForbiddenError('Forbidden', {}, { action })
  const isSingle = plan.kind === 'singleType'
  if (isSingle && mutation.documentId !== singleDocumentId(plan.uid)) {
    throw new NotFoundError('Not Found')
  }
  const { locale } = mutation
  const query: Data = { status, ...(locale !== null && { locale }) }
  const key = parseWriteKey(query, undefined, plan, locales)
  const attributes = pushedAttributes({ documents, rules }, plan, status)
  const writer = writerOf(plan.localized ? key.locale : locales.defaultCode)
  return { status, key, attributes, writer } as const
}

/** The stored outcome of a mutation. Content comes from the mutation and the current version. */
async function repeat(
  parts: PushParts,
  request: PushRequest,
  mutation: Mutation,
  known: PushedOutcome,
): Promise<PushAnswer> {
  const { n, documentId: _document, ...settled } = known
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
