import { expect } from 'chai'
import type { CommandStartedEvent } from 'mongodb'
import { ensureHead, headsOf, readHead } from '../../../src/mongo/commits/heads.ts'
import { BATCH, sequence, sequenceAll, type Step } from '../../../src/mongo/commits/sequencer.ts'
import { createCommandMonitor } from '../../../src/mongo/connection/command-monitor.ts'
import { commitId, COMMITS, type PendingRow } from '../../../src/mongo/connection/commit-record.ts'
import type { CommitItem } from '../../../src/mongo/connection/database.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'

const SYSTEM = { by: { kind: 'system', id: null, name: null }, requestId: null } as const
const STEPS: readonly Step[] = ['read', 'listed', 'assigned', 'numbered']

type Row = PendingRow & { readonly seq?: number }

function itemOf(type: string): CommitItem {
  const names = { documentId: 'one', locale: '', status: 'published', revision: 'r' } as const
  return { type, op: 'put', ...names }
}

describe('sequence', () => {
  let test: TestDatabase
  let commands: CommandStartedEvent[] = []

  before(async () => {
    const watch = createCommandMonitor('off')
    const monitor: typeof watch = {
      ...watch,
      watch: (client) => void client.on('commandStarted', (event) => commands.push(event)),
    }
    test = await openTestDatabase('sequencer', { monitorCommands: true }, { monitor })
    // Without the index on pending rows, which would return them in order anyway.
    await test.database.collection(COMMITS).createIndex({ seq: 1 }, { unique: true, sparse: true })
  })
  beforeEach(async () => {
    await test.database.collection(COMMITS).deleteMany({})
    await headsOf(test.database).deleteMany({})
    await ensureHead(test.database)
    commands = []
  })
  after(() => test.drop())

  /** Stores commits, each with the types of its items, and returns their ids in order. */
  async function store(...commits: readonly (readonly string[])[]): Promise<readonly string[]> {
    const rows = commits.map((types) => rowOf(commitId(null), types))
    await insert(rows.toReversed())
    return rows.map(({ _id }) => _id)
  }

  /** Stores a commit that is split into `parts` rows. */
  async function storeParts(parts: number): Promise<void> {
    const id = commitId(null)
    const suffix = (part: number) => `.${String(part).padStart(6, '0')}`
    await insert(
      Array.from({ length: parts }, (_, part) => ({
        ...rowOf(`${id}${suffix(part)}`, ['a']),
        part: [part, parts] as const,
      })),
    )
  }

  const storeMany = (count: number) => store(...Array.from({ length: count }, () => ['a']))

  function rowOf(_id: string, types: readonly string[]): PendingRow {
    const at = new Date(0)
    return { _id, pending: 1, states: 1, at, ...SYSTEM, items: types.map(itemOf) }
  }

  async function insert(rows: readonly PendingRow[]): Promise<void> {
    await test.database.collection<PendingRow>(COMMITS).insertMany([...rows])
  }

  const stored = (): Promise<readonly Row[]> =>
    test.database.collection<Row>(COMMITS).find().sort({ _id: 1 }).toArray()

  const numbers = async () => (await stored()).map(({ seq }) => seq)
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

  /** Starts a process that stops at a step. Returns a function that resumes it and returns its result. */
  async function stopAt(step: Step) {
    const stopped = deferred()
    const held = deferred()
    const pause = async (at: Step): Promise<void> => {
      if (at !== step) return
      stopped.settle()
      await held.promise
    }
    const result = sequence(test.database, { pause })
    await Promise.race([stopped.promise, result])
    return () => {
      held.settle()
      return result
    }
  }

  const LOST = { head: null, count: 0, numbered: null, more: true } as const

  it('writes nothing without pending commits', async () => {
    const head = await readHead(test.database)
    expect(await sequence(test.database)).to.deep.equal({
      head,
      count: 0,
      numbered: null,
      more: false,
    })
    expect(await readHead(test.database)).to.deep.equal(head)
  })

  it('numbers commits in the order of their ids', async () => {
    const ids = await store(['a', 'b', 'a'], ['b'], ['c'])
    const { head, ...others } = await sequence(test.database)
    expect(others).to.deep.equal({
      count: 3,
      more: false,
      numbered: {
        from: 1,
        commits: [
          { id: ids[0], types: ['a', 'b'] },
          { id: ids[1], types: ['b'] },
          { id: ids[2], types: ['c'] },
        ],
      },
    })
    expect(head).to.deep.include({
      seq: 3,
      assigning: null,
      types: [
        { type: 'a', seq: 1 },
        { type: 'b', seq: 2 },
        { type: 'c', seq: 3 },
      ],
    })
    expect(head).to.deep.equal(await readHead(test.database))
    const rows = await stored()
    expect(rows.map(({ _id, seq }) => [_id, seq])).to.deep.equal(ids.map((id, at) => [id, at + 1]))
    expect(rows.filter((row) => 'pending' in row)).to.deep.equal([])
  })

  it('continues after the last number and keeps the numbers of other types', async () => {
    await store(['a'], ['b'])
    await sequence(test.database)
    await store(['b'], ['c'])
    const { head, numbered } = await sequence(test.database)
    expect(numbered?.from).to.equal(3)
    expect(await numbers()).to.deep.equal([1, 2, 3, 4])
    expect(head?.types).to.deep.equal([
      { type: 'a', seq: 1 },
      { type: 'b', seq: 3 },
      { type: 'c', seq: 4 },
    ])
  })

  it('reads a full batch in one reply, without the contents of items', async () => {
    await storeMany(BATCH)
    commands = []
    await sequence(test.database)
    const names = commands.map(({ commandName }) => commandName)
    expect(names).to.not.include('getMore')
    const find = commands.find(({ command }) => command['find'] === COMMITS)?.command
    expect(find?.['projection']).to.deep.equal({ 'items.type': 1, part: 1 })
    expect(find?.['maxTimeMS']).to.equal(test.database.queryTimeoutMs)
    expect(await numbers()).to.deep.equal(upTo(BATCH))
  })

  it('updates fifty rows per statement', async () => {
    await storeMany(120)
    commands = []
    await sequence(test.database)
    const updates = commands.filter(({ command }) => command['update'] === COMMITS)
    const sizes = updates.flatMap(({ command }) =>
      command['updates'].map(({ q }: { readonly q: object }) => idsIn(q)),
    )
    expect(updates).to.have.length(1)
    expect(updates[0]?.command['ordered']).to.equal(false)
    expect(sizes).to.deep.equal([50, 50, 20])
    expect(await numbers()).to.deep.equal(upTo(120))
  })

  for (const [count, more] of [
    [BATCH - 1, false],
    [BATCH, true],
  ] as const) {
    it(`${more ? 'expects' : 'does not expect'} further commits after ${count}`, async () => {
      await storeMany(count)
      const result = await sequence(test.database)
      expect([result.count, result.more]).to.deep.equal([count, more])
    })
  }

  describe('with a commit of several rows at the end of a batch', () => {
    it('leaves all rows of it to the next batch', async () => {
      await storeMany(BATCH - 2)
      await storeParts(3)
      const { count, more } = await sequence(test.database)
      expect([count, more]).to.deep.equal([BATCH - 2, true])
      expect((await sequenceAll(test.database)).seq).to.equal(BATCH + 1)
    })

    it('numbers it if its last row fits', async () => {
      await storeMany(BATCH - 3)
      await storeParts(3)
      expect((await sequence(test.database)).count).to.equal(BATCH)
    })

    it('numbers as much as possible of one that is larger than a batch', async () => {
      await storeParts(BATCH + 2)
      const { count, more } = await sequence(test.database)
      expect([count, more]).to.deep.equal([BATCH, true])
      expect((await sequenceAll(test.database)).seq).to.equal(BATCH + 2)
      expect(await numbers()).to.deep.equal(upTo(BATCH + 2))
    })
  })

  it('stops at each of its steps in order', async () => {
    const steps: Step[] = []
    const states: unknown[] = []
    await store(['a'])
    const pause = async (step: Step): Promise<void> => {
      steps.push(step)
      const { seq, assigning } = await readHead(test.database)
      states.push([seq, assigning?.from, await numbers()])
    }
    await sequence(test.database, { pause })
    expect(steps).to.deep.equal(STEPS)
    expect(states).to.deep.equal([
      [0, undefined, [undefined]],
      [0, undefined, [undefined]],
      [0, 1, [undefined]],
      [0, 1, [1]],
    ])
  })

  for (const step of ['assigned', 'numbered'] as const) {
    it(`completes the work of a process that died at the step ${step}`, async () => {
      await store(['a'], ['b'])
      await stopAt(step)
      await store(['b'])
      const { head, count, numbered } = await sequence(test.database)
      expect([count, numbered?.from, numbered?.commits.length]).to.deep.equal([1, 3, 1])
      expect(head).to.deep.include({ seq: 3, assigning: null })
      expect(head?.types).to.deep.equal([
        { type: 'a', seq: 1 },
        { type: 'b', seq: 3 },
      ])
      expect(await numbers()).to.deep.equal([1, 2, 3])
    })
  }

  for (const { step, result } of [
    { step: 'listed', result: LOST },
    { step: 'assigned', result: { ...LOST, count: 2 } },
    { step: 'numbered', result: { ...LOST, count: 2 } },
  ] as const) {
    it(`changes nothing if another process is ahead after the step ${step}`, async () => {
      await store(['a'], ['b'])
      const resume = await stopAt(step)
      await sequence(test.database)
      await store(['b'])
      const head = await sequenceAll(test.database)
      expect(await resume()).to.deep.equal(result)
      expect(await readHead(test.database)).to.deep.equal(head)
      expect(await numbers()).to.deep.equal([1, 2, 3])
    })
  }

  it('reports a lost race to complete the work of another process', async () => {
    await store(['a'])
    await stopAt('assigned')
    const resume = await stopAt('numbered')
    await sequence(test.database)
    expect(await resume()).to.deep.equal(LOST)
  })

  it('reads the head again if another process numbered all commits after it was read', async () => {
    await store(['a'])
    const resume = await stopAt('read')
    await sequenceAll(test.database)
    expect(await resume()).to.deep.include({ count: 0, more: true })
  })

  it('reaches the end of the log while other processes number it', async () => {
    await storeMany(2 * BATCH + 1)
    const heads = await Promise.all(Array.from({ length: 3 }, () => sequenceAll(test.database)))
    expect(heads.map(({ seq }) => seq)).to.deep.equal(heads.map(() => 2 * BATCH + 1))
    expect(await numbers()).to.deep.equal(upTo(2 * BATCH + 1))
  })
})

function idsIn(filter: object): number {
  const { _id: ids } = filter as { readonly _id: { readonly $in: readonly string[] } }
  return ids.$in.length
}

function deferred() {
  let settle = (): void => undefined
  const promise = new Promise<void>((resolve) => (settle = resolve))
  return { promise, settle: () => settle() }
}
