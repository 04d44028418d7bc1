import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { MIXED_TYPES } from '../../src/mixed-load/content-types.ts'
import { findLosses } from '../../src/mixed-load/find-losses.ts'
import { LoadClient } from '../../src/mixed-load/load-client.ts'
import { type LoadReport, type MixedLoad, startMixedLoad } from '../../src/mixed-load/mixed-load.ts'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../../../../test/support/server-process.ts'
import { until } from '../../../../test/support/until.ts'

const REQUESTS = 600

describe('the mixed load', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'quire-mixed-'))
  const types = writeContentTypes(MIXED_TYPES)
  let server: ServerProcess
  let load: MixedLoad
  let report: LoadReport

  before(async () => {
    const uri = process.env['MONGODB_URI']
    server = await startServerProcess({
      ...(uri === undefined ? { QUIRE_DATABASE: 'embedded' } : { MONGODB_URI: uri }),
      MONGODB_DATABASE: `quire_test_mixed_${randomBytes(4).toString('hex')}`,
      QUIRE_DATA_DIR: directory,
      CONTENT_TYPES_DIR: types,
      LOG_LEVEL: 'info',
    })
    const bases = [server.base]
    load = await startMixedLoad({ bases, token: ROOT_TOKEN, writers: 4, readers: 2, uploaders: 1 })
    await until(() => load.requests > REQUESTS, 60_000)
    report = await load.stop()
  })

  after(async () => {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
    rmSync(types, { recursive: true, force: true })
  })

  const change = async (target: string, method: string, data: object): Promise<void> => {
    const response = await fetch(server.base + target, {
      method,
      headers: { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ data }),
    })
    expect(response.status, await response.text()).to.be.below(300)
  }

  it('reports no faults of a correct server', async () => {
    expect(report.wrong).to.deep.equal([])
    const answered = [...report.statuses.keys()]
    expect(answered).to.include.members(['GET 200', 'POST 201', 'PUT 200', 'POST 200'])
    expect(load.acknowledged).to.be.above(REQUESTS / 10)
    expect(await findLosses(server.base, ROOT_TOKEN, report)).to.deep.equal([])
  })

  it('reports a lost write, a lost update, a duplicate member and an unknown file', async () => {
    const { notes, counters, members, groups, files } = report.ledger
    const note = first(notes, ({ versions }) => !versions.get('published:en').has(null))
    const member = first(members)
    const counter = first(counters)
    const file = first(files)
    const group = first(groups)
    await change(`/api/notes/${note.documentId}`, 'PUT', { title: 'from nowhere' })
    await change(`/api/counters/${counter.documentId}`, 'PUT', { count: -1 })
    const had = member.isMember.get(group) === 'yes' ? 'disconnect' : 'connect'
    await change(`/api/groups/${group}`, 'PUT', { members: { [had]: [member.documentId] } })
    await change('/api/notes', 'POST', { key: 'never asked for' })
    await fetch(`${server.base}/api/upload/files/${file.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ROOT_TOKEN}` },
    })
    const losses = (await findLosses(server.base, ROOT_TOKEN, report).catch(String)).toString()
    expect(losses).to.include(`${note.key}, published:en: a mix of two revisions`)
    expect(losses).to.include(`counter ${counter.documentId}: -1`)
    expect(losses).to.include(`member ${member.key} in ${group}`)
    expect(losses).to.include('never asked for is there as draft:en')
    expect(losses).to.include(`file ${file.id} has no record`)
  })
})

function first<T>(list: readonly T[], holds: (one: T) => boolean = () => true): T {
  const found = list.find(holds)
  if (found === undefined) throw new Error('the load made none')
  return found
}

describe('LoadClient', () => {
  const answers: Readonly<Record<string, readonly [number, object, string]>> = {
    '/500': [500, {}, 'GET /500: 500 {"data":null}'],
    '/403': [403, {}, 'GET /403: 403 {"data":null}'],
    '/503': [503, { 'retry-after': '1' }, 'GET /503: a 503 without the envelope'],
    '/504': [504, {}, 'GET /504: a 504 without the envelope'],
  }

  it('reports forbidden responses and missing ones', async () => {
    const server = createServer((request, response) => {
      const [status, headers] = answers[request.url ?? ''] ?? [0, {}]
      if (status === 0) return
      response.writeHead(status, { ...headers }).end('{"data":null}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const bases = [`http://127.0.0.1:${port}`]
    const client = new LoadClient({ bases, token: 'x', timeoutMs: 300, pauseMs: 0 })
    for (const target of [...Object.keys(answers), '/never']) {
      await client.ask('GET', target, { expected: [200] })
    }
    server.closeAllConnections()
    server.close()
    expect(client.wrong.slice(0, -1)).to.deep.equal(
      Object.values(answers).map(([, , complaint]) => complaint),
    )
    expect(client.wrong.at(-1)).to.include('hangs: no answer within 300 ms')
    expect(Object.fromEntries(client.statuses)).to.include({ 'GET 500': 1, 'GET broken': 1 })
  })
})
