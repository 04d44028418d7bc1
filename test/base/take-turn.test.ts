import { expect } from 'chai'
import { takeTurn } from '../../src/base/share-by-key.ts'

describe('takeTurn', () => {
  /** Starts work that notes its start and ends when the test ends it. */
  function controlled() {
    const started: string[] = []
    const ends = new Map<string, (error?: Error) => void>()
    const start = (owner: object, name: string, work: string): Promise<void> =>
      takeTurn(owner, name, () => {
        started.push(work)
        return new Promise((resolve, reject) => {
          ends.set(work, (error) => (error === undefined ? resolve() : reject(error)))
        })
      })
    return { started, start, end: (work: string, error?: Error) => ends.get(work)?.(error) }
  }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('runs calls with the same name one after the other, also after a failure', async () => {
    const owner = {}
    const { started, start, end } = controlled()
    const first = start(owner, 'a', 'first').catch((error: unknown) => String(error))
    const second = start(owner, 'a', 'second')
    await turn()
    expect(started).to.deep.equal(['first'])
    end('first', new Error('lost'))
    expect(await first).to.equal('Error: lost')
    await turn()
    expect(started).to.deep.equal(['first', 'second'])
    end('second')
    await second
  })

  it('runs calls of other owners and with other names at the same time', async () => {
    const owner = {}
    const { started, start, end } = controlled()
    const all = [start(owner, 'a', '1'), start(owner, 'b', '2'), start({}, 'a', '3')]
    await turn()
    expect(started).to.deep.equal(['1', '2', '3'])
    for (const work of started) end(work)
    await Promise.all(all)
  })
})
