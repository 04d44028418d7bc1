import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { until } from '../support/until.ts'
import { startServerClock } from '../support/server-clock.ts'

/** Works for 600 ms of CPU time, however long that takes. */
const BUSY = 'while (process.cpuUsage().user < 600_000);'

describe('the clock for time limits of a server', () => {
  it('counts a wait of the server', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 10_000)'])
    const elapsedMs = startServerClock(child.pid ?? 0)
    await until(() => elapsedMs() > 150, 30_000)
    child.kill()
  })

  it('counts the work of the server, also while this process works', async () => {
    const child = spawn(process.execPath, ['-e', BUSY])
    const elapsedMs = startServerClock(child.pid ?? 0, { isStopping: true })
    const ended = once(child, 'exit')
    const until = performance.now() + 300
    while (performance.now() < until);
    await ended
    expect(elapsedMs()).to.be.above(300)
  })

  it('leaves out the work of this process', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 10_000)'])
    await once(child, 'spawn')
    await delay(300) // its start is work
    const elapsedMs = startServerClock(child.pid ?? 0)
    const until = performance.now() + 1_000
    while (performance.now() < until);
    const counted = elapsedMs()
    child.kill()
    if (process.platform === 'linux') expect(counted).to.be.below(500)
  })
})
