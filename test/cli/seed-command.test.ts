import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { declare, type Json } from '../support/server.ts'
import { ROOT_TOKEN, startServerProcess } from '../support/server-process.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

const CLI = fileURLToPath(new URL('../../src/cli/cli.js', import.meta.url))

describe('quire seed', () => {
  let test: TestDatabase
  let folder: string

  before(async () => {
    test = await openTestDatabase('seed_command')
    folder = mkdtempSync(path.join(tmpdir(), 'quire-seed-'))
    mkdirSync(path.join(folder, 'content-types'))
    mkdirSync(path.join(folder, 'content'))
    const place = declare(
      'place',
      { slug: { type: 'string', unique: true } },
      { draftAndPublish: true },
    )
    writeFileSync(path.join(folder, 'content-types/place.json'), JSON.stringify(place))
    const places = [{ slug: 'lake' }, { slug: 'peak' }]
    writeFileSync(path.join(folder, 'content/place.json'), JSON.stringify(places))
  })
  after(async () => {
    await test.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const environment = () => ({
    CONTENT_TYPES_DIR: path.join(folder, 'content-types'),
    MONGODB_URI: test.uri,
    MONGODB_DATABASE: test.name,
    QUIRE_DATA_DIR: path.join(folder, 'data'),
  })

  async function quire(...words: readonly string[]): Promise<readonly [number | null, string]> {
    const child = spawn(process.execPath, [CLI, ...words], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...environment() },
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => void (said += chunk.toString()))
    }
    const [status] = (await once(child, 'close')) as [number | null]
    return [status, said]
  }

  it('fills a database on which no server has ever started', async () => {
    const [dryStatus, dry] = await quire('seed', '--dry-run')
    expect(dryStatus, dry).to.equal(0)
    const [refused, why] = await quire('apply', 'content')
    expect(refused, why).to.equal(1)
    expect(why).to.include('start the server once')
    const [status, said] = await quire('seed')
    expect(status, said).to.equal(0)
    const [again, unchanged] = await quire('seed', '--json')
    expect(again, unchanged).to.equal(0)
    const report = JSON.parse(unchanged.slice(unchanged.indexOf('{')))
    expect(report.files['place.json']).to.include({ created: 0, updated: 0, unchanged: 2 })
    const server = await startServerProcess(environment(), { cwd: folder })
    try {
      const headers = { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/json' }
      const listed: Json = await (await fetch(`${server.base}/api/places`, { headers })).json()
      expect(listed.meta.pagination.total).to.equal(2)
      const body = JSON.stringify({ data: { slug: 'lake' } })
      const taken = await fetch(`${server.base}/api/places`, { method: 'POST', headers, body })
      expect(taken.status).to.equal(400)
    } finally {
      await server.stop()
    }
  })
})
