import { expect } from 'chai'
import {
  type CommandMonitor,
  createCommandMonitor,
} from '../../../src/mongo/connection/command-monitor.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { READ_PREFERENCES } from '../../../src/mongo/connection/read-preference.ts'
import { openTestDatabase } from '../../support/test-database.ts'

/** The driver sends no read preference for the primary, except with a direct connection, where it allows any member. */
const PRIMARY = 'the primary'

/** Collects commands from the wire and the read preference of each. */
function preferencesOf(
  monitor: CommandMonitor,
): { readonly name: string; readonly said: unknown }[] {
  const seen: { readonly name: string; readonly said: unknown }[] = []
  monitor.onCommand(({ name, command }) => {
    if (command[name] === 'quire_processes') return // after the inspected part
    const said = command['$readPreference']
    const isPrimary = said === undefined || JSON.stringify(said) === '{"mode":"primaryPreferred"}'
    seen.push({ name, said: isPrimary ? PRIMARY : said })
  })
  return seen
}

describe('read preferences', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  const opened: Database[] = []

  before(async () => {
    test = await openTestDatabase('read_preference')
    await test.database.collection('rows').insertOne({ name: 'one' })
  })
  after(async () => {
    for (const database of opened) await database.close()
    await test.drop()
  })

  const open = async (suffix = '') => {
    const monitor = createCommandMonitor('totals')
    const { name } = test
    const uri =
      suffix === '' ? test.uri : `${test.uri}${test.uri.includes('?') ? '&' : '?'}${suffix}`
    // A replica set of one has no secondary, but it answers over a direct connection.
    const hosts: unknown = (await test.database.hello())['hosts']
    const isOne = !Array.isArray(hosts) || hosts.length < 2
    const client = isOne ? { directConnection: true } : {}
    const database = await openDatabase({ uri, name, queryTimeoutMs: 10_000, monitor, client })
    opened.push(database)
    return { database, seen: preferencesOf(monitor) }
  }
  const findIn = (database: Database) => database.collection('rows').find({}).toArray()

  for (const mode of READ_PREFERENCES.filter((name) => name !== 'primary')) {
    it(`reads with ${mode} only on request`, async () => {
      const { database, seen } = await open()
      expect(await findIn(database.reading(mode))).to.have.lengthOf(1)
      await database.reading(mode).collection('rows').countDocuments({})
      await findIn(database)
      await findIn(database.reading('primary'))
      await findIn(database.reading(null))
      const asked = { mode, maxStalenessSeconds: 90 }
      expect(seen).to.deep.equal([
        { name: 'find', said: asked },
        { name: 'aggregate', said: asked },
        ...Array.from({ length: 3 }, () => ({ name: 'find', said: PRIMARY })),
      ])
    })
  }

  it('uses the preference of the connection string by default', async () => {
    const { database, seen } = await open(
      'readPreference=secondaryPreferred&maxStalenessSeconds=120',
    )
    await findIn(database.reading(null))
    await findIn(database.reading('nearest'))
    await findIn(database.reading('primary'))
    expect(seen.map(({ said }) => said)).to.deep.equal([
      { mode: 'secondaryPreferred', maxStalenessSeconds: 120 },
      { mode: 'nearest', maxStalenessSeconds: 90 },
      PRIMARY,
    ])
  })

  it('keeps the tag sets of the connection string for all preferences', async () => {
    const { database, seen } = await open(
      'readPreference=nearest&readPreferenceTags=region:eu&readPreferenceTags=',
    )
    await findIn(database.reading('secondaryPreferred'))
    await findIn(database.reading('primary'))
    const tags = [{ region: 'eu' }, {}]
    expect(seen.map(({ said }) => said)).to.deep.equal([
      { mode: 'secondaryPreferred', tags, maxStalenessSeconds: 90 },
      PRIMARY,
    ])
  })

  it('uses the primary in transactions regardless of the connection string', async () => {
    const { database, seen } = await open('readPreference=secondaryPreferred')
    await database.transact(() => Promise.resolve()) // the first one creates shared collections
    seen.length = 0
    const rows = database.collection('rows')
    const found = await database.transact(async (session) => {
      await rows.insertOne({ name: 'two' }, { session })
      return rows.find({ name: 'two' }, { session }).toArray()
    })
    expect(found).to.have.lengthOf(1)
    await findIn(database)
    expect(seen).to.deep.equal([
      { name: 'insert', said: PRIMARY },
      { name: 'find', said: PRIMARY },
      { name: 'commitTransaction', said: PRIMARY },
      { name: 'find', said: PRIMARY },
    ])
  })
})
