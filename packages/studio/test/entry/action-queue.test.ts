import { expect } from 'chai'
import { actionQueue } from '../../src/entry/action-queue.ts'

describe('actionQueue', () => {
  const setUp = () => {
    const log: string[] = []
    const ends = new Map<string, () => void>()
    const run = actionQueue((isBusy) => log.push(isBusy ? 'busy' : 'idle'))
    const act = (name: string): Promise<void> =>
      run(name, async () => {
        log.push(name)
        await new Promise<void>((resolve) => ends.set(name, resolve))
      })
    return { log, act, run, end: (name: string) => ends.get(name)?.() }
  }
  const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve))

  it('runs another action after the pending one', async () => {
    const { log, act, end } = setUp()
    const both = [act('publish'), act('unpublish')]
    await settled()
    expect(log).to.deep.equal(['busy', 'publish'])
    end('publish')
    await settled()
    expect(log).to.deep.equal(['busy', 'publish', 'unpublish'])
    end('unpublish')
    await Promise.all(both)
    expect(log.at(-1)).to.equal('idle')
  })

  it('ignores an action that is pending already', async () => {
    const { log, act, end } = setUp()
    const both = [act('publish'), act('publish')]
    await settled()
    end('publish')
    await Promise.all(both)
    expect(log).to.deep.equal(['busy', 'publish', 'idle'])
  })

  it('continues after a failure', async () => {
    const { log, act, run, end } = setUp()
    const failing = run('publish', () => Promise.reject(new Error('no')))
    const next = act('discard')
    expect(await failing.catch((error: unknown) => String(error))).to.equal('Error: no')
    await settled()
    end('discard')
    await next
    expect(log).to.deep.equal(['busy', 'discard', 'idle'])
  })
})
