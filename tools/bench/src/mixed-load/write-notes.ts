import { randomInt, randomUUID } from 'node:crypto'
import { NO_VERSION, type Possible, type Slot, unionPossible } from './possible.ts'
import { type NoteRow, recordRemoval } from './ledger.ts'
import { makeNote } from './note.ts'
import { PossibleVersions } from './possible-versions.ts'
import type { NoteEntry, OneResponse } from './shapes.ts'
import { KEY_IN_USE, type WorkContext } from './work.ts'

const MAX_NOTES = 10

/** A writer with its own documents: creates, updates, publishes, unpublishes and deletes. */
export async function writeNotes(work: WorkContext, writer: string): Promise<void> {
  const { ledger, isOver } = work
  const rows: NoteRow[] = []
  let revision = 0
  while (!isOver()) {
    const row = rows[randomInt(Math.max(rows.length, 1))]
    revision += 1
    if (row === undefined || (rows.length < MAX_NOTES && randomInt(4) === 0)) {
      const created: NoteRow = {
        key: `${writer}-${revision}`,
        documentId: null,
        versions: new PossibleVersions(),
      }
      rows.push(created)
      ledger.notes.push(created)
      await create(work, created, revision)
    } else if (row.documentId === null) {
      return // the load is over, or the refused creation is already recorded
    } else if (rows.length === MAX_NOTES && randomInt(3) === 0) {
      await remove(work, row)
      rows.splice(rows.indexOf(row), 1)
      if (!row.versions.mayExist()) recordRemoval(ledger, row)
    } else {
      await change(work, row, revision)
    }
  }
}

async function create(
  { client, ledger, isOver }: WorkContext,
  row: NoteRow,
  revision: number,
): Promise<void> {
  const isDraft = randomInt(3) === 0
  const slots: Slot[] = isDraft ? ['draft:en'] : ['draft:en', 'published:en']
  for (const slot of slots) row.versions.set(slot, new Set([null, revision]))
  const answer = await client.askUntilAnswered(
    'POST',
    `/api/notes${isDraft ? '?status=draft' : ''}`,
    {
      body: { data: makeNote(row.key, revision, ledger) },
      headers: { 'idempotency-key': randomUUID() },
      expected: [201],
      later: KEY_IN_USE,
    },
    isOver,
  )
  if (answer?.status !== 201) return
  row.documentId = (answer.body as OneResponse<NoteEntry>).data.documentId
  for (const slot of slots) row.versions.set(slot, new Set([revision]))
  ledger.acknowledged += 1
}

async function remove({ client, ledger, isOver }: WorkContext, row: NoteRow): Promise<void> {
  for (const [slot, possible] of row.versions.all()) {
    row.versions.set(slot, unionPossible(possible, NO_VERSION))
  }
  const path = `/api/notes/${row.documentId}?locale=*`
  const answer = await client.askUntilAnswered('DELETE', path, { expected: [204, 404] }, isOver)
  if (answer === null) return
  row.versions.clear()
  ledger.acknowledged += 1
}

/** The possible revisions of each version after a write. */
type Outcome = ReadonlyMap<Slot, Possible>

async function change(work: WorkContext, row: NoteRow, revision: number): Promise<void> {
  const locale = randomInt(3) === 0 ? 'fr' : 'en'
  const draft: Slot = `draft:${locale}`
  const published: Slot = `published:${locale}`
  const before = (slot: Slot): Possible => row.versions.get(slot)
  const put = (status: string, outcome: Outcome): Promise<void> => {
    const body = { data: makeNote(row.key, revision, work.ledger) }
    return carryOut(work, row, outcome, { method: 'PUT', path: `?locale=${locale}${status}`, body })
  }
  const act = (action: string, outcome: Outcome): Promise<void> => {
    const path = `/actions/${action}?locale=${locale}`
    return carryOut(work, row, outcome, { method: 'POST', path, body: {} })
  }
  const written = new Set([revision])
  const chance = randomInt(8)
  if (chance < 3 || before(draft).has(null)) {
    await put(
      '',
      new Map([
        [draft, written],
        [published, written],
      ]),
    )
  } else if (chance < 5) {
    await put('&status=draft', new Map([[draft, written]]))
  } else if (chance === 5) {
    await act('publish', new Map([[published, before(draft)]]))
  } else if (before(published).has(null)) {
    await put('&status=draft', new Map([[draft, written]]))
  } else if (chance === 6) {
    await act('unpublish', new Map([[published, NO_VERSION]]))
  } else {
    await act('discard', new Map([[draft, before(published)]]))
  }
}

async function carryOut(
  { client, ledger }: WorkContext,
  row: NoteRow,
  outcome: Outcome,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: object },
): Promise<void> {
  const before = row.versions.all()
  for (const [slot, possible] of outcome) {
    row.versions.set(slot, unionPossible(before.get(slot) ?? NO_VERSION, possible))
  }
  const target = `/api/notes/${row.documentId}${path}`
  const answer = await client.ask(method, target, { body, expected: [200] })
  if (answer === null) return
  const isDone = answer.status === 200
  for (const [slot, possible] of outcome) {
    row.versions.set(slot, isDone ? possible : (before.get(slot) ?? NO_VERSION))
  }
  if (isDone) ledger.acknowledged += 1
}
