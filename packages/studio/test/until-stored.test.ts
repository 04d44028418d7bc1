import { expect } from 'chai'
import { untilStored } from './browser/editors.ts'

describe('untilStored', () => {
  it('compares objects without the order of their keys', async () => {
    let reads = 0
    const read = (): Promise<unknown> => {
      reads += 1
      return Promise.resolve({ b: [{ d: 1, c: 2 }], a: null })
    }
    await untilStored(read, { a: null, b: [{ c: 2, d: 1 }] })
    expect(reads).to.equal(1)
  })
})
