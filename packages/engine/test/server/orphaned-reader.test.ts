import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { temporaryFolder } from '../contract/targets.ts'

function childrenOf(pid: number): readonly number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child = 0]) => child)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the reader process of a killed engine', function () {
  this.slow(10_000)
  if (process.platform === 'win32') {
    it.skip('needs ps')
    return
  }

  it('ends during any read', async () => {
    const directory = temporaryFolder()
    const path = new URL(`./busy-reader-child${import.meta.url.slice(-3)}`, import.meta.url)
    const child = fork(path, [directory])
    await once(child, 'message')
    const readers = childrenOf(child.pid ?? 0)
    try {
      expect(readers).to.have.length(1)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const deadline = performance.now() + 20_000
      while (readers.some(isAlive) && performance.now() < deadline) await wait(50)
      expect(readers.filter(isAlive)).to.deep.equal([])
    } finally {
      for (const reader of readers.filter(isAlive)) process.kill(reader, 'SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
