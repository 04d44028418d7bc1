import { type Slot, SLOTS } from './possible.ts'
import type { Ledger, MemberRow, NoteRow } from './ledger.ts'
import { LoadClient } from './load-client.ts'
import type { LoadReport } from './mixed-load.ts'
import { findNoteFault, POPULATE_NOTE } from './note.ts'
import type {
  CounterEntry,
  GroupEntry,
  MemberEntry,
  NoteEntry,
  OneResponse,
  PageResponse,
  StoredFile,
} from './shapes.ts'
import { digestOf } from './write-shared.ts'

const PAGE_SIZE = 100
/** A busy server may respond with 503. */
const MAX_WAIT_MS = 60_000

/**
 * After the load, compares a server with the ledger: missing or outdated writes, duplicates,
 * unknown documents, and mixtures of two writes. Returns an empty list if all is well.
 * @throws Error if the server does not respond
 */
export async function findLosses(
  base: string,
  token: string,
  { ledger }: LoadReport,
): Promise<readonly string[]> {
  const client = new LoadClient({ bases: [base], token, timeoutMs: 30_000, pauseMs: 0 })
  const get = async (path: string, ...others: readonly number[]): Promise<unknown> => {
    const deadline = performance.now() + MAX_WAIT_MS
    const isOver = (): boolean => performance.now() > deadline
    const asked = { expected: [200, ...others] }
    const answer = await client.askUntilAnswered('GET', path, asked, isOver)
    if (answer === null) throw new Error(`GET ${path}: no answer`)
    return answer.body
  }
  const losses = [
    ...(await lossesOfNotes(get, ledger)),
    ...(await lossesOfCounters(get, ledger)),
    ...(await lossesOfMembers(get, ledger)),
    ...(await lossesOfFiles(get, base, ledger)),
  ]
  return [...losses, ...client.wrong]
}

type Get = (path: string, ...others: readonly number[]) => Promise<unknown>

async function listAll<Entry>(get: Get, path: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let page = 1; ; page += 1) {
    const pages = `pagination[page]=${page}&pagination[pageSize]=${PAGE_SIZE}&sort=key`
    const body = (await get(`${path}&${pages}`)) as PageResponse<Entry>
    entries.push(...body.data)
    if (page >= body.meta.pagination.pageCount) return entries
  }
}

async function lossesOfNotes(get: Get, ledger: Ledger): Promise<readonly string[]> {
  const losses: string[] = []
  const totals = new Map<string, number>()
  for (const slot of SLOTS) {
    const [status, locale] = slot.split(':')
    const path = `/api/notes?status=${status}&locale=${locale}&${POPULATE_NOTE}`
    const entries = await listAll<NoteEntry>(get, path)
    losses.push(...lossesOfSlot(slot, entries, ledger))
    for (const { key, total } of entries) {
      const shared = totals.get(`${status} ${key}`) ?? total
      if (shared !== total) {
        losses.push(`${key}: its locales differ in a shared attribute: ${shared} and ${total}`)
      }
      totals.set(`${status} ${key}`, total)
    }
  }
  return losses
}

function lossesOfSlot(
  slot: Slot,
  entries: readonly NoteEntry[],
  ledger: Ledger,
): readonly string[] {
  const losses: string[] = []
  const known = new Set(ledger.notes.map(({ key }) => key))
  const found = new Map<string, NoteEntry>()
  for (const entry of entries) {
    const { key } = entry
    if (found.has(key)) losses.push(`${key} is there twice as ${slot}`)
    if (!known.has(key)) losses.push(`${key} is there as ${slot}, and was deleted or never made`)
    found.set(key, entry)
    const fault = findNoteFault(entry, ledger)
    if (fault !== null) losses.push(`${key}, ${slot}: ${fault}`)
  }
  for (const row of ledger.notes) {
    const loss = lossOfVersion(row, slot, found.get(row.key))
    if (loss !== null) losses.push(loss)
  }
  return losses
}

function lossOfVersion(row: NoteRow, slot: Slot, entry: NoteEntry | undefined): string | null {
  const possible = row.versions.get(slot)
  const revision: number | null = entry?.revision ?? null
  if (entry !== undefined && row.documentId !== null && entry.documentId !== row.documentId) {
    return `${row.key} is document ${entry.documentId}, not ${row.documentId}`
  }
  if (possible.has(revision)) return null
  return `${row.key}, ${slot}: revision ${revision}, where ${[...possible].join(' or ')} was left`
}

async function lossesOfCounters(get: Get, ledger: Ledger): Promise<readonly string[]> {
  const losses: string[] = []
  for (const { documentId, acknowledged, unknown } of ledger.counters) {
    const { count } = ((await get(`/api/counters/${documentId}`)) as OneResponse<CounterEntry>).data
    if (count < acknowledged || count > acknowledged + unknown) {
      losses.push(`counter ${documentId}: ${count}, not ${acknowledged} to +${unknown}`)
    }
  }
  return losses
}

async function lossesOfMembers(get: Get, ledger: Ledger): Promise<readonly string[]> {
  const losses: string[] = []
  const known = new Set(ledger.members.map(({ key }) => key))
  const found = new Map<string, MemberEntry>()
  for (const entry of await listAll<MemberEntry>(get, '/api/members?populate=groups')) {
    const { key } = entry
    if (found.has(key)) losses.push(`member ${key} is there twice`)
    if (!known.has(key)) losses.push(`member ${key} is there, and was deleted or never made`)
    found.set(key, entry)
  }
  const membersOf = new Map<string, readonly string[]>()
  for (const group of ledger.groups) {
    const { data } = (await get(`/api/groups/${group}?populate=members`)) as OneResponse<GroupEntry>
    membersOf.set(
      group,
      data.members.map(({ key }) => key),
    )
  }
  for (const row of ledger.members) {
    const entry = found.get(row.key)
    if (entry !== undefined) {
      const groups = entry.groups.map(({ documentId }) => documentId)
      losses.push(...lossesOfMember(row, groups, membersOf))
    } else if (row.exists === 'yes') {
      losses.push(`member ${row.key} is gone`)
    }
  }
  return losses
}

function lossesOfMember(
  row: MemberRow,
  groups: readonly string[],
  membersOf: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const losses: string[] = []
  for (const [group, members] of membersOf) {
    const times = members.filter((key) => key === row.key).length
    const wanted = row.isMember.get(group) ?? 'no'
    if (times > 1) losses.push(`member ${row.key} is ${times} times in ${group}`)
    if (groups.includes(group) !== times > 0) {
      losses.push(`member ${row.key} and group ${group}: the two sides differ`)
    }
    if (wanted !== 'unknown' && times > 0 !== (wanted === 'yes')) {
      losses.push(`member ${row.key} in ${group}: ${times > 0}, not ${wanted}`)
    }
  }
  return losses
}

async function lossesOfFiles(
  get: Get,
  base: string,
  { files }: Ledger,
): Promise<readonly string[]> {
  const losses: string[] = []
  for (const { id, url, content, exists } of files) {
    if (exists !== 'yes') continue
    const record = (await get(`/api/upload/files/${id}`, 404)) as StoredFile | null
    const response = await fetch(new URL(url, base), { signal: AbortSignal.timeout(30_000) })
    const isWhole = response.status === 200 && digestOf(await response.text()) === content
    if (record?.id !== id) losses.push(`file ${id} has no record`)
    if (!isWhole)
      losses.push(`file ${id}: ${url} differs from the uploaded file (${response.status})`)
  }
  return losses
}
