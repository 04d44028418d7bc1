import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { declare } from '../support/server.ts'
import { ask as send, type Processes, startProcesses } from './processes.ts'

const SECONDS = Number(process.env['QUIRE_TEST_CACHE_SECONDS'] ?? 20)
/** The documented bound without slack, because a read is judged by the time when it was sent. */
const STALE_MS = 1_000
const NOTES = 3
const WRITERS = 2
const READERS = 8
const METRICS_TOKEN = 'metrics-token-of-the-test'
const READ = ['api::note.note.find', 'api::note.note.findOne', 'api::board.board.find']

interface Acknowledged {
  readonly value: number
  readonly at: number
  readonly server: number
}

interface Note {
  readonly documentId: string
  readonly written: Acknowledged[]
}

/** The minimum value in the response to a read that was sent to `server` at `at`. */
function leastOf({ written }: Note, server: number, at: number): number {
  const known = written.filter((one) => one.at < (one.server === server ? at : at - STALE_MS))
  return Math.max(0, ...known.map(({ value }) => value))
}

describe('cached responses of four processes', () => {
  let processes: Processes
  const notes: Note[] = []

  before(async () => {
    const contentTypes = {
      note: declare('note', { value: { type: 'integer' } }),
      board: declare('board', {
        notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note' },
      }),
    }
    processes = await startProcesses('kept', contentTypes, { METRICS_TOKEN })
    await ask(0, 'PUT', '/admin/roles/public', { permissions: READ })
    for (let index = 0; index < NOTES; index += 1) {
      const { body } = await ask(0, 'POST', '/api/notes', { data: { value: 0 } })
      notes.push({ documentId: body.data.documentId, written: [] })
    }
    const data = { notes: notes.map(({ documentId }) => documentId) }
    await ask(0, 'POST', '/api/boards', { data })
    await wait(2 * STALE_MS) // until all processes know the permissions
  })
  after(() => processes.close())

  const ask = async (server: number, method: string, path: string, body?: object) => {
    const asked = processes.servers[server]
    if (asked === undefined) throw new Error(`there is no server ${server}`)
    const who = method === 'GET' ? { token: null } : {}
    const answer = await send(asked, method, path, { ...who, ...(body && { body }) })
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.below(300)
    return answer
  }

  /** Writes increasing values. Each note has one writer. */
  const write = async (writer: number, until: number): Promise<void> => {
    for (let value = 1; performance.now() < until; value += 1) {
      const server = randomInt(processes.servers.length)
      for (const note of notes.filter((_, index) => index % WRITERS === writer)) {
        await ask(server, 'PUT', `/api/notes/${note.documentId}`, { data: { value } })
        note.written.push({ value, at: performance.now(), server })
      }
      await wait(randomInt(400))
    }
  }
  const read = async (until: number, faults: string[]): Promise<number> => {
    let count = 0
    for (; performance.now() < until; count += 1) {
      const server = randomInt(processes.servers.length)
      const at = performance.now()
      const [one] = notes
      const path = [
        '/api/notes?sort=id',
        '/api/boards?populate=notes',
        `/api/notes/${one?.documentId ?? ''}`,
      ][randomInt(3)]
      const { body } = await ask(server, 'GET', path ?? '')
      const shown: readonly { readonly documentId: string; readonly value: number }[] = [body.data]
        .flat()
        .flatMap((entry) => entry.notes ?? entry)
      for (const { documentId, value } of shown) {
        const note = notes.find((candidate) => candidate.documentId === documentId)
        const least = note === undefined ? 0 : leastOf(note, server, at)
        if (value < least) faults.push(`${path ?? ''} of ${server}: ${value} instead of ${least}`)
      }
    }
    return count
  }

  it(`shows no value older than promised, for ${SECONDS} s`, async () => {
    const faults: string[] = []
    const until = performance.now() + SECONDS * 1_000
    const [reads] = await Promise.all([
      Promise.all(Array.from({ length: READERS }, () => read(until, faults))),
      ...Array.from({ length: WRITERS }, (_, writer) => write(writer, until)),
    ])
    expect(faults).to.deep.equal([])
    const written = notes.reduce((sum, note) => sum + note.written.length, 0)
    expect(written, 'writes').to.be.above(SECONDS)
    const hits = await Promise.all(processes.servers.map(hitsOf))
    const all = reads.reduce((sum, count) => sum + count, 0)
    expect(Math.min(...hits), `hits of ${all} reads`).to.be.above(SECONDS)
  })

  it('shows no content after a permission was revoked', async () => {
    for (const server of processes.servers.keys()) await ask(server, 'GET', '/api/notes?sort=id')
    await ask(0, 'PUT', '/admin/roles/public', { permissions: [] })
    const taken = performance.now()
    const statuses = async (): Promise<readonly number[]> =>
      Promise.all(
        processes.servers.map(
          async (server) =>
            (await send(server, 'GET', '/api/notes?sort=id', { token: null })).status,
        ),
      )
    const [here] = await statuses()
    expect(here, 'the process that took it').to.equal(403)
    await wait(Math.max(0, taken + STALE_MS - performance.now()))
    expect(await statuses()).to.deep.equal([403, 403, 403, 403])
  })
})

async function hitsOf({ base }: Processes['servers'][number]): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  const text = await (await fetch(`${base}/metrics`, { headers })).text()
  return Number(/^quire_answer_cache_hits_total (\d+)$/m.exec(text)?.[1])
}
