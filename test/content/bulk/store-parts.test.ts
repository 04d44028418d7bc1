import { expect } from 'chai'
import { PartStore } from '../../../src/content/bulk/store-parts.ts'

/** A part that is being stored, and how it ends. */
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

  /** What is settled by now has had its turn. */
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('stores a part while the next is prepared, two of them at a time', async () => {
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

  it('answers the items of parts that were refused, in their order', async () => {
    const { storing, store, addMany } = open()
    await addMany(0, PART + 1)
    const settled = store.settle()
    await turn()
    storing[1]?.end(false)
    storing[0]?.end(true)
    expect(await settled).to.deep.equal([PART])
    expect(await store.settle()).to.deep.equal([])
  })

  it('stores what names another after it, and not where that was refused', async () => {
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

  it('throws what a part threw once no other is being stored', async () => {
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
