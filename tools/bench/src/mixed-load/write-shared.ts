import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { FileRow, MemberRow } from './ledger.ts'
import type { CounterEntry, MemberEntry, OneResponse, StoredFile } from './shapes.ts'
import { KEY_IN_USE, type WorkContext } from './work.ts'

const MAX_MEMBERS = 8
const MAX_FILES = 5

/** Increments a shared counter: reads it and writes with its ETag. */
export async function countUp({ client, ledger }: WorkContext): Promise<void> {
  const counter = ledger.counters[randomInt(ledger.counters.length)]
  if (counter === undefined) return
  const path = `/api/counters/${counter.documentId}`
  const atLeast = counter.acknowledged
  const read = await client.ask('GET', path, { expected: [200] })
  if (read?.status !== 200) return
  const { count } = (read.body as OneResponse<CounterEntry>).data
  if (count < atLeast) {
    client.complain(`GET ${path}: ${count}, when ${atLeast} had been acknowledged`)
  }
  counter.unknown += 1
  const written = await client.ask('PUT', path, {
    body: { data: { count: count + 1 } },
    headers: { 'if-match': read.headers.get('etag') ?? '' },
    expected: [200, 412],
  })
  if (written === null) return
  counter.unknown -= 1
  if (written.status !== 200) return
  counter.acknowledged += 1
  ledger.acknowledged += 1
}

/** Creates members and connects them to groups concurrently with other writers. */
export async function changeMembers(
  work: WorkContext,
  writer: string,
  rows: MemberRow[],
): Promise<void> {
  const { client, ledger, isOver } = work
  const row = rows[randomInt(Math.max(rows.length, 1))]
  if (row === undefined || (rows.length < MAX_MEMBERS && randomInt(3) === 0)) {
    await addMember(work, writer, rows)
  } else if (rows.length === MAX_MEMBERS && randomInt(3) === 0) {
    rows.splice(rows.indexOf(row), 1)
    row.exists = 'unknown'
    const path = `/api/members/${row.documentId}`
    const answer = await client.askUntilAnswered('DELETE', path, { expected: [204, 404] }, isOver)
    if (answer === null) return
    ledger.members.splice(ledger.members.indexOf(row), 1)
    ledger.acknowledged += 1
  } else {
    await connect(work, row)
  }
}

async function addMember(
  { client, ledger, isOver }: WorkContext,
  writer: string,
  rows: MemberRow[],
): Promise<void> {
  const key = `${writer}-${randomUUID()}`
  const row: MemberRow = { key, documentId: null, exists: 'unknown', isMember: new Map() }
  ledger.members.push(row)
  const answer = await client.askUntilAnswered(
    'POST',
    '/api/members',
    {
      body: { data: { key: row.key } },
      headers: { 'idempotency-key': randomUUID() },
      expected: [201],
      later: KEY_IN_USE,
    },
    isOver,
  )
  if (answer?.status !== 201) return
  row.documentId = (answer.body as OneResponse<MemberEntry>).data.documentId
  row.exists = 'yes'
  rows.push(row)
  ledger.acknowledged += 1
}

async function connect({ client, ledger }: WorkContext, row: MemberRow): Promise<void> {
  const group = ledger.groups[randomInt(ledger.groups.length)] ?? ''
  const before = row.isMember.get(group) ?? 'no'
  const verb = before === 'yes' ? 'disconnect' : 'connect'
  row.isMember.set(group, 'unknown')
  const fromGroup = randomInt(2) === 0
  const answer = fromGroup
    ? await client.ask('PUT', `/api/groups/${group}`, {
        body: { data: { members: { [verb]: [row.documentId] } } },
        expected: [200],
      })
    : await client.ask('PUT', `/api/members/${row.documentId}`, {
        body: { data: { groups: { [verb]: [group] } } },
        expected: [200],
      })
  if (answer === null) return
  if (answer.status === 200) {
    row.isMember.set(group, verb === 'connect' ? 'yes' : 'no')
    ledger.acknowledged += 1
  } else {
    row.isMember.set(group, before)
  }
}

export async function uploadFiles({ client, ledger, isOver }: WorkContext): Promise<void> {
  const rows: FileRow[] = []
  while (!isOver()) {
    const row = rows[randomInt(Math.max(rows.length, 1))]
    if (row !== undefined && rows.length >= MAX_FILES) {
      rows.splice(rows.indexOf(row), 1)
      row.exists = 'unknown'
      const path = `/api/upload/files/${row.id}`
      const answer = await client.askUntilAnswered('DELETE', path, { expected: [200, 404] }, isOver)
      if (answer === null) return
      ledger.files.splice(ledger.files.indexOf(row), 1)
    } else {
      const content = randomBytes(1000 + randomInt(60_000)).toString('base64')
      const body = new FormData()
      body.append('files', new Blob([content], { type: 'text/plain' }), 'note.txt')
      const answer = await client.ask('POST', '/api/upload', { body, expected: [201] })
      if (answer?.status !== 201) continue
      const [stored] = answer.body as readonly StoredFile[]
      if (stored === undefined) continue
      const { id, url } = stored
      const added: FileRow = { id, url, content: digestOf(content), exists: 'yes' }
      rows.push(added)
      ledger.files.push(added)
    }
    ledger.acknowledged += 1
  }
}

export function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}
