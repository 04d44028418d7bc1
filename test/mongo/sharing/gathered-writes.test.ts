import { expect } from 'chai'
import type { GatherWrites } from '../../../src/mongo/connection/database.ts'
import { gatherWrites } from '../../../src/mongo/sharing/gathered-writes.ts'
import { until } from '../../support/until.ts'

type Write = (items: readonly string[]) => Promise<readonly (string | null)[]>

/** A batch in flight and the functions that settle it. */
interface Writing {
  readonly items: readonly string[]
  readonly end: (written: readonly (string | null)[]) => void
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

  it('writes items of the same kind and turn in one batch', async () => {
    const all = [
      gather('one', 'a', 'a', write),
      gather('two', 'b', 'b', write),
      gather('one', 'c', 'c', write),
    ] as const
    await turn()
    expect(items()).to.deep.equal([['a', 'c'], ['b']])
    writing[0]?.end(['A', null])
    writing[1]?.end(['B'])
    expect(await Promise.all(all)).to.deep.equal(['A', 'B', null])
  })

  it('collects items while a batch is in flight and writes them after it, even if it fails', async () => {
    const first = gather('kind', 'a', 'a', write).catch(String)
    await turn()
    const later = [gather('kind', 'b', 'b', write), gather('kind', 'c', 'c', write)]
    await turn()
    expect(items()).to.deep.equal([['a']])
    writing[0]?.fail(new Error('broken'))
    expect(await first).to.equal('Error: broken')
    await turn()
    expect(items()).to.deep.equal([['a'], ['b', 'c']])
    writing[1]?.end(['B', 'C'])
    expect(await Promise.all(later)).to.deep.equal(['B', 'C'])
  })

  it('starts the next batch next to a slow one', async () => {
    const slow = gather('kind', 'a', 'a', write)
    await turn()
    const next = gather('kind', 'b', 'b', write)
    await until(() => writing.length === 2, 10_000)
    for (const each of writing.toReversed()) each.end(each.items)
    expect(await Promise.all([slow, next])).to.deep.equal(['a', 'b'])
    expect(items()).to.deep.equal([['a'], ['b']])
  })

  it('writes items with the same key in separate batches, in order', async () => {
    const all = ['a1', 'b1', 'a2', 'a3', 'b2'].map((item) =>
      gather('kind', item.slice(0, 1), item, (group) => {
        writing.push({ items: group, end: () => undefined, fail: () => undefined })
        return Promise.resolve(group)
      }),
    )
    expect(await Promise.all(all)).to.deep.equal(['a1', 'b1', 'a2', 'a3', 'b2'])
    expect(items()).to.deep.equal([['a1', 'b1'], ['a2', 'b2'], ['a3']])
  })

  it('writes at most 25 items per batch', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `k${index}`)
    const sizes: number[] = []
    const stored = await Promise.all(
      names.map((name) =>
        gather('kind', name, name, (group) => {
          sizes.push(group.length)
          return Promise.resolve(group)
        }),
      ),
    )
    expect(stored).to.deep.equal(names)
    expect(sizes).to.deep.equal([25, 25, 10])
  })

  it('counts its commands for all sharing callers', async () => {
    const told: (readonly unknown[])[] = []
    let next = 0
    const counting = gatherWrites({
      observer: () => [{ number: (next += 1) }] as never,
      together: (observers, work) => {
        told.push(observers.flat())
        return work()
      },
    })
    const stored: Write = (group) => Promise.resolve(group)
    await Promise.all([counting('kind', 'a', 'a', stored), counting('kind', 'b', 'b', stored)])
    expect(told).to.deep.equal([[{ number: 1 }, { number: 2 }]])
  })
})
