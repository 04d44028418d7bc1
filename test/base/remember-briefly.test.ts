import { expect } from 'chai'
import { rememberBriefly } from '../../src/base/remember-briefly.ts'

describe('a brief memory of reads', () => {
  const open = (fails = false) => {
    let now = 0
    const reads: string[] = []
    const read = rememberBriefly(
      async (key) => {
        reads.push(key)
        await Promise.resolve()
        if (fails) throw new Error('no database')
        return `${key} at ${now}`
      },
      { forMs: 500, maxKeys: 2, nowMs: () => now },
    )
    const pass = (ms: number): void => {
      now += ms
    }
    return { read, reads, pass }
  }

  it('shares a read between calls of half a second', async () => {
    const { read, reads, pass } = open()
    expect(await Promise.all([read('a'), read('a')])).to.deep.equal(['a at 0', 'a at 0'])
    pass(499)
    expect(await read('a')).to.equal('a at 0')
    expect(reads).to.deep.equal(['a'])
    pass(1)
    expect(await read('a')).to.equal('a at 500')
    expect(reads).to.deep.equal(['a', 'a'])
  })

  it('counts from the start of the read, so that no result is older', async () => {
    const { read, reads, pass } = open()
    const slow = read('a')
    pass(500)
    await slow
    await read('a')
    expect(reads).to.deep.equal(['a', 'a'])
  })

  it('drops the oldest key beyond its limit', async () => {
    const { read, reads } = open()
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await read(key)
    expect(reads).to.deep.equal(['a', 'b', 'c', 'a'])
  })

  it('reads again after a failure', async () => {
    const { read, reads } = open(true)
    expect(await read('a').catch(String)).to.equal('Error: no database')
    expect(await read('a').catch(String)).to.equal('Error: no database')
    expect(reads).to.deep.equal(['a', 'a'])
  })
})
