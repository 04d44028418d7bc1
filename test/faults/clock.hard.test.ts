import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { MIXED_TYPES } from '../../tools/bench/src/mixed-load/content-types.ts'
import { findLosses } from '../../tools/bench/src/mixed-load/find-losses.ts'
import { type MixedLoad, startMixedLoad } from '../../tools/bench/src/mixed-load/mixed-load.ts'
import { ROOT_TOKEN, type ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { openWorld, type World } from './world.ts'

const HOUR_MS = 3_600_000
const SOON_MS = 60_000
const CLOCK = new URL('shifted-clock.js', import.meta.url).href

const FIND_NOTES = 'api::note.note.find'

describe('a server with a jumping clock', () => {
  let world: World
  let server: ServerProcess
  let load: MixedLoad

  before(async () => {
    // Without a given database the server runs its own, and that clock jumps as well.
    const uri = process.env['MONGODB_URI']
    world = await openWorld('clock', { types: MIXED_TYPES, uri: uri ?? null })
    const env = { SHIFTED_CLOCK: path.join(world.folder, 'clock'), RATE_LIMIT: 'on' }
    server = await world.start(env, { nodeOptions: ['--import', CLOCK] })
    const bases = [server.base]
    load = await startMixedLoad({ bases, token: ROOT_TOKEN, writers: 4, readers: 2, pauseMs: 20 })
  })

  after(() => world.remove())

  async function send(
    method: string,
    target: string,
    body?: object,
    headers: Readonly<Record<string, string>> = { authorization: `Bearer ${ROOT_TOKEN}` },
  ): Promise<{ readonly status: number; readonly body: ReturnType<JSON['parse']> }> {
    const response = await fetch(server.base + target, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }

  /** The clock of the server, read from a new row. */
  async function serverTime(): Promise<number> {
    const { status, body } = await send('POST', '/api/folders', { data: { name: 'now' } })
    expect(status).to.equal(201)
    return Date.parse(body.data.createdAt)
  }

  async function jumpTo(shiftMs: number): Promise<void> {
    writeFileSync(path.join(world.folder, 'clock'), String(shiftMs))
    server.signal('SIGUSR2')
    const isThere = async (): Promise<boolean> =>
      Math.abs((await serverTime()) - Date.now() - shiftMs) < HOUR_MS / 2
    await until(isThere, SOON_MS)
  }

  const asAnybody = async (): Promise<number> =>
    (await send('GET', '/api/notes', undefined, {})).status
  const permit = async (...permissions: readonly string[]): Promise<void> => {
    expect((await send('PUT', '/admin/roles/public', { permissions })).status).to.equal(200)
  }

  const jumps = [
    ['an hour forward', HOUR_MS],
    ['back again', 0],
    ['an hour back', -HOUR_MS],
    ['two hours forward', HOUR_MS],
    ['two hours back', -HOUR_MS],
    ['to the right time', 0],
  ] as const
  for (const [label, shiftMs] of jumps) {
    it(`keeps working when its clock jumps ${label}`, async () => {
      const key = {
        authorization: `Bearer ${ROOT_TOKEN}`,
        'idempotency-key': label.replaceAll(' ', '-'),
      }
      const payload = { data: { name: `made once, ${label}` } }
      const made = await send('POST', '/api/folders', payload, key)
      await jumpTo(shiftMs)
      const { acknowledged, requests } = load
      await until(() => load.acknowledged > acknowledged + 30, SOON_MS)
      await until(() => load.requests > requests + 60, SOON_MS)
      await permit(FIND_NOTES)
      await until(async () => (await asAnybody()) === 200, SOON_MS)
      await permit()
      await until(async () => (await asAnybody()) === 403, SOON_MS)
      const again = await send('POST', '/api/folders', payload, key)
      expect([again.status, again.body.data.documentId]).to.deep.equal([
        201,
        made.body.data.documentId,
      ])
      expect((await send('GET', '/_ready')).status).to.equal(204)
      expect(load.wrong).to.deep.equal([])
      expect(server.complaints).to.deep.equal([])
    })
  }

  it('expires a token according to its clock', async () => {
    const wanted = { name: 'a day', type: 'read-only', lifespanDays: 1 }
    const { body } = await send('POST', '/admin/api-tokens', wanted)
    const headers = { authorization: `Bearer ${body.data.accessKey}` }
    const asToken = async (): Promise<number> =>
      (await send('GET', '/api/notes', undefined, headers)).status
    expect(await asToken()).to.equal(200)
    await jumpTo(25 * HOUR_MS)
    await until(async () => (await asToken()) === 401, SOON_MS)
    await jumpTo(0)
    await until(async () => (await asToken()) === 200, SOON_MS)
  })

  it('has lost no write, and repeated no id', async () => {
    const report = await load.stop()
    expect(report.wrong).to.deep.equal([])
    expect(await findLosses(server.base, ROOT_TOKEN, report)).to.deep.equal([])
    const { body } = await send('GET', '/api/folders?pagination[pageSize]=100&fields=name')
    const ids = body.data.map(({ id }: { readonly id: number }) => id)
    expect(new Set(ids).size).to.equal(ids.length)
    expect(await server.stop()).to.equal(0)
  })
})
