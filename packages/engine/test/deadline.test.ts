import { expect } from 'chai'
import { checkDeadline, TurnOver, startTurn } from '../src/deadline.ts'

const TURN_MS = 60

/** Waits like a process without a core. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function work(ms: number): void {
  const start = process.cpuUsage()
  for (;;) {
    const { user, system } = process.cpuUsage(start)
    if (user + system > ms * 1000) return
  }
}

describe('the turn of a command', () => {
  it('continues while the command waits for a core', () => {
    const turn = startTurn(TURN_MS)
    sleep(TURN_MS + 20)
    expect(() => checkDeadline({ at: Infinity, turn })).not.to.throw()
  })

  it('ends for a command that uses the CPU', () => {
    const turn = startTurn(TURN_MS)
    work(TURN_MS + 20)
    expect(() => checkDeadline({ at: Infinity, turn })).to.throw(TurnOver)
  })
})
