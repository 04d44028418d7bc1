import { expect } from 'chai'
import type { GatherReads } from '../../../src/mongo/connection/database.ts'
import { gatherReads } from '../../../src/mongo/sharing/gathered-reads.ts'

type Read = Parameters<GatherReads>[2]

/** Answers each key except `none` with its upper case and records the requested keys. */
function recording(): { readonly asked: (readonly string[])[]; readonly read: Read } {
  const asked: (readonly string[])[] = []
  const read: Read = (keys) => {
    asked.push(keys)
    const found = keys.filter((key) => key !== 'none')
    return Promise.resolve(new Map(found.map((key) => [key, key.toUpperCase()])))
  }
  return { asked, read }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('gatherReads', () => {
  it('reads each key once for concurrent calls', async () => {
    const { asked, read } = recording()
    const gather = gatherReads(null)
    const keys = ['a', 'b', 'a', 'none']
    const found = await Promise.all(keys.map((key) => gather('kind', key, read)))
    expect(found).to.deep.equal(['A', 'B', 'A', undefined])
    expect(asked).to.deep.equal([['a', 'b', 'none']])
  })

  it('reads again in the next turn and separately for another kind', async () => {
    const { asked, read } = recording()
    const gather = gatherReads(null)
    const first = gather('one', 'a', read)
    const other = gather('two', 'a', read)
    await turn()
    await Promise.all([first, other, gather('one', 'a', read)])
    expect(asked).to.deep.equal([['a'], ['a'], ['a']])
  })

  it('reads at most 50 keys per command', async () => {
    const { asked, read } = recording()
    const gather = gatherReads(null)
    const keys = Array.from({ length: 120 }, (_, index) => `k${index}`)
    const found = await Promise.all(keys.map((key) => gather('kind', key, read)))
    expect(found).to.deep.equal(keys.map((key) => key.toUpperCase()))
    expect(asked.map(({ length }) => length)).to.deep.equal([50, 50, 20])
  })

  it('rejects only the calls of the failed command', async () => {
    const { read } = recording()
    const gather = gatherReads(null)
    const broken: Read = () => Promise.reject(new Error('broken'))
    const [one, two, three] = await Promise.allSettled([
      gather('bad', 'a', broken),
      gather('bad', 'b', broken),
      gather('good', 'a', read),
    ])
    expect([one.status, two.status, three.status]).to.deep.equal([
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(await gather('bad', 'a', read)).to.equal('A')
  })

  it('counts one command for all sharing callers', async () => {
    const { read } = recording()
    const told: (readonly unknown[])[] = []
    let next = 0
    const gather = gatherReads({
      observer: () => [{ number: (next += 1) }] as never,
      together: (observers, work) => {
        told.push(observers.flat())
        return work()
      },
    })
    await Promise.all([gather('kind', 'a', read), gather('kind', 'b', read)])
    expect(told).to.deep.equal([[{ number: 1 }, { number: 2 }]])
  })
})
