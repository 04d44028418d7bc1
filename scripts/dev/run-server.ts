import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { utimesSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Environment } from '../../src/config/config.ts'
import { withEnvFile } from '../../src/config/env-file.ts'
import { watchFolder } from './watch-folder.ts'

const SERVER = fileURLToPath(new URL('serve.js', import.meta.url))

/** Runs the server of development, which starts again when it was compiled or what is declared has changed. */
export function runServer(env: Environment, stdio: StdioOptions): RunningServer {
  const child = spawn(process.execPath, ['--watch', '--enable-source-maps', SERVER], {
    stdio,
    env: { ...env },
  })
  // `node --watch` starts again what it watches, and `--watch-path` is not to be had on every system.
  const { CONTENT_TYPES_DIR = 'content-types' } = withEnvFile(env)
  const watching = watchFolder(CONTENT_TYPES_DIR, () => utimesSync(SERVER, new Date(), new Date()))
  return {
    child,
    stop: () => {
      watching.close()
      child.kill()
    },
  }
}

export interface RunningServer {
  readonly child: ChildProcess
  readonly stop: () => void
}
