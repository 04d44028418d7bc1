import { expect } from 'chai'
import { type GatherWrites, gatherWrites } from '../../../src/mongo/sharing/gathered-writes.ts'
import { until } from '../../until.ts'

type Write = (items: readonly string[]) => Promise<boolean>

/** A group that is being written, and how it ends. */
interface Writing {
  readonly items: readonly string[]
  readonly end: (isWritten: boolean) => void
  readonly fail: (error: Error) => void
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('gatherWrites', () => {
  let gather: GatherWrites
  let writing: Writing[]
  const write: Write = (items) =>
    new Promise((end, fail) => {
      writing.push({ items, end, fail })
    })
  const items = (): readonly (readonly string[])[] => writing.map((each) => each.items)

  beforeEach(() => {
    gather = gatherWrites(null)
    writing = []
  })

  it('writes together what comes in one turn, and apart what is of another kind', async () => {
    const all = [
      gather('one', 'a', write),
      gather('two', 'b', write),
      gather('one', 'c', write),
    ] as const
    await turn()
    expect(items()).to.deep.equal([['a', 'c'], ['b']])
    writing[0]?.end(true)
    writing[1]?.end(false)
    expect(await Promise.all(all)).to.deep.equal([true, false, true])
  })

  it('writes what comes meanwhile together, once the group before has ended, however', async () => {
    const first = gather('kind', 'a', write).catch(String)
    await turn()
    const later = [gather('kind', 'b', write), gather('kind', 'c', write)]
    await turn()
    expect(items()).to.deep.equal([['a']])
    writing[0]?.fail(new Error('broken'))
    expect(await first).to.equal('Error: broken')
    await turn()
    expect(items()).to.deep.equal([['a'], ['b', 'c']])
    writing[1]?.end(true)
    expect(await Promise.all(later)).to.deep.equal([true, true])
  })

  it('goes on beside a group that takes long', async () => {
    const slow = gather('kind', 'a', write)
    await turn()
    const next = gather('kind', 'b', write)
    await until(() => writing.length === 2, 10_000)
    for (const { end } of writing.toReversed()) end(true)
    expect(await Promise.all([slow, next])).to.deep.equal([true, true])
    expect(items()).to.deep.equal([['a'], ['b']])
  })

  it('writes at most 25 at once', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `k${index}`)
    const sizes: number[] = []
    const stored = await Promise.all(
      names.map((name) =>
        gather('kind', name, (group) => {
          sizes.push(group.length)
          return Promise.resolve(true)
        }),
      ),
    )
    expect(stored).to.deep.equal(names.map(() => true))
    expect(sizes).to.deep.equal([25, 25, 10])
  })

  it('counts its commands for all who share it', async () => {
    const told: (readonly unknown[])[] = []
    let next = 0
    const counting = gatherWrites({
      observer: () => [{ number: (next += 1) }] as never,
      together: (observers, work) => {
        told.push(observers.flat())
        return work()
      },
    })
    const stored = (): Promise<boolean> => Promise.resolve(true)
    await Promise.all([counting('kind', 'a', stored), counting('kind', 'b', stored)])
    expect(told).to.deep.equal([[{ number: 1 }, { number: 2 }]])
  })
})
