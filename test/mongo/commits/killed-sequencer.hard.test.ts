import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openCommitLog } from '../../../src/mongo/commits/commit-log.ts'
import { examineLog } from '../../../src/mongo/commits/log-health.ts'
import type { Step } from '../../../src/mongo/commits/sequencer.ts'
import { noteItems } from '../../../src/mongo/connection/commit-record.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'
import { clearWorld, openWorld, wholeLog } from './log-world.ts'

const CHILD = fileURLToPath(new URL('sequencer-child.js', import.meta.url))
const COMMITS_EACH = 20
const ROUNDS = Number(process.env['LOG_KILLS'] ?? 3)
/** A second for detection, and reserve for a loaded machine. */
const WITHIN_MS = 5_000

describe('a process killed while it numbers commits', function () {
  this.timeout(300_000)
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('killed_sequencer')
    await openWorld(test.database)
  })
  afterEach(() => clearWorld(test.database))
  after(() => test.drop())

  async function write(from: number): Promise<void> {
    for (let each = from; each < from + COMMITS_EACH; each += 1) {
      await test.database.transact((session) => {
        const documentId = `d${each}`
        const item = { type: 'api::a.a', documentId, locale: '', op: 'put' } as const
        noteItems(session, [{ ...item, status: 'published', revision: 'r' }])
        return Promise.resolve()
      })
    }
  }

  async function kill(step: Step): Promise<void> {
    const child = spawn(process.execPath, [CHILD, test.uri, test.name, step], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
    expect(signal, step).to.equal('SIGKILL')
  }

  for (const step of ['read', 'listed', 'assigned', 'numbered'] as const) {
    it(`is replaced by another one that continues after ${step}`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = round * 2 * COMMITS_EACH
        await write(before)
        await kill(step)
        await write(before + COMMITS_EACH)
        const log = await openCommitLog({
          database: test.database,
          retentionDays: 90,
          historyDays: 365,
          onBackgroundError: (error) => expect.fail(String(error)),
        })
        const total = before + 2 * COMMITS_EACH
        await until(() => log.head().seq === total, WITHIN_MS)
        await log.close()
        const ids = (await wholeLog(test.database)).flatMap(({ items }) =>
          items.map(({ documentId }) => documentId),
        )
        expect(ids).to.deep.equal(Array.from({ length: total }, (_, index) => `d${index}`))
        const { pending, strays } = await examineLog(test.database, new Date())
        expect([pending, strays]).to.deep.equal([0, 0])
      }
    })
  }
})
