import { expect } from 'chai'
import { inTurns } from '../src/api/in-turns.ts'

/** Work that ends when it is told to. */
function held() {
  let end = (): void => undefined
  const done = new Promise<void>((resolve) => (end = resolve))
  let hasBegun = false
  const work = async (): Promise<void> => {
    hasBegun = true
    await done
  }
  return { work, end: () => end(), hasBegun: () => hasBegun }
}

describe('inTurns', () => {
  const { signal } = new AbortController()
  const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve))

  it('runs up to the limit at once, and the next when one ends', async () => {
    const turn = inTurns(2)
    const all = [held(), held(), held()]
    const runs = all.map(({ work }) => turn(work, signal))
    await settled()
    expect(all.map(({ hasBegun }) => hasBegun())).to.deep.equal([true, true, false])
    all[0]?.end()
    await settled()
    expect(all[2]?.hasBegun()).to.equal(true)
    for (const { end } of all) end()
    await Promise.all(runs)
  })

  it('continues after a failure', async () => {
    const turn = inTurns(1)
    const failing = turn(async () => Promise.reject(new Error('no')), signal).catch(String)
    const next = turn(async () => Promise.resolve('next'), signal)
    expect(await failing).to.equal('Error: no')
    expect(await next).to.equal('next')
  })

  it('skips a call that is aborted while it waits, and runs the others', async () => {
    const turn = inTurns(1)
    const [first, aborted, last] = [held(), held(), held()]
    const running = turn(first.work, signal)
    const abort = new AbortController()
    const ended = turn(aborted.work, abort.signal).catch((error: unknown) => (error as Error).name)
    const after = turn(last.work, signal)
    abort.abort()
    first.end()
    last.end()
    await running
    expect(await ended).to.equal('AbortError')
    await after
    expect([aborted.hasBegun(), last.hasBegun()]).to.deep.equal([false, true])
  })
})
