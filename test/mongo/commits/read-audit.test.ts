import { expect } from 'chai'
import { ensureHead, moveHead, readHead } from '../../../src/mongo/commits/heads.ts'
import { findAudit } from '../../../src/mongo/commits/read-audit.ts'
import type { NumberedCommit } from '../../../src/mongo/commits/read-commits.ts'
import { COMMITS } from '../../../src/mongo/connection/commit-record.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import { openWorld } from './log-world.ts'

/** The number of commits that one page scans. */
const WINDOW = 20_000

describe('pages of the audit', () => {
  let test: TestDatabase

  before(async () => {
    test = await openTestDatabase('read_audit')
    await openWorld(test.database)
    await ensureHead(test.database)
  })
  beforeEach(() => test.database.collection(COMMITS).deleteMany({}))
  after(() => test.drop())

  /** Creates a log up to `seq` with only the given commits left. */
  async function keep(seq: number, kept: readonly number[]): Promise<void> {
    await moveHead(test.database, await readHead(test.database), { seq })
    const at = new Date('2026-01-31T12:00:00Z')
    const rows = kept.map((each) => ({
      _id: String(each).padStart(24, '0'),
      seq: each,
      at,
      by: { kind: each % 2 === 0 ? 'root' : 'system', id: null, name: null },
      requestId: null,
      items: [],
    }))
    await test.database
      .collection<NumberedCommit & { readonly _id: string }>(COMMITS)
      .insertMany(rows)
  }

  /** Returns the numbers of each page, newest first. */
  async function pages(selection: Parameters<typeof findAudit>[1]): Promise<number[][]> {
    const found: number[][] = []
    let before: number | null = null
    do {
      const page: Awaited<ReturnType<typeof findAudit>> = await findAudit(
        test.database,
        selection,
        { before, limit: 2 },
      )
      found.push(page.commits.map(({ seq }) => seq))
      before = page.next
    } while (before !== null)
    return found
  }

  it('skip deleted commits and end with the last kept one', async () => {
    const seq = 10 * WINDOW
    await keep(seq, [3, 4, 7 * WINDOW, seq - 1, seq])
    expect(await pages({})).to.deep.equal([[seq, seq - 1], [7 * WINDOW], [4, 3]])
  })

  it('scan a bounded number of commits each, even for rare matches', async () => {
    const seq = 3 * WINDOW
    await keep(seq, [2, 5, WINDOW + 5, 2 * WINDOW + 5, seq - 1])
    expect(await pages({ byKind: 'root' })).to.deep.equal([[], [], [2]])
  })
})
