import type { Document } from 'mongodb'
import type { Audit } from '../guests/auditor.ts'
import type { DeviceRows } from '../guests/device.ts'
import type { ReceivedHook } from '../guests/receiver.ts'

export type LogAudit = Pick<Audit, 'head' | 'log' | 'pending' | 'replayed'>

/** The log is gapless, and replaying it gives the stored versions, by uid. */
export function checkLog(
  audit: LogAudit,
  stored: Readonly<Record<string, readonly Document[]>>,
): readonly string[] {
  return [...checkNumbers(audit), ...checkReplay(audit, stored)]
}

function checkNumbers({ head, log, pending }: LogAudit): readonly string[] {
  const faults: string[] = []
  if (pending > 0) faults.push(`${pending} commits have no number`)
  if (log.length !== head.seq)
    faults.push(`the head is ${head.seq}, the log has ${log.length} rows`)
  const gap = log.findIndex(({ seq }, index) => seq !== index + 1)
  if (gap !== -1) faults.push(`commit ${gap + 1} has the number ${log[gap]?.seq}`)
  if (new Set(log.map(({ _id }) => _id)).size !== log.length) faults.push('a commit is there twice')
  return faults
}

function checkReplay(
  { replayed }: LogAudit,
  stored: Readonly<Record<string, readonly Document[]>>,
): readonly string[] {
  const faults: string[] = []
  const versions = new Map(Object.entries(stored).flatMap(([uid, rows]) => revisionsOf(uid, rows)))
  for (const [key, revision] of versions) {
    const found = replayed.get(key)
    if (found !== revision) faults.push(`${key} is stored at ${revision}, the log has ${found}`)
  }
  for (const key of replayed.keys()) {
    const [uid = ''] = key.split(' ')
    if (Object.hasOwn(stored, uid) && !versions.has(key)) faults.push(`${key} is only in the log`)
  }
  return faults
}

function revisionsOf(
  type: string,
  rows: readonly Document[],
): readonly (readonly [string, string])[] {
  return rows.map((row) => [`${type} ${String(row['_id'])}`, String(row['_revision'])])
}

/** A copy that followed the server equals a new copy, and the stored entries. */
export function checkDevice(
  name: string,
  { followed, fresh }: DeviceRows,
  status: string,
  { things, tags }: Audit,
): readonly string[] {
  const faults: string[] = []
  const known = new Set(fresh)
  const held = new Set(followed)
  for (const row of followed)
    if (!known.has(row)) faults.push(`${name} holds ${row}, a new copy does not`)
  for (const row of fresh) if (!held.has(row)) faults.push(`${name} lacks ${row}`)
  const expected = things.filter((row) => row['status'] === status).length + tags.length
  if (fresh.length !== expected)
    faults.push(`${name} has ${fresh.length} rows instead of ${expected}`)
  return faults
}

/** Each event has one delivery. It was accepted, or it is still due. */
export function checkWebhooks(
  { deliveries, wanted }: Audit,
  received: readonly ReceivedHook[],
): readonly string[] {
  const faults: string[] = []
  const rows = new Map(deliveries.map((row) => [row._id, row]))
  const taken = new Set(received.filter(({ isTaken }) => isTaken).map(({ id }) => id))
  const known = new Set(wanted)
  for (const id of wanted) {
    const row = rows.get(id)
    if (row === undefined) faults.push(`the event ${id} has no delivery`)
    else if (row.state === 'delivered' && !taken.has(id)) faults.push(`${id} was never accepted`)
    else if (row.state === 'failed') faults.push(`${id} has failed`)
  }
  for (const { id } of received)
    if (!known.has(id)) faults.push(`the event ${id} is not in the log`)
  return [...faults, ...checkOrder(received)]
}

/** The clocks were wrong by at most ten minutes, and the work takes seconds. */
const ABSURD_LEASE_MS = 2 * 60_000
/** Enough time for a process to look for due work. */
const MAX_POLL_DELAY_MS = 8_000

/** A lease that a process with a wrong clock has left blocks no due delivery. */
export function checkLeases({ deliveries }: Audit, nowMs: number): readonly string[] {
  return deliveries
    .filter(({ state, dueAt }) => state === 'due' && dueAt.getTime() < nowMs - MAX_POLL_DELAY_MS)
    .filter(({ leasedUntil }) => leasedUntil.getTime() > nowMs + ABSURD_LEASE_MS)
    .map(({ _id, leasedUntil }) => `${_id} is leased until ${leasedUntil.toISOString()}`)
}

/** An ordered webhook accepts the events of a document in the order of the log. */
function checkOrder(received: readonly ReceivedHook[]): readonly string[] {
  const last = new Map<string, number>()
  const seen = new Set<string>()
  const faults: string[] = []
  for (const { id, path, documentId, seq, isTaken } of received) {
    if (!path.endsWith('/ordered') || !isTaken || seen.has(id)) continue
    seen.add(id)
    const before = last.get(documentId) ?? 0
    if (seq < before) faults.push(`${documentId}: the event of ${seq} came after that of ${before}`)
    last.set(documentId, Math.max(seq, before))
  }
  return faults
}
