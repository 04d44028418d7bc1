import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type FollowedLog, openFollowedLog } from './followed-log.ts'
import { until } from '../../support/until.ts'

const RATE = 500
const MAX_LAG_SECONDS = 2
const SECONDS = 8
const BATCHES_PER_SECOND = 10
const DOCUMENTS = 200
const TICK_MS = 20
const WAIT_MS = 60_000

/** A clock that stands still while this process does. */
function startTicks(): { now(): number; stop(): void } {
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, TICK_MS)
  return { now: () => ticks * TICK_MS, stop: () => clearInterval(timer) }
}

describe('the lag of afterCommit', () => {
  let log: FollowedLog

  before(async () => {
    log = await openFollowedLog('follower_lag')
  })
  after(() => log.close())

  it(`stays below ${MAX_LAG_SECONDS} s at ${RATE} commits a second`, async () => {
    const clock = startTicks()
    const written = new Map<string, number>()
    const order = new Map<string, string[]>()
    const lags: number[] = []
    await log.follow({
      mirror: ({ commit, documentId }) => {
        lags.push(clock.now() - (written.get(commit) ?? NaN))
        order.set(documentId, [...(order.get(documentId) ?? []), commit])
      },
    })
    const size = RATE / BATCHES_PER_SECOND
    const batches = SECONDS * BATCHES_PER_SECOND
    const started = performance.now()
    let behind = 0
    for (let batch = 0; batch < batches; batch += 1) {
      const numbers = Array.from({ length: size }, (_, index) => batch * size + index)
      for (const number of numbers) written.set(commitId(number), clock.now())
      await log.commit(...numbers.map((number) => ({ documents: [documentOf(number)] })))
      behind = Math.max(behind, written.size - lags.length)
      const nextMs = ((batch + 1) * 1_000) / BATCHES_PER_SECOND
      await wait(Math.max(started + nextMs - performance.now(), 0))
    }
    await until(
      () => lags.length >= written.size,
      WAIT_MS,
      () => `${lags.length} of ${written.size} commits were seen`,
    )
    clock.stop()
    expect(log.errors).to.deep.equal([])
    expect(lags.length, 'one call per commit').to.equal(written.size)
    for (const commits of order.values()) expect(commits).to.deep.equal(commits.toSorted())
    expect(behind, 'commits behind').to.be.at.most(RATE * MAX_LAG_SECONDS)
    expect(Math.max(...lags), 'milliseconds behind').to.be.at.most(MAX_LAG_SECONDS * 1_000)
  })
})

/** As `log.commit` names the first commits of a log. */
function commitId(number: number): string {
  return `commit ${String(number + 1).padStart(6, '0')}`
}

function documentOf(number: number): string {
  return `document ${number % DOCUMENTS}`
}
