import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const PROGRAM = fileURLToPath(new URL('../src/simulate.js', import.meta.url))

function simulate(...options: readonly string[]): {
  readonly status: number | null
  readonly lines: readonly string[]
} {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--max-semi-space-size=32', '--always-sparkplug', PROGRAM, '--trace', ...options],
    { encoding: 'utf8', maxBuffer: 2 ** 30 },
  )
  return { status, lines: stdout.split('\n') }
}

/** The lines of a seed, without the wall time. */
function traceOf(lines: readonly string[], seed: number): readonly string[] {
  const end = lines.findIndex((line) => line.startsWith(`seed ${seed}:`))
  const before = lines.slice(0, end).findLastIndex((line) => line.startsWith('seed '))
  return lines.slice(before + 1, end)
}

describe('a simulated run', () => {
  it('replays to the same trace, also after another seed', function () {
    this.timeout(600_000)
    const both = simulate('--from', '1', '--seeds', '2')
    const alone = simulate('--seed', '2')
    const [first, second] = [traceOf(both.lines, 2), traceOf(alone.lines, 2)]
    expect(first.length).to.be.above(5_000)
    expect(first.join('\n') === second.join('\n'), 'equal traces').to.equal(true)
    expect(both.status).to.equal(0)
    expect(alone.status).to.equal(0)
  })
})
