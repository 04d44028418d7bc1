import { randomInt } from 'node:crypto'
import type { Possible, Slot } from './possible.ts'
import type { Ledger, NoteRow } from './ledger.ts'
import type { LoadResponse, LoadClient } from './load-client.ts'
import { findNoteFault, POPULATE_NOTE } from './note.ts'
import type { NoteEntry, OneResponse, PageResponse } from './shapes.ts'

/** Permissions of visitors, with responses that the server may cache. */
export const VISITOR_PERMISSIONS: readonly string[] = [
  'api::note.note.find',
  'api::note.note.findOne',
  'api::folder.folder.find',
]

export interface VisitorContext {
  /** Uses a principal with read permissions only. */
  readonly client: LoadClient
  readonly ledger: Ledger
  readonly isOver: () => boolean
  /** Maximum age of a response at its request. */
  readonly staleMs: number
}

interface Seen {
  readonly tag: string
  readonly body: unknown
}

/**
 * A visitor: requests few resources repeatedly with the last ETag, so that servers respond from the
 * cache. Checks each returned and each missing entry against the ledger.
 */
export async function readAsVisitor(visit: VisitorContext): Promise<void> {
  const { client, isOver } = visit
  const seen = new Map<string, Seen>()
  while (!isOver()) {
    const locale = randomInt(3) === 0 ? 'fr' : 'en'
    const { path, row } = pathOf(visit.ledger, locale)
    const askedAtMs = performance.now()
    const known = seen.get(path)
    const answer = await client.ask('GET', path, {
      expected: [200, 304, 404],
      ...(known !== undefined && { headers: { 'if-none-match': known.tag } }),
    })
    if (answer === null) continue
    const body = answer.status === 304 ? known?.body : answer.body
    note(seen, path, answer)
    const asked = { slot: `published:${locale}` as const, sinceMs: askedAtMs - visit.staleMs }
    const entries = answer.status === 404 ? [] : entriesOf(body)
    const rows = row === null ? wholeLedger(visit.ledger, body) : [row]
    for (const fault of faultsOf(visit.ledger, entries, rows, asked)) {
      client.complain(`GET ${path} (${answer.status}): ${fault}`)
    }
  }
}

const LIST = `${POPULATE_NOTE}&sort=key&pagination[pageSize]=100`

/** Mostly one common list, otherwise one of a few entries. */
function pathOf(
  { notes }: Ledger,
  locale: string,
): { readonly path: string; readonly row: NoteRow | null } {
  const row = notes[randomInt(Math.max(Math.min(notes.length, 4), 1))]
  const documentId = row?.documentId ?? null
  if (row === undefined || documentId === null || randomInt(3) > 0) {
    return { path: `/api/notes?locale=${locale}&${LIST}`, row: null }
  }
  return { path: `/api/notes/${documentId}?locale=${locale}&${POPULATE_NOTE}`, row }
}

function note(
  seen: Map<string, Seen>,
  path: string,
  { status, headers, body }: LoadResponse,
): void {
  const tag = headers.get('etag')
  if (status === 404) seen.delete(path)
  if (status === 200 && tag !== null) seen.set(path, { tag, body })
}

function entriesOf(body: unknown): readonly NoteEntry[] {
  const { data } = body as OneResponse<NoteEntry> | PageResponse<NoteEntry>
  return [data].flat()
}

/** Notes that the list must contain if it is complete. */
function wholeLedger({ notes }: Ledger, body: unknown): readonly NoteRow[] {
  const { data, meta } = body as PageResponse<NoteEntry>
  return meta.pagination.pageCount <= 1 && data.length < 100 ? notes : []
}

interface AskedVersion {
  readonly slot: Slot
  readonly sinceMs: number
}

function faultsOf(
  ledger: Ledger,
  entries: readonly NoteEntry[],
  rows: readonly NoteRow[],
  { slot, sinceMs }: AskedVersion,
): readonly string[] {
  const faults: string[] = []
  const shown = new Set(entries.map(({ key }) => key))
  const complain = (key: string, revision: number | null, possible: Possible): void => {
    if (!possible.has(revision)) {
      faults.push(`${key}: revision ${revision}, not ${[...possible].join(' or ')}`)
    }
  }
  for (const entry of entries) {
    const fault = findNoteFault(entry, ledger)
    if (fault !== null) faults.push(fault)
    const row = ledger.notes.find(({ key }) => key === entry.key) ?? ledger.removed.get(entry.key)
    if (row === undefined) faults.push(`${entry.key} was deleted long ago or never made`)
    else complain(entry.key, entry.revision, row.versions.since(slot, sinceMs))
  }
  for (const { key, versions } of rows) {
    if (!shown.has(key)) complain(key, null, versions.since(slot, sinceMs))
  }
  return faults
}
