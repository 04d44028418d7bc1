import { expect } from 'chai'
import { ConfigError } from '../../../src/base/errors.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { assertAlone } from '../../../src/mongo/system/assert-alone.ts'
import { testUri } from '../../support/test-database.ts'

const MAX_WAIT_MS = 20_000

describe('assertAlone', () => {
  const opened: Database[] = []
  const name = `quire_test_alone_${Date.now().toString(36)}`

  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close()
  })

  async function open(release: string): Promise<Database> {
    const database = await openDatabase({
      uri: await testUri(),
      name,
      queryTimeoutMs: 20_000,
      processes: { beatMs: 50, lostMs: 500 },
    })
    opened.push(database)
    await database.announce(release)
    return database
  }

  it('accepts processes of the same release', async () => {
    await open('one')
    await assertAlone(await open('one'), 'one', { maxWaitMs: 0 })
  })

  it('names the processes of other releases', async () => {
    await open('one')
    const failed: unknown = await assertAlone(await open('two'), 'two', { maxWaitMs: 0 }).catch(
      (error: unknown) => error,
    )
    expect(failed).to.be.instanceOf(ConfigError)
    expect(String(failed)).to.include(`process ${process.pid}`)
  })

  it('goes on when they have stopped', async () => {
    const old = await open('one')
    const alone = assertAlone(await open('two'), 'two', { maxWaitMs: MAX_WAIT_MS })
    await old.close()
    await alone
  })

  it('goes on when killed processes are recognized', async () => {
    const database = await open('two')
    const rows = database.collection<{ readonly _id: string }>('quire_processes')
    await rows.insertOne({ _id: 'killed', host: 'h', pid: 1, beat: 1, sessions: [] } as never)
    await assertAlone(database, 'two', { maxWaitMs: MAX_WAIT_MS })
    expect(await rows.findOne({ _id: 'killed' })).to.equal(null)
    await database.command({ dropDatabase: 1 })
  })
})
