import { randomBytes } from 'node:crypto'
import type { Document } from 'mongodb'
import { isDuplicateKey } from '../connection/database-error.ts'
import type { Database, Session } from '../connection/database.ts'
import { insertOnce } from './insert-once.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { toStoredNames } from '../versions/row-names.ts'
import { toBson } from '../versions/stored-value.ts'
import { asPastVersion } from '../versions/past-version.ts'
import type { StoredVersion } from '../versions/stored-version.ts'
import { ensureIndexes } from './system-collections.ts'
import type { Table } from '../connection/table.ts'

const KEPT_FOR_MS = 24 * 60 * 60 * 1_000
export const IDEMPOTENCY_LEASE_MS = 10_000

const SWEEP_INTERVAL_MS = 60_000

export const IDEMPOTENCY_KEYS = 'quire_idempotency_keys'

export interface StoredAnswer {
  readonly status: number
  readonly body: string
  readonly revision: string | null
  /** For errors only. Absent in records that predate error codes. */
  readonly errorCode?: string
}

export type Beginning =
  /** No earlier request. `claim` distinguishes this one from requests that may take over. */
  | { readonly kind: 'begun'; readonly claim: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'other' }
  | { readonly kind: 'created'; readonly version: StoredVersion }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }

interface KeyRow {
  readonly _id: string
  readonly fingerprint: string
  readonly claim: string
  readonly leasedUntil: Date
  readonly expiresAt: Date
  readonly version?: Document
  /** The content-type of the version. Absent in rows of earlier releases. */
  readonly type?: Uid
  readonly answer?: StoredAnswer
}

const WITHOUT_RESULT = { version: { $exists: false }, answer: { $exists: false } }

export interface IdempotencyRecords {
  begin(key: string, fingerprint: string, plan: ContentTypePlan): Promise<Beginning>
  /** Returns false if another request has taken over the key. */
  noteCreated(
    key: string,
    claim: string,
    version: StoredVersion,
    plan: ContentTypePlan,
    session: Session,
  ): Promise<boolean>
  keepAnswer(key: string, answer: StoredAnswer): Promise<StoredAnswer>
  /** Deletes the record of a request without effects, so that it can be retried. */
  release(key: string, claim: string): Promise<void>
}

/** Expired keys are ignored, and deleted on use because the embedded engine has no TTL indexes. */
export async function openIdempotencyRecords(
  database: Database,
  now: () => Date,
): Promise<IdempotencyRecords> {
  const rows = database.table<KeyRow>(IDEMPOTENCY_KEYS)
  await ensureIndexes(rows, [{ key: { expiresAt: 1 }, name: 'expiresAt' }])
  const acknowledged = database.majority.table<KeyRow>(IDEMPOTENCY_KEYS)
  const begin = beginnings({ rows, acknowledged }, now)
  return {
    begin,
    noteCreated: async (key, claim, version, plan, session) => {
      const { matchedCount } = await rows.updateOne(
        { _id: key, claim, answer: { $exists: false } },
        { $set: { version: toBson(toStoredNames(plan, version)) as Document, type: plan.uid } },
        { session },
      )
      return matchedCount === 1
    },
    keepAnswer: async (key, answer) => {
      await rows.updateOne(
        { _id: key, answer: { $exists: false } },
        { $set: { answer }, $unset: { version: '', type: '' } },
      )
      const stored = await acknowledged.findOne({ _id: key })
      return stored?.answer ?? answer
    },
    release: async (key, claim) => {
      await rows.deleteOne({ _id: key, claim, ...WITHOUT_RESULT })
    },
  }
}

/** The latest expiry of stored versions of earlier releases, whose content-type is unknown. Null if there are none. */
export async function findUntypedKey(database: Database, at: Date): Promise<Date | null> {
  const untyped = { version: { $exists: true }, type: { $exists: false }, expiresAt: { $gt: at } }
  const [last] = await database
    .table<KeyRow>(IDEMPOTENCY_KEYS)
    .find(untyped)
    .sort({ expiresAt: -1 })
    .limit(1)
    .toArray()
  return last?.expiresAt ?? null
}

function beginnings(
  { rows, acknowledged }: Readonly<Record<'rows' | 'acknowledged', Table<KeyRow>>>,
  now: () => Date,
): IdempotencyRecords['begin'] {
  let sweptAtMs = -Infinity
  const sweep = async (at: Date): Promise<void> => {
    if (Math.abs(at.getTime() - sweptAtMs) < SWEEP_INTERVAL_MS) return // the clock may have been set back
    sweptAtMs = at.getTime()
    await rows.deleteMany({ expiresAt: { $lte: at } })
  }
  const insert = async (row: KeyRow): Promise<boolean> => {
    try {
      await insertOnce(rows, row, 'claim')
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }
  const takeOver = async ({ _id, ...row }: KeyRow, at: Date): Promise<boolean> => {
    // A lease that ends far in the future was written before the clock was set back.
    const ahead = new Date(at.getTime() + 10 * IDEMPOTENCY_LEASE_MS)
    const abandoned = [
      { leasedUntil: { $lte: at }, ...WITHOUT_RESULT },
      { leasedUntil: { $gt: ahead }, ...WITHOUT_RESULT },
    ]
    const { matchedCount } = await rows.updateOne(
      { _id, $or: [{ expiresAt: { $lte: at } }, ...abandoned] },
      { $set: row, $unset: { version: '', type: '', answer: '' } },
    )
    return matchedCount === 1
  }
  return async (key, fingerprint, plan) => {
    await sweep(now())
    for (;;) {
      const at = now()
      const claim = randomBytes(8).toString('hex')
      const leasedUntil = new Date(at.getTime() + IDEMPOTENCY_LEASE_MS)
      const expiresAt = new Date(at.getTime() + KEPT_FOR_MS)
      const row = { _id: key, fingerprint, claim, leasedUntil, expiresAt }
      // Not an upsert, because DocumentDB may report several racing upserts as inserted.
      if ((await insert(row)) || (await takeOver(row, at))) return { kind: 'begun', claim }
      const stored = await acknowledged.findOne({ _id: key })
      if (stored !== null && stored.expiresAt > at) return toBeginning(stored, fingerprint, plan)
    }
  }
}

function toBeginning(
  { fingerprint, version, answer }: KeyRow,
  asked: string,
  plan: ContentTypePlan,
): Beginning {
  if (fingerprint !== asked) return { kind: 'other' }
  if (answer !== undefined) return { kind: 'answered', answer }
  return version === undefined
    ? { kind: 'running' }
    : { kind: 'created', version: asPastVersion(plan, version) }
}
