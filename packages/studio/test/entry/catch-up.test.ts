import { expect } from 'chai'
import { catchUp } from '../../src/entry/catch-up.ts'
import { openForm } from './entry-server.ts'

describe('the refresh of a form that is behind', () => {
  const start = ({ isDown }: { readonly isDown: boolean }) => {
    const opened = openForm()
    const { form, server, saver, clock } = opened
    server.isDown = isDown
    server.elsewhere({ views: 7 })
    const stop = catchUp({
      isBehind: () => form.get(['views']) !== 7,
      refresh: () => saver.refresh(),
      after: (wait, act) => clock.after(wait, act),
    })
    return { ...opened, stop }
  }

  it('reads once if the read succeeds', async () => {
    const { form, server, clock } = start({ isDown: false })
    await clock.settle()
    expect(form.get(['views'])).to.equal(7)
    await clock.pass(60_000)
    expect(server.reads).to.equal(1)
  })

  it('repeats failed reads with growing delays', async () => {
    const { form, server, clock } = start({ isDown: true })
    await clock.settle()
    expect(server.reads).to.equal(1)
    await clock.pass(2_000)
    expect(server.reads).to.equal(2)
    await clock.pass(2_000)
    expect(server.reads).to.equal(2)
    server.isDown = false
    await clock.pass(2_000)
    expect(form.get(['views'])).to.equal(7)
    await clock.pass(60_000)
    expect(server.reads).to.equal(3)
  })

  it('ends when it is stopped, or another read brings the version', async () => {
    const stopped = start({ isDown: true })
    await stopped.clock.settle()
    stopped.stop()
    const current = start({ isDown: true })
    await current.clock.settle()
    current.server.isDown = false
    await current.saver.refresh()
    for (const [{ server, clock }, reads] of [
      [stopped, 1],
      [current, 2],
    ] as const) {
      await clock.pass(60_000)
      expect(server.reads).to.equal(reads)
    }
  })
})
