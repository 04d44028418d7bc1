import { expect } from 'chai'
import type { AbstractCursor, Document } from 'mongodb'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { visitAggregated, visitFound } from '../../../src/mongo/read/visit-rows.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'

/** Longer than one time slice of the event loop. */
const LONG_MS = 15

const FIND = { filter: { status: 'published' }, projection: { _id: 0 }, skip: 5, limit: 3 }

/** The source of rows: the first reply, or a cursor that reads batches. */
const WAYS: Readonly<Record<string, typeof databaseOf>> = {
  'the first reply': databaseOf,
  'a cursor': (batches, wait) => ({ ...databaseOf(batches, wait), readAtOnce: noReply }),
}

describe('visitFound', () => {
  for (const [which, open] of Object.entries(WAYS)) {
    describe(`with rows from ${which}`, () => {
      it('does not yield for rows that arrived late', async () => {
        const turns = countTurns()
        const seen: number[] = []
        await visit(open([[1, 2], [3]], spend), (bytes) => seen.push(...bytes))
        expect(seen).to.deep.equal([1, 2, 3])
        expect(turns.count()).to.equal(0)
        turns.stop()
      })

      it('yields to the event loop during long work', async () => {
        const turns = countTurns()
        await visit(
          open([[1, 2, 3]], () => undefined),
          spend,
        )
        expect(turns.count()).to.be.at.least(1)
        turns.stop()
      })
    })
  }

  it('opens a cursor with the options of the first read', async () => {
    const asked: Document[] = []
    const database = {
      queryTimeoutMs: 1_000,
      readAtOnce: (command: Document) => {
        asked.push(command)
        return Promise.resolve(null)
      },
      collection: (find: string) => ({
        find: (filter: Document, { raw, ...options }: Document) => {
          expect(raw).to.equal(true)
          asked.push({ find, filter, ...options })
          return cursorOf([], () => undefined)
        },
      }),
    }
    await visit(database as unknown as Partial<Database>, () => undefined)
    expect(asked).to.have.length(2)
    expect(asked[0]).to.deep.equal(asked[1])
    expect(asked[0]).to.deep.include({ find: 'posts', ...FIND, maxTimeMS: 1_000, batchSize: 4 })
  })
})

describe('visitAggregated', () => {
  it('limits each attempt to the remaining time', async () => {
    const bounds: unknown[] = []
    let left = 2_000
    const database = {
      get queryTimeoutMs() {
        return left
      },
      readAtOnce: ({ maxTimeMS }: Document) => {
        bounds.push(maxTimeMS)
        left -= 1_900
        return Promise.resolve(null)
      },
      collection: () => ({
        aggregate: (_pipeline: unknown, { maxTimeMS }: Document) => {
          bounds.push(maxTimeMS)
          return cursorOf([], () => undefined)
        },
      }),
    } as unknown as Database
    const plan = { collectionName: 'posts' } as ContentTypePlan
    await visitAggregated(database, plan, [], {}, () => undefined)
    expect(bounds).to.deep.equal([2_000, 100])
  })
})

function visit(database: Partial<Database>, each: (bytes: Uint8Array) => void): Promise<void> {
  const plan = { collectionName: 'posts' } as ContentTypePlan
  return visitFound(database as Database, plan, FIND, each)
}

const noReply: Database['readAtOnce'] = () => Promise.resolve(null)

/** A database whose rows are available after `wait`. */
function databaseOf(
  batches: readonly (readonly number[])[],
  wait: () => void,
): Partial<Database> & Pick<Database, 'readAtOnce'> {
  const cursor = cursorOf(batches, wait)
  return {
    queryTimeoutMs: 1_000,
    collection: (() => ({ find: () => cursor })) as unknown as Database['collection'],
    readAtOnce: () => {
      wait()
      return Promise.resolve(batches.flat().map((byte) => Uint8Array.of(byte)))
    },
  }
}

function spend(): void {
  const endsAt = performance.now() + LONG_MS
  while (performance.now() < endsAt);
}

/** A cursor whose batches are available after `wait`. */
function cursorOf(batches: readonly (readonly number[])[], wait: () => void): AbstractCursor {
  const left = [...batches]
  const cursor = {
    hasNext: () => {
      wait()
      return Promise.resolve(left.length > 0)
    },
    readBufferedDocuments: () => (left.shift() ?? []).map((byte) => Uint8Array.of(byte)),
    close: () => Promise.resolve(),
  }
  return cursor as unknown as AbstractCursor
}

/** Counts rounds of the event loop from now on. */
function countTurns() {
  let count = 0
  let next = setImmediate(again)
  function again(): void {
    count += 1
    next = setImmediate(again)
  }
  return { count: () => count, stop: () => clearImmediate(next) }
}
