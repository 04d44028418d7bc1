import { CmsError } from '../../base/errors.ts'
import { principalWriteRules } from '../../content/rules/principal-rules.ts'
import { getDocuments } from '../../mongo/write/find-by-unique.ts'
import { writeTogether } from '../../mongo/write/write-path.ts'
import { type PushClient, PushOvertaken } from '../../mongo/system/push-clients.ts'
import { outcomeKey } from './mutation-digest.ts'
import { preparePushedCreation, type PreparedPush } from './push-creation.ts'
import {
  appliedAnswer,
  MAX_OUTCOMES,
  placeOf,
  type PushAnswer,
  type PushParts,
} from './push-parts.ts'
import type { CreateMutation, Mutation, PushRequest } from './push-request.ts'
import { outcomeAsSent, withoutAliases } from './pushed-names.ts'
import { settled } from './pushed-write.ts'

/** Maximum per transaction, so that a refused one repeats few of them. */
const MAX_TOGETHER = 25

/** The creations of one type from this mutation on that can be stored in one transaction. */
export function creationsFrom(
  mutations: readonly Mutation[],
  { n, type }: Mutation,
  { outcomes }: PushClient,
): readonly CreateMutation[] {
  const room = Math.min(MAX_TOGETHER, MAX_OUTCOMES - outcomes.length)
  const group: CreateMutation[] = []
  for (const mutation of mutations) {
    if (mutation.n < n) continue
    const isAlike = mutation.op === 'create' && mutation.type === type
    if (!isAlike || mutation.depends.length > 0 || group.length >= room) break
    group.push(mutation)
  }
  return group
}

interface Together {
  readonly client: PushClient
  readonly answers: readonly PushAnswer[]
}

/** Null if no document was stored. Each mutation is then carried out alone and gets its own outcome. */
export async function pushTogether(
  parts: PushParts,
  request: PushRequest,
  client: PushClient,
  group: readonly CreateMutation[],
): Promise<Together | null> {
  try {
    const prepared = await prepareAll(parts, request, group)
    return prepared === null ? null : await storeAll(parts, client, group, prepared)
  } catch (error) {
    if (!(error instanceof CmsError || error instanceof PushOvertaken)) parts.onUnexpected(error)
    return null
  }
}

async function prepareAll(
  parts: PushParts,
  request: PushRequest,
  group: readonly CreateMutation[],
): Promise<readonly PreparedPush[] | null> {
  const { documents, principal, origin } = parts
  const plan = parts.types.get(group[0]?.type ?? '')
  if (plan === undefined) return null
  const ids = group.map(({ documentId }) => documentId)
  if ((await getDocuments(documents.database, plan, ids)).length > 0) return null
  const rules = principalWriteRules(principal)
  const tried = await Promise.allSettled(
    group.map(async (mutation) => {
      const place = placeOf(parts, request, rules, plan, mutation)
      const named = withoutAliases(plan, mutation)
      return preparePushedCreation({ ...place, documents, rules, plan, origin, mutation: named })
    }),
  )
  const prepared = tried.flatMap((one) =>
    one.status === 'fulfilled' && one.value !== null ? [one.value] : [],
  )
  return prepared.length === group.length ? prepared : null
}

async function storeAll(
  { documents, clients }: PushParts,
  client: PushClient,
  group: readonly CreateMutation[],
  prepared: readonly PreparedPush[],
): Promise<Together | null> {
  const items = prepared.map(({ item }) => item)
  let together: Together | null = null
  await writeTogether(documents.database, items, async (versions, session) => {
    const outcomes = group.flatMap((mutation, index) => {
      const version = versions[index]
      const one = prepared[index]
      if (version === undefined || one === undefined) return []
      const outcome = outcomeAsSent(one.item.plan, mutation, settled(one.merged, version, true))
      return [{ ...outcomeKey(mutation), ...outcome }]
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
