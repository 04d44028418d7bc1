import { expect } from 'chai'
import * as fc from 'fast-check'
import { readHead } from '../../../src/mongo/commits/heads.ts'
import { sequence, sequenceAll, type Step } from '../../../src/mongo/commits/sequencer.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import type { DocumentContext } from '../../../src/content/context.ts'
import { replayLog } from '../../../tools/simulate/src/models/replay-log.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import {
  carryOut,
  clearWorld,
  contextOf,
  countLog,
  DOCUMENTS,
  documentIdOf,
  openWorld,
  type Operation,
  stored,
  wholeLog,
} from './log-world.ts'

const RUNS = modelRuns('LOG_RUNS', 8, 250)

const document = fc.nat({ max: DOCUMENTS - 1 })
const tags = fc.shuffledSubarray([0, 1, 2].map((index) => documentIdOf('tag', index)))
const partner = fc.option(document.map((index) => documentIdOf('tag', index)))
const articles = fc.shuffledSubarray([0, 1, 2].map((index) => documentIdOf('article', index)))
const place = {
  document,
  locale: fc.constantFrom('en', 'fr'),
  status: fc.constantFrom('draft', 'published'),
  what: fc.constantFrom(
    'create',
    'create',
    'update',
    'update',
    'publish',
    'unpublish',
    'delete',
    'deleteAll',
  ),
} as const
const title = fc.constantFrom('a', 'b', 'c')
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('article' as const),
      ...place,
      data: fc.record({ title, rank: fc.nat({ max: 3 }), tags, partner }, { requiredKeys: [] }),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('tag' as const),
      ...place,
      data: fc.record({ name: title, articles }, { requiredKeys: [] }),
    }),
    weight: 1,
  },
)

/** A step of a process: a write, or numbering that stops at some stage (`null`: completes). */
type Turn =
  | { readonly kind: 'write'; readonly process: 0 | 1; readonly operation: Operation }
  | { readonly kind: 'sequence'; readonly process: 0 | 1; readonly stopAt: Step | null }

const process = fc.constantFrom<0 | 1>(0, 1)
const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    arbitrary: fc.record({ kind: fc.constant('write' as const), process, operation }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('sequence' as const),
      process,
      stopAt: fc.constantFrom<Step | null>(null, null, 'read', 'listed', 'assigned', 'numbered'),
    }),
    weight: 2,
  },
)

describe('the commit log with random writes of two processes', () => {
  let test: TestDatabase
  let databases: readonly [Database, Database]
  let contexts: readonly [DocumentContext, DocumentContext]

  before(async () => {
    test = await openTestDatabase('log_model')
    const { uri, name } = test
    databases = [test.database, await openDatabase({ uri, name, queryTimeoutMs: 10_000 })]
    contexts = [contextOf(databases[0]), contextOf(databases[1])]
    await openWorld(test.database)
  })
  after(async () => {
    await databases[1].close()
    await test.drop()
  })

  /** Pauses at a stage until the test resumes it. A late resume must do no harm. */
  const stopped: (() => void)[] = []
  const underWay: Promise<unknown>[] = []

  async function take(one: Turn): Promise<void> {
    const database = databases[one.process]
    if (one.kind === 'write') {
      await carryOut(contexts[one.process], one.operation)
      return
    }
    await new Promise<void>((resolve, reject) => {
      const pause = (step: Step): Promise<void> => {
        if (step !== one.stopAt) return Promise.resolve()
        resolve()
        return new Promise((goOn) => stopped.push(goOn))
      }
      underWay.push(sequence(database, { pause }).then(() => resolve(), reject))
    })
  }

  it('is complete and gapless after interrupted numbering', async function () {
    this.timeout(RUNS * 10_000)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(turn, turn), { minLength: 3, maxLength: 12 }),
        fc.boolean(),
        async (pairs, isResumedBefore) => {
          await clearWorld(test.database)
          let seen = 0
          for (const pair of pairs) {
            await Promise.all(pair.map(take))
            const length = await countLog(test.database)
            expect(length, 'what counted once counts ever after').to.be.at.least(seen)
            seen = length
          }
          const resume = (): void => {
            for (const goOn of stopped.splice(0)) goOn()
          }
          if (isResumedBefore) resume()
          await sequenceAll(test.database)
          resume()
          await Promise.all(underWay.splice(0))
          const head = await sequenceAll(test.database)
          const log = await wholeLog(test.database)
          expect(log.map(({ seq }) => seq)).to.deep.equal(log.map((_, index) => index + 1))
          expect(log.length).to.equal(head.seq)
          expect(new Set(log.map(({ _id }) => _id)).size, 'each once').to.equal(log.length)
          expect(replayLog(log)).to.deep.equal(await stored(test.database))
          for (const { type, seq } of (await readHead(test.database)).types) {
            const last = log.findLast(({ items }) => items.some((item) => item.type === type))
            expect(last?.seq, type).to.equal(seq)
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    )
  })
})
