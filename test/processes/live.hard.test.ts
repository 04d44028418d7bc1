import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { type EventStream, openEventStream } from '../support/event-stream.ts'
import { declare } from '../support/server.ts'
import { until } from '../support/until.ts'
import { ask, type Processes, startProcesses } from './processes.ts'

const STREAMS = 2_000
const MAX_MIB = 60
const MAX_MS = 500
const WRITES = 100

describe('thousands of live streams', () => {
  let processes: Processes
  const opened: EventStream[] = []

  before(async () => {
    processes = await startProcesses(
      'live',
      { note: declare('note', { title: { type: 'text' } }) },
      {
        RATE_LIMIT: 'off',
        MAX_IN_FLIGHT: '1000',
        MAX_LIVE_PER_ADDRESS: String(STREAMS),
        METRICS_TOKEN: 'of-the-test',
      },
    )
    const permissions = ['api::note.note.find', 'api::note.note.sync']
    const { status } = await ask(server(0), 'PUT', '/admin/roles/public', {
      body: { permissions },
    })
    expect(status).to.equal(200)
    await delay(1_100) // cached roles may be a second old
  })
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close()
  })
  after(() => processes.close())

  const server = (index: number) => {
    const found = processes.servers[index]
    if (found === undefined) throw new Error(`there is no process ${index}`)
    return found
  }
  const portOf = (index: number): number => Number(new URL(server(index).base).port)
  const create = async (index: number, title: string): Promise<string> => {
    const { status, body } = await ask(server(index), 'POST', '/api/notes', {
      body: { data: { title } },
    })
    expect(status).to.equal(201)
    return body.data.documentId
  }
  const residentMib = (): number => {
    const status = readFileSync(`/proc/${server(1).pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
  }

  it(`takes at most ${MAX_MIB} MiB for ${STREAMS} streams, and notifies all of them`, async function () {
    if (process.platform !== 'linux') return this.skip()
    for (let each = 0; each < 500; each += 1) await ask(server(1), 'GET', '/api/notes') // warm up
    const before = residentMib()
    for (let each = 0; each < STREAMS; each += 100) {
      const some = await Promise.all(
        Array.from({ length: 100 }, () => openEventStream(portOf(1), '/api/_live?types=note')),
      )
      opened.push(...some)
    }
    expect(opened.filter(({ status }) => status !== 200)).to.have.lengthOf(0)
    await until(() => Promise.resolve(opened.every((one) => one.lastId() !== '')), 30_000)
    const waiting = residentMib() - before
    const documentId = await create(0, 'one')
    await until(() => Promise.resolve(opened.every(({ events }) => events.length > 0)), 30_000)
    const told = residentMib() - before
    for (const { events } of opened) expect(events[0]?.data.documentId).to.equal(documentId)
    expect(Math.max(waiting, told), 'MiB more').to.be.at.most(MAX_MIB)
  })

  it(`reports 95 % of ${WRITES} commits in another process within ${MAX_MS} ms`, async () => {
    const stream = await openEventStream(portOf(2), '/api/_live?types=note')
    opened.push(stream)
    await until(() => Promise.resolve(stream.lastId() !== ''), 10_000)
    const took: number[] = []
    for (let each = 0; each < WRITES; each += 1) {
      const seen = stream.events.length
      await create(0, `note ${each}`)
      const acknowledged = performance.now()
      while (stream.events.length === seen) await delay(1)
      took.push(performance.now() - acknowledged)
      await delay(each * 3) // at any phase of the polling
    }
    took.sort((one, other) => one - other)
    const percentile = (share: number): number => took[Math.ceil(WRITES * share) - 1] ?? Infinity
    expect(percentile(0.95), `of ${took.map(Math.round).join(' ')}`).to.be.at.most(MAX_MS)
  })

  it('disconnects a client that does not read, and sends the missed changes after it reconnects', async () => {
    const slow = await openEventStream(portOf(1), '/api/_live?types=note')
    const quick = await openEventStream(portOf(1), '/api/_live?types=note')
    opened.push(slow, quick)
    await until(() => Promise.resolve(slow.lastId() !== '' && quick.lastId() !== ''), 10_000)
    slow.pause()
    const lines = (from: number): string =>
      Array.from({ length: 1_000 }, (_, index) =>
        JSON.stringify({
          op: 'upsert',
          type: 'note',
          documentId: String(from + index).padStart(24, 'a'),
          data: { title: `bulk ${from + index}` },
        }),
      ).join('\n')
    const gauge = async (): Promise<number> => {
      const response = await fetch(`${server(1).base}/metrics`, {
        headers: { authorization: 'Bearer of-the-test' },
      })
      return Number(/^quire_live_streams (\d+)/m.exec(await response.text())?.[1])
    }
    let written = 0
    for (; written < 100_000 && (await gauge()) > 1; written += 1_000) {
      const response = await fetch(`${server(0).base}/api/_bulk`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer a-root-token-for-tests-of-whole-processes',
          'content-type': 'application/x-ndjson',
        },
        body: lines(written),
      })
      const answered = (await response.text()).trimEnd().split('\n')
      expect(answered.filter((line) => !line.includes('"documentId"')).slice(0, 1)).to.deep.equal(
        [],
      )
    }
    await until(async () => (await gauge()) === 1, 60_000) // the time limit to read is over
    await until(() => Promise.resolve(quick.events.length === written), 60_000)
    slow.resume()
    await until(() => Promise.resolve(slow.isEnded()), 10_000)
    expect(slow.events.length).to.be.below(written)
    const again = await openEventStream(portOf(3), '/api/_live?types=note', {
      'last-event-id': slow.lastId(),
    })
    opened.push(again)
    await until(() => Promise.resolve(again.lastId() === quick.lastId()), 60_000)
    const known = new Set([...slow.events, ...again.events].map(({ data }) => data.documentId))
    expect(known).to.deep.equal(new Set(quick.events.map(({ data }) => data.documentId)))
  })
})
