import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { addMember, type Member } from '../../api/people/rules-world.ts'
import type { TestServer } from '../../support/server.ts'
import type { FileTask } from './file-child.ts'
import { serveFiles } from './file-world.ts'
import { openSqliteFile } from './sqlite-database.ts'

const CHILD = fileURLToPath(new URL('./file-child.js', import.meta.url))
const KILLS = Number(process.env['STORE_KILLS'] ?? 12)
/** Above the limit of files that a row holds. */
const SIZE = 20_500_000
const PART_BYTES = 1_048_576

interface Counted {
  readonly key: string
  readonly parts: number
}

describe('large files in SQLite in a process that is killed', () => {
  const content = randomBytes(SIZE)
  let folder: string
  let source: string
  let server: TestServer

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-parts-'))
    source = path.join(folder, 'film.bin')
    writeFileSync(source, content)
    server = await serveFiles('file_parts_killed', SIZE)
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs a child, and kills it when it announces a step. Returns the id of the file that it has added. */
  async function run(task: FileTask) {
    const child = spawn(process.execPath, [CHILD, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (/^now$/m.test(output)) child.kill('SIGKILL')
    })
    const [code] = (await once(child, 'close')) as [number | null]
    if (task.announced === null) expect(code).to.equal(0)
    const textAfter = (word: string) => new RegExp(`^${word} (.+)$`, 'm').exec(output)?.[1] ?? ''
    return { added: textAfter('added'), steps: Number(textAfter('steps')), isKilled: code !== 0 }
  }

  /** The ids of queued files, each with all of its parts. */
  async function readQueued(file: string): Promise<readonly string[]> {
    const database = openSqliteFile(file)
    const [check] = await database.getAllAsync<object>('PRAGMA integrity_check', [])
    expect(check).to.deep.equal({ integrity_check: 'ok' })
    const queued = await database.getAllAsync<Counted>(
      `SELECT key, (SELECT count(*) FROM quire_parts WHERE key = quire_rows.key) AS parts
       FROM quire_rows WHERE type = '$uploads' AND json_extract(value, '$.data.content') IS NOT NULL`,
      [],
    )
    database.close()
    for (const { parts } of queued) expect(parts).to.equal(Math.ceil(SIZE / PART_BYTES))
    return queued.map(({ key }) => key.split(' ')[1] ?? '')
  }

  for (const kind of ['async', 'direct'] as const) {
    it(`are sent once if the device has accepted them, after ${KILLS} kills, ${kind}`, async function () {
      this.timeout(120_000 + KILLS * 30_000)
      const member = await addMember(server, kind)
      const database = path.join(folder, `${kind}.db`)
      const { contentTypesDir, port } = server
      const task = { kind, database, source, member, server: { contentTypesDir, port } }
      const first = await run({ ...task, announced: null })
      const accepted = new Set([first.added])
      let kills = 0
      for (let turn = 0; turn < KILLS; turn += 1) {
        const announced = 1 + Math.floor(Math.random() * first.steps)
        const { added, isKilled } = await run({ ...task, announced })
        if (isKilled) kills += 1
        const queued = await readQueued(database)
        for (const id of [added, ...queued]) if (id !== '') accepted.add(id)
      }
      expect(kills, 'kills that came in time').to.be.above(KILLS / 3)
      await run({ ...task, source: null, announced: null })
      expect(await readQueued(database)).to.deep.equal([])
      await assertStored(member, accepted)
    })
  }

  async function assertStored({ token }: Member, accepted: ReadonlySet<string>): Promise<void> {
    const stored = await storedIds()
    for (const id of accepted) {
      expect(stored.filter((one) => one === id)).to.have.lengthOf(1)
      const { url } = (await server.get(`/api/upload/files/${id}`, { token })).body
      const served = await fetch(`http://127.0.0.1:${server.port}${url}`)
      expect(Buffer.from(await served.arrayBuffer()).equals(content)).to.equal(true)
    }
    known.push(...accepted)
    expect(stored).to.have.members(known)
  }

  /** Of both tests. */
  const known: string[] = []

  async function storedIds(): Promise<readonly string[]> {
    const { body } = await server.get('/api/upload/files?fields=documentId&sort=id')
    return body.map(({ documentId }: { readonly documentId: string }) => documentId)
  }
})
