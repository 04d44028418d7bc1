import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import type { EntryChange } from '../../../src/changes/live/entry-changes.ts'
import { openPresenceStreams } from '../../../src/http/sync/presence-streams.ts'
import { prepareEvents } from '../../../src/http/sync/response-sink.ts'
import type { RequestState } from '../../../src/http/router/state.ts'
import { openPresence } from '../../../src/people/administrators/presence.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'

/** More than the buffers of both sockets. */
const UNREAD = `: ${'x'.repeat(16_380)}\n\n`.repeat(1_024)
const ENTRY = { uid: 'api::article.article', documentId: 'a'.repeat(24), locale: 'en' }

describe('presence streams', () => {
  let test: TestDatabase
  before(async () => {
    test = await openTestDatabase('presence_streams')
  })
  after(() => test.drop())

  it('hold one change of each kind for a client that does not read', async () => {
    const listeners = new Set<(change: EntryChange) => void>()
    const report = (change: EntryChange): void => {
      for (const listener of listeners) listener(change)
    }
    const streams = openPresenceStreams({
      presence: await openPresence(test.database, () => new Date()),
      changes: {
        watch: (_entry, listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
    })
    let checks = 0
    const unread: (() => number)[] = []
    const app = new Koa<RequestState>({})
    app.use(async (ctx) => {
      prepareEvents(ctx)
      await streams.open(ctx, { id: 'ada', name: 'Ada' }, ENTRY, {
        authorize: () => {
          checks += 1
          return Promise.resolve({ show: (present) => present, showsComments: () => true })
        },
        isOutdated: () => Promise.resolve(false),
      })
      ctx.res.write(UNREAD)
      unread.push(() => ctx.res.writableLength)
    })
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const stream = await openEventStream((server.address() as AddressInfo).port, '/')
    stream.pause()
    await until(() => Promise.resolve(unread.length === 1 && checks === 1), 10_000)
    report({ kind: 'entry', revision: 'first' })
    const before = unread[0]?.() ?? 0
    expect(before).to.be.above(1 << 20)
    for (let turn = 0; turn < 10_000; turn += 1) {
      report({ kind: 'entry', revision: `r${turn}` })
      report({ kind: 'discussion', revision: null })
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect([unread[0]?.(), checks]).to.deep.equal([before, 1])
    stream.resume()
    await until(() => Promise.resolve(stream.events.length >= 3), 20_000)
    expect(stream.events.slice(1).map(({ event, data }) => [event, data])).to.deep.equal([
      ['change', { kind: 'entry', revision: 'r9999' }],
      ['change', { kind: 'discussion', revision: null, requestId: null }],
    ])
    expect(checks).to.be.within(2, 5) // heartbeats check as well
    stream.close()
    await until(() => Promise.resolve(listeners.size === 0), 10_000)
    await streams.close()
    server.closeAllConnections()
    server.close()
  })
})
