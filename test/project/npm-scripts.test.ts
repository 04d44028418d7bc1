import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { until } from '../support/until.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const MAX_WAIT_MS = 60_000

describe('npm scripts', () => {
  let folder = ''
  let child: ChildProcess | null = null
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-npm-'))
  })
  afterEach(() => {
    killGroup(child?.pid)
    rmSync(folder, { recursive: true, force: true })
  })

  /** `--ignore-scripts` skips the build, because other tests use its output at the same time. */
  function start(script: string): { readonly npm: ChildProcess; readonly output: () => string } {
    const { PATH, HOME } = process.env
    const npm = spawn('npm', ['run', '--ignore-scripts', script], {
      cwd: ROOT,
      detached: true,
      stdio: 'pipe',
      env: {
        PATH,
        HOME,
        PORT: '0',
        HOST: '127.0.0.1',
        QUIRE_DATA_DIR: folder,
        QUIRE_DATABASE: 'embedded',
      },
    })
    child = npm
    let output = ''
    const add = (chunk: Buffer): void => {
      output += chunk.toString()
    }
    npm.stdout.on('data', add)
    npm.stderr.on('data', add)
    return { npm, output: () => output }
  }

  for (const script of ['start', 'demo']) {
    it(`stops the server of npm run ${script} when only npm gets SIGTERM`, async () => {
      const { npm, output } = start(script)
      await until(() => output().includes('Quire listens on'), MAX_WAIT_MS, output)
      const address = /Quire listens on (http:\/\/[\d.:]+)/.exec(output())?.[1] ?? ''
      npm.kill('SIGTERM')
      await once(npm, 'exit')
      await until(() => output().includes('Stopped after'), MAX_WAIT_MS, output)
      expect(output()).to.match(/SIGTERM: stopping; waits for 0 open requests, background work, /)
      const refused = await fetch(address).then(
        () => false,
        () => true,
      )
      expect(refused).to.equal(true)
    }).timeout(2 * MAX_WAIT_MS)
  }
})

/** Stops npm, its shell and the server after a failed test. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
