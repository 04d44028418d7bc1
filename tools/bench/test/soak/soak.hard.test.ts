import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { SoakSample } from '../../src/soak/sample.ts'

const SCRIPT = fileURLToPath(new URL('../../src/soak.js', import.meta.url))

interface Report {
  readonly requests: number
  readonly samples: readonly Pick<SoakSample, 'residentBytes' | 'heapUsedBytes' | 'requests'>[]
  readonly statuses: Readonly<Record<string, number>>
  readonly errors: number
  readonly wrong: readonly string[]
  readonly losses: readonly string[] | null
}

describe('npm run soak', () => {
  let running: ChildProcess | undefined

  afterEach(() => running?.kill('SIGKILL'))

  /** `toldOf` resolves with the address of the server once it is under load. */
  function start(...args: readonly string[]) {
    const child = spawn(process.execPath, [SCRIPT, '--json', '--writers', '2', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running = child
    const report = text(child.stdout).then((said) => JSON.parse(said) as Report)
    const ended = once(child, 'exit') as Promise<[number | null]>
    const toldOf = new Promise<string>((resolve) => {
      let base = ''
      createInterface({ input: child.stderr }).on('line', (line) => {
        base ||= /^http\S+/.exec(line)?.[0] ?? ''
        if (line.includes(' requests ')) resolve(base)
      })
    })
    return { child, report, ended, toldOf }
  }

  it('reports memory without errors and losses', async () => {
    const { report, ended } = start('--seconds', '2', '--every', '1', '--collect')
    const { samples, requests, statuses, errors, wrong, losses } = await report
    expect(wrong).to.deep.equal([])
    expect({ errors, losses }).to.deep.equal({ errors: 0, losses: [] })
    expect(samples.length).to.be.above(1)
    expect(samples.at(-1)?.residentBytes).to.be.above(20_000_000)
    expect(samples.at(-1)?.heapUsedBytes).to.be.above(5_000_000)
    expect(requests).to.be.at.least(samples.at(-1)?.requests ?? Infinity)
    expect(Object.values(statuses).reduce((sum, count) => sum + count, 0)).to.equal(requests)
    expect(await ended).to.include(0)
  })

  it('stops its server and reports when it is interrupted', async () => {
    const { child, report, ended, toldOf } = start('--seconds', '600', '--every', '1')
    const base = await toldOf
    child.kill('SIGTERM')
    expect((await report).losses).to.equal(null)
    expect(await ended).to.include(143)
    expect(await fetch(base).catch(() => 'nobody there')).to.equal('nobody there')
  })
})
