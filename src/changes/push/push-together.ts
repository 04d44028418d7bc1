import { CmsError } from '../../base/errors.ts'
import { getDocuments } from '../../mongo/write/find-by-unique.ts'
import { writeTogether } from '../../mongo/write/write-path.ts'
import { type PushClient, PushOvertaken } from '../../mongo/system/push-clients.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { outcomeKey } from './mutation-digest.ts'
import { assertDependencies, type PushState, writeOf } from './mutation-write.ts'
import { preparePushedCreation } from './push-creation.ts'
import { preparePushedDeletion } from './push-deletion.ts'
import { appliedAnswer, MAX_OUTCOMES, type PushAnswer, type PushParts } from './push-parts.ts'
import type {
  CreateMutation,
  DeleteMutation,
  Mutation,
  PushRequest,
  UpdateMutation,
} from './push-request.ts'
import { preparePushedUpdate } from './push-update.ts'
import { outcomeAsSent, withoutAliases } from './pushed-names.ts'
import type { PreparedPush } from './pushed-write.ts'
import { EntryReplaced } from './stored-line.ts'

/** Maximum per transaction, so that a refused one repeats few of them. */
const MAX_TOGETHER = 25

type Grouped = CreateMutation | UpdateMutation | (DeleteMutation & { readonly op: 'delete' })

/** The mutations of different entries of one type from this one on, which one transaction may store. */
export function groupFrom(
  mutations: readonly Mutation[],
  { n, type }: Mutation,
  { outcomes }: PushClient,
): readonly Grouped[] {
  const room = Math.min(MAX_TOGETHER, MAX_OUTCOMES - outcomes.length)
  const group: Grouped[] = []
  const entries = new Set<string>()
  for (const mutation of mutations) {
    if (mutation.n < n) continue
    if (!isGrouped(mutation) || mutation.type !== type || mutation.depends.length > 0) break
    if (entries.has(mutation.documentId) || group.length >= room) break
    entries.add(mutation.documentId)
    group.push(mutation)
  }
  return group
}

function isGrouped(mutation: Mutation): mutation is Grouped {
  return mutation.op !== 'publish' && mutation.op !== 'skip'
}

interface Together {
  readonly client: PushClient
  readonly answers: readonly PushAnswer[]
}

/**
 * Stores the first mutations of the group, up to the first one that needs a transaction of its own. Null if that leaves
 * fewer than two, or nothing was stored. Each of the others is then carried out alone and gets its own outcome.
 */
export async function pushTogether(
  parts: PushParts,
  request: PushRequest,
  client: PushClient,
  group: readonly Grouped[],
): Promise<Together | null> {
  const plan = parts.types.get(group[0]?.type ?? '')
  if (plan === undefined) return null
  try {
    const prepared = await prepareFirst({ parts, request, client }, plan, group)
    return prepared.length < 2 ? null : await storeAll(parts, client, plan, prepared)
  } catch (error) {
    const isKnown = KNOWN.some((known) => error instanceof known)
    if (!isKnown) parts.onUnexpected(error)
    return null
  }
}

const KNOWN = [CmsError, PushOvertaken, EntryReplaced] as const

interface Prepared extends PreparedPush {
  readonly mutation: Grouped
}

async function prepareFirst(
  state: PushState,
  plan: ContentTypePlan,
  group: readonly Grouped[],
): Promise<readonly Prepared[]> {
  const { database } = state.parts.documents
  const created = group.flatMap(({ op, documentId }) => (op === 'create' ? [documentId] : []))
  const found = created.length === 0 ? [] : await getDocuments(database, plan, created)
  const existing = new Set(found.map(({ documentId }) => documentId))
  const tried = await Promise.allSettled(
    group.map(async (mutation) => {
      if (mutation.op === 'create' && existing.has(mutation.documentId)) return null
      const prepared = await prepare(state, plan, mutation)
      return prepared === null ? null : { ...prepared, mutation }
    }),
  )
  const ready = tried.map((one) => (one.status === 'fulfilled' ? one.value : null))
  const first = ready.slice(0, ready.includes(null) ? ready.indexOf(null) : ready.length)
  return first.flatMap((one) => one ?? [])
}

/** Null if the mutation needs a transaction of its own. @throws CmsError for a refusal */
function prepare(
  state: PushState,
  plan: ContentTypePlan,
  mutation: Grouped,
): Promise<PreparedPush | null> {
  assertDependencies(state.client, mutation)
  const write = writeOf(state, plan, mutation)
  switch (mutation.op) {
    case 'create':
      return preparePushedCreation({ ...write, mutation: withoutAliases(plan, mutation) })
    case 'update':
      return preparePushedUpdate({ ...write, mutation: withoutAliases(plan, mutation) })
    case 'delete':
      return preparePushedDeletion({ ...write, mutation })
  }
}

async function storeAll(
  { documents, clients }: PushParts,
  client: PushClient,
  plan: ContentTypePlan,
  prepared: readonly Prepared[],
): Promise<Together | null> {
  const items = prepared.map(({ item }) => item)
  let together: Together | null = null
  await writeTogether(documents.database, items, async (versions, session) => {
    const outcomes = prepared.map(({ mutation, outcomeOf }, index) => {
      const outcome = outcomeAsSent(plan, mutation, outcomeOf(versions[index] ?? null))
      return { ...outcomeKey(mutation), ...outcome }
    })
    const moved = await clients.move(client, outcomes, session)
    const answers = outcomes.map(({ documentId: _document, digest: _digest, n, ...outcome }) => ({
      n,
      ...appliedAnswer(outcome),
    }))
    together = { client: moved, answers }
  })
  return together
}
