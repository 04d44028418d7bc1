import { GatewayTimeoutError } from '../../base/errors.ts'
import { takeTurn } from '../../base/share-by-key.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import {
  STATE_ALONE,
  STATE_CHANGED,
  type StoredState,
  STATE_SAME,
  STATE_FIELD,
  STATE_UNKNOWN,
  UNSETTLED,
} from '../versions/version-fields.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { versionId } from '../versions/version-match.ts'
import { takeDocuments } from '../sharing/write-turns.ts'
import {
  compareStatuses,
  type ComparedLocale,
  type DocumentLocale,
} from '../read/compare-statuses.ts'

/** Maximum number of versions per batch. A batch blocks all writes to the compared documents. */
const BATCH = 500

export interface SettleLimits {
  /** On the clock of `performance.now()`. */
  readonly deadline: number
  readonly signal?: AbortSignal
}

/** Compares versions, but concurrent writes may leave unknown states. @throws GatewayTimeoutError at the deadline */
export async function settleStates(
  database: Database,
  plan: ContentTypePlan,
  locales: readonly string[],
  { deadline, signal }: SettleLimits,
): Promise<void> {
  for (;;) {
    if (signal?.aborted === true) return
    // Concurrent batches would compare the same versions.
    const count = await takeTurn(database, `settle ${plan.collectionName}`, () =>
      settleBatch(database, plan, locales),
    )
    if (count === 0) return
    if (performance.now() > deadline) throw new GatewayTimeoutError('The query took too long')
  }
}

/** Returns the number of versions found. */
async function settleBatch(
  database: Database,
  plan: ContentTypePlan,
  locales: readonly string[],
): Promise<number> {
  const found = await versionsOf(database, plan)
    .find(
      { status: { $in: ['draft', 'published'] }, locale: { $in: [...locales] }, ...UNSETTLED },
      {
        projection: { _id: 0, documentId: 1, locale: 1 },
        limit: BATCH,
        batchSize: BATCH + 1,
      },
    )
    .toArray()
  const lines = found as unknown as readonly DocumentLocale[]
  if (lines.length > 0) await settleLines(database, plan, lines)
  return lines.length
}

async function settleLines(
  database: Database,
  plan: ContentTypePlan,
  lines: readonly DocumentLocale[],
): Promise<void> {
  const ids = lines.flatMap((line) => versionIdsOf({ ...line, statuses: BOTH }))
  await database.transact(async (session) => {
    takeDocuments(plan, [...new Set(lines.map(({ documentId }) => documentId))], session)
    await setState(database, plan, { ids, state: unlikeAnyOther() }, session)
    const compared = await compareStatuses(database, plan, lines, session)
    for (const state of [STATE_SAME, STATE_CHANGED, STATE_ALONE] as const) {
      const own = compared.filter((line) => stateOf(line) === state).flatMap(versionIdsOf)
      if (own.length > 0) await setState(database, plan, { ids: own, state }, session)
    }
  })
}

/** The state of a published version without a draft is never listed. */
function stateOf({ statuses, isSame }: ComparedLocale): StoredState {
  if (!statuses.includes('published')) return STATE_ALONE
  return isSame ? STATE_SAME : STATE_CHANGED
}

/** Random, to block other writers until the comparison is stored. Writing an unchanged value locks nothing. */
function unlikeAnyOther(): number {
  return STATE_UNKNOWN + 0.1 + Math.random() * 0.8
}

async function setState(
  database: Database,
  plan: ContentTypePlan,
  { ids, state }: { readonly ids: readonly string[]; readonly state: number },
  session: Session,
): Promise<void> {
  await versionsOf(database, plan).updateMany(
    { _id: { $in: [...ids] } },
    { $set: { [STATE_FIELD]: state } },
    { session },
  )
}

const BOTH = ['draft', 'published'] as const

/** The ids of the compared versions only. Another version may have been inserted since. */
function versionIdsOf({
  documentId,
  locale,
  statuses,
}: Pick<ComparedLocale, 'documentId' | 'locale' | 'statuses'>): readonly string[] {
  return statuses.map((status) => versionId(documentId, { locale, status }))
}
