import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type DoubleServer, serveDouble } from './double-server.ts'
import { openSqliteFile } from './sqlite-database.ts'
import { SyncDouble } from './sync-double.ts'

const CHILD = fileURLToPath(new URL('./sqlite-child.js', import.meta.url))
const KILLS = Number(process.env['STORE_KILLS'] ?? 12)
const ROWS = 300

describe('a store in SQLite in a process that is killed', () => {
  let folder: string
  let server: DoubleServer
  let onRequest: () => void = () => undefined
  const double = new SyncDouble(['article'], {
    may: new Set(['article', 'tag']),
    locales: ['en', 'de'],
    shapes: { article: '1', tag: '1' },
  })
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-killed-'))
    server = await serveDouble(double, () => onRequest())
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The rows at the end, or null if the process was killed. */
  const run = async (file: string, killAtRequest: number | null, delayMs: number) => {
    const child = spawn(process.execPath, [CHILD, file, server.url, path.basename(file)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let [requests, output] = [0, '']
    onRequest = () => {
      requests += 1
      if (requests === killAtRequest) setTimeout(() => child.kill('SIGKILL'), delayMs)
    }
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    return code === 0 ? (JSON.parse(output.split('\n')[1] ?? '') as readonly object[]) : null
  }

  for (const name of ['async', 'direct']) {
    it(`holds the rows and the token of the same page, ${KILLS} times, ${name}`, function () {
      this.timeout(60_000 + KILLS * 20_000)
      return testKills(name)
    })
  }

  const testKills = async (name: string): Promise<void> => {
    const file = path.join(folder, name)
    let killed = 0
    for (let turn = 0; turn < KILLS; turn += 1) {
      for (let row = 0; row < ROWS; row += 1) {
        const documentId = `${Math.floor(Math.random() * ROWS)}`
        const at = { type: 'article', documentId, locale: row % 2 === 0 ? 'en' : 'de' }
        if (Math.random() < 0.2) double.delete(at)
        else double.put({ ...at, title: `${turn}` })
      }
      if (turn % 5 === 4) double.restart()
      if ((await run(file, 1 + Math.floor(Math.random() * 30), Math.random() * 12)) === null) {
        killed += 1
      }
      const database = openSqliteFile(file)
      const [check] = await database.getAllAsync<object>('PRAGMA integrity_check', [])
      database.close()
      expect(check).to.deep.equal({ integrity_check: 'ok' })
    }
    expect(killed, 'kills that came in time').to.be.above(KILLS / 2)
    const held = await run(file, null, 0)
    const wanted = [...double.rows.values()].map(
      ({ type, documentId, locale, title }) =>
        `${type === 'article' ? 'articles' : 'tags'} ${documentId} ${locale} ${title}`,
    )
    const found = (held ?? []).map((row) => {
      const { name, documentId, locale, title } = row as Record<string, string>
      return `${name} ${documentId} ${locale} ${title}`
    })
    expect(found.sort()).to.deep.equal(wanted.sort())
  }
})
