import { expect } from 'chai'
import {
  type CommandMonitor,
  createCommandMonitor,
} from '../../../src/mongo/connection/command-monitor.ts'
import type { CommandTally, MonitorMode, ObservedCommand } from '../../../src/base/observed.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { explainCommand } from '../../../src/mongo/observe/explain-command.ts'
import { openTestDatabase } from '../../support/test-database.ts'

const noLabel = (): string => 'a test'

function tallied<T>(
  monitor: CommandMonitor,
  work: (tally: CommandTally) => Promise<T>,
): Promise<T> {
  return monitor.tally((tally) => {
    if (tally === null) throw new Error('nothing is counted')
    return work(tally)
  }, noLabel)
}

describe('the command monitor', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  const opened: Database[] = []

  before(async () => {
    test = await openTestDatabase('monitor')
    const rows = Array.from({ length: 3_000 }, (_, index) => ({ rank: index, name: `n${index}` }))
    await test.database.collection('rows').insertMany(rows)
    await test.database.collection('rows').createIndex({ rank: 1 }, { name: 'by_rank' })
  })
  after(async () => {
    for (const database of opened) await database.close()
    await test.drop()
  })

  const open = async (mode: MonitorMode) => {
    const monitor = createCommandMonitor(mode)
    const { uri, name } = test
    const database = await openDatabase({ uri, name, queryTimeoutMs: 10_000, monitor })
    opened.push(database)
    return { monitor, database, rows: database.collection('rows') }
  }

  it('counts commands for the request that sent them, even concurrently', async () => {
    const { monitor, rows } = await open('requests')
    const ask = (count: number): Promise<CommandTally> =>
      tallied(monitor, async (tally) => {
        const asked = Array.from({ length: count }, () => rows.findOne({ rank: count }))
        await Promise.all(asked)
        await rows.find({ name: 'x' }, { sort: { name: 1 } }).toArray()
        return tally
      })
    const tallies = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(ask))
    expect(tallies.map(({ count }) => count)).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9])
    for (const { commands, busyMs } of tallies) {
      expect(commands.at(-1)?.shape).to.deep.equal({
        collection: 'rows',
        filtered: ['name'],
        sorted: ['name'],
      })
      const longest = Math.max(...commands.map(({ ms }) => ms))
      expect(busyMs).to.be.at.least(longest)
      expect(busyMs).to.be.at.most(commands.reduce((sum, { ms }) => sum + ms, 0) + 0.001)
    }
  })

  it('counts failed commands and reports commands outside requests', async () => {
    const { monitor, database, rows } = await open('requests')
    const told: ObservedCommand[] = []
    monitor.onCommand((command) => told.push(command))
    const count = await tallied(monitor, async (tally) => {
      await database.command({ nonsense: 1 }).catch(() => null)
      await monitor.unobserved(() => rows.findOne({}))
      return tally.count
    })
    expect(count).to.equal(1)
    await rows.findOne({})
    expect(told.map(({ name }) => name)).to.deep.equal(['nonsense', 'find', 'find'])
  })

  it('reports its pool and counts no commands if it is off', async () => {
    const { monitor, rows } = await open('off')
    const asked = monitor.tally(async (tally) => {
      await Promise.all(Array.from({ length: 20 }, () => rows.findOne({})))
      return tally
    }, noLabel)
    expect(await asked).to.equal(null)
    const { monitor: totals, rows: same } = await open('totals')
    const told: string[] = []
    totals.onCommand(({ name }) => told.push(name))
    await totals.tally(async (tally) => {
      expect(tally).to.equal(null)
      await same.findOne({})
    }, noLabel)
    expect(told).to.deep.equal(['find'])
    const { size, ...others } = monitor.pool()
    expect(size).to.be.within(1, 50)
    expect(others).to.deep.equal({ checkedOut: 0, waiting: 0 })
  })

  it('names the request in the comment of each command', async () => {
    const { monitor, database } = await open('requests')
    const table = database.table<{ readonly rank: number }>('rows')
    const comments: unknown[] = []
    monitor.onCommand(({ name, command }) => comments.push([name, command['comment']]))
    let label = 'quire GET other 1'
    await monitor.tally(
      async () => {
        await table.findOne({ rank: 1 })
        label = 'quire GET /api/rows 1'
        await table.countDocuments({ rank: 1 })
        await table.updateOne({ rank: 1 }, { $set: { rank: 1 } })
        const others = ['2', '3'].map((id) =>
          monitor.tally(
            () => Promise.resolve(monitor.observer()),
            () => id,
          ),
        )
        const gathered = [monitor.observer(), ...(await Promise.all(others))]
        await monitor.together(gathered, () => table.find({ rank: 1 }).toArray())
        await monitor.unobserved(() => table.findOne({ rank: 1 }))
      },
      () => label,
    )
    expect(comments).to.deep.equal([
      ['find', 'quire GET other 1'],
      ['aggregate', 'quire GET /api/rows 1'],
      ['update', 'quire GET /api/rows 1'],
      ['find', 'quire GET /api/rows 1 and 2 more'],
      ['find', undefined],
    ])
  })

  it('explains observed commands', async () => {
    const { monitor, database, rows } = await open('requests')
    const commandsOf = (work: () => Promise<unknown>) =>
      tallied(monitor, async (tally) => {
        await work()
        return tally.commands
      })
    const [byRank, byName, counted, inserted] = await commandsOf(async () => {
      await rows.find({ rank: { $gte: 2_998 } }).toArray()
      await rows.find({ name: 'n7' }).toArray()
      await rows.countDocuments({ name: 'n7' })
      await rows.insertOne({ rank: 99 })
    })
    if (!byRank || !byName || !counted || !inserted) throw new Error('not all was seen')
    const plan = await explainCommand(database, byRank)
    expect(plan?.indexes).to.deep.equal(['by_rank'])
    for (const command of [byName, counted]) {
      const { indexes } = (await explainCommand(database, command)) ?? {}
      // DocumentDB scans a whole collection by `_id_`, other databases without an index.
      expect(indexes?.filter((name) => name !== '_id_')).to.deep.equal([])
    }
    expect(await explainCommand(database, inserted)).to.equal(null)
  })
})
