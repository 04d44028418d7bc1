import { expect } from 'chai'
import { PartStore } from '../../../src/content/bulk/write-lines.ts'

/** A part in flight and the functions that settle it. */
interface Storing {
  readonly items: readonly number[]
  readonly end: (stored: boolean) => void
  readonly fail: (error: Error) => void
}

describe('PartStore', () => {
  const PART = 500

  const open = () => {
    const storing: Storing[] = []
    const store = new PartStore<number>(
      (items) =>
        new Promise((end, fail) => {
          storing.push({ items, end, fail })
        }),
    )
    const addMany = async (from: number, count: number, isLinked = false): Promise<void> => {
      for (let item = from; item < from + count; item += 1) await store.add(item, { isLinked })
    }
    return { storing, store, addMany }
  }

  /** Lets all settled promises run their callbacks. */
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('stores at most two parts concurrently while the next one is prepared', async () => {
    const { storing, store, addMany } = open()
    await addMany(0, 2 * PART)
    await turn()
    expect(storing.map(({ items }) => items[0])).to.deep.equal([0, PART])
    const third = addMany(2 * PART, PART)
    await turn()
    expect(storing).to.have.length(2)
    storing[0]?.end(true)
    await third
    await turn()
    expect(storing.map(({ items }) => items.length)).to.deep.equal([PART, PART, PART])
    for (const { end } of storing) end(true)
    expect(await store.settle()).to.deep.equal([])
  })

  it('returns the items of refused parts in order', async () => {
    const { storing, store, addMany } = open()
    await addMany(0, PART + 1)
    const settled = store.settle()
    await turn()
    storing[1]?.end(false)
    storing[0]?.end(true)
    expect(await settled).to.deep.equal([PART])
    expect(await store.settle()).to.deep.equal([])
  })

  it('stores a linked item after its target and skips it if the target is refused', async () => {
    for (const isStored of [true, false]) {
      const { storing, store, addMany } = open()
      await addMany(0, PART)
      await store.add(PART, { isLinked: true })
      const settled = store.settle()
      await turn()
      expect(storing).to.have.length(1)
      storing[0]?.end(isStored)
      await turn()
      expect(storing).to.have.length(isStored ? 2 : 1)
      storing[1]?.end(true)
      expect(await settled).to.have.length(isStored ? 0 : PART + 1)
    }
  })

  it('rejects with the error of a part after all other parts have settled', async () => {
    const { storing, store, addMany } = open()
    await addMany(0, 2 * PART)
    await turn()
    storing[0]?.fail(new Error('lost'))
    let thrown: unknown = null
    const settled = store.settle().catch((error: unknown) => {
      thrown = error
    })
    await turn()
    expect(thrown).to.equal(null)
    storing[1]?.end(true)
    await settled
    expect(thrown).to.be.an('error').with.property('message', 'lost')
  })
})
