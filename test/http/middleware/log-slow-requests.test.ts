import { expect } from 'chai'
import { pino } from 'pino'
import {
  type ExplainedPlan,
  logSlowRequests,
} from '../../../src/http/middleware/log-slow-requests.ts'
import type { FinishedRequest } from '../../../src/http/middleware/observe-requests.ts'
import type { ObservedCommand } from '../../../src/base/observed.ts'

const PLAN: ExplainedPlan = { indexes: ['quire_list'], scanned: 900, returned: 1 }

describe('the log of slow requests', () => {
  let lines: Record<string, unknown>[]
  let explained: ObservedCommand[]
  let ms: number

  const logger = () => {
    lines = []
    explained = []
    ms = 0
    return logSlowRequests({
      log: pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) }),
      thresholdMs: 500,
      explain: (command) => {
        explained.push(command)
        return Promise.resolve(PLAN)
      },
      now: () => new Date(ms),
    })
  }
  const command = (name: string, took: number): ObservedCommand => ({
    name,
    ms: took,
    shape: name === 'find' ? { collection: 'a', filtered: ['b'], sorted: [] } : null,
    command: {},
  })
  const request = (took: number, commands: readonly ObservedCommand[]): FinishedRequest => ({
    requestId: 'r1',
    method: 'GET',
    route: '/api/as',
    status: 200,
    ms: took,
    tally: { commands, count: commands.length, busyMs: 400 },
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  it('does not log fast requests', async () => {
    logger()(request(499, [command('find', 400)]))
    await settled()
    expect([lines, explained]).to.deep.equal([[], []])
  })

  it('logs the slowest commands and the plan of the slowest query', async () => {
    const quick = Array.from({ length: 6 }, () => command('insert', 1))
    logger()(request(600, [...quick, command('find', 300), command('update', 350)]))
    await settled()
    const { time: _time, level: _level, ...line } = lines[0] ?? {}
    expect(line).to.deep.equal({
      requestId: 'r1',
      method: 'GET',
      route: '/api/as',
      status: 200,
      ms: 600,
      database: { ms: 400, commands: 8 },
      slowest: [
        { command: 'update', ms: 350 },
        { command: 'find', ms: 300, collection: 'a', filtered: ['b'], sorted: [] },
        ...Array.from({ length: 3 }, () => ({ command: 'insert', ms: 1 })),
      ],
      plan: PLAN,
      msg: 'A request was slow',
    })
  })

  it('logs only request data if commands are not tied to requests', async () => {
    logger()({ ...request(600, []), tally: null })
    await settled()
    expect(lines[0]).to.include({ requestId: 'r1', route: '/api/as', msg: 'A request was slow' })
    expect(lines[0]).to.not.have.any.keys('database', 'slowest', 'plan')
  })

  it('logs every slow request but explains only one per ten seconds', async () => {
    const log = logger()
    for (const at of [0, 1, 9_999, 10_000, 10_001]) {
      ms = at
      log(request(600, [command('find', 300)]))
    }
    await settled()
    expect(lines).to.have.length(5)
    expect(explained).to.have.length(2)
  })

  it('explains no query if a request only wrote', async () => {
    logger()(request(600, [command('insert', 300)]))
    await settled()
    expect([lines.length, explained.length]).to.deep.equal([1, 0])
    expect(lines[0]).to.not.have.property('plan')
  })
})
