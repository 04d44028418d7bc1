import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { KNOWN_FAULTS } from '../src/known-faults.ts'

const PROGRAM = fileURLToPath(new URL('../src/simulate.js', import.meta.url))
const SEEDS = process.env['SIMULATE_SEEDS'] ?? '1000'
const TIMEOUT_MS = 3_600_000

describe('the simulator', () => {
  for (const name of Object.keys(KNOWN_FAULTS)) {
    it(`finds the fault ${name}`, function () {
      this.timeout(TIMEOUT_MS)
      const { status, stdout } = spawnSync(
        process.execPath,
        ['--always-sparkplug', PROGRAM, '--seeds', SEEDS, '--mutation', name],
        { encoding: 'utf8', maxBuffer: 2 ** 30 },
      )
      expect(stdout).to.match(/^\d+ seeds, 1 with faults/m)
      expect(stdout).to.include(`--mutation ${name}`)
      expect(status).to.equal(1)
    })
  }
})
