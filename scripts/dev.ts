// `npm run dev`: compiles changed files and restarts the server after each compilation. Vite serves
// the Studio on port 5173 with hot reloading and proxies to this server. Changes of content-types,
// components and named queries also restart the server.
import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { refuseArguments } from '../src/base/config/answer-arguments.ts'

refuseArguments(`Usage: npm run dev

  Starts the server with content-types that the Studio can edit, and restarts it after each change.
  The environment configures it: docs/configuration.md.`)

const HAS_GROUPS = process.platform !== 'win32'

const typescript = path.dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
const compiler = spawn(
  process.execPath,
  [
    path.join(typescript, 'bin/tsc'),
    '-b',
    'tsconfig.build.json',
    '--watch',
    '--preserveWatchOutput',
  ],
  // In its own process group: `tsc` starts a second process and does not forward signals.
  { stdio: 'inherit', detached: HAS_GROUPS },
)
const server = spawn(process.execPath, ['dist/scripts/dev/watch-server.js'], {
  stdio: 'inherit',
  env: { LOG_LEVEL: 'debug', ...process.env },
})
const { HOST = '127.0.0.1', PORT = '1337' } = process.env
const vite = path.dirname(createRequire(import.meta.url).resolve('vite/package.json'))
const studio = spawn(process.execPath, [path.join(vite, 'bin/vite.js'), 'packages/studio'], {
  stdio: 'inherit',
  env: { QUIRE_ADDRESS: `http://${HOST}:${PORT}`, ...process.env },
})

let isStopping = false

/** Only once, because a second signal would kill the server. */
function stop(): void {
  if (isStopping) return
  isStopping = true
  studio.kill()
  killGroup(compiler)
  server.kill()
}

function killGroup(leader: ChildProcess): void {
  const { pid, exitCode } = leader
  if (pid === undefined || exitCode !== null) return
  if (HAS_GROUPS) process.kill(-pid, 'SIGTERM')
  else leader.kill()
}

process.on('SIGINT', stop)
process.on('SIGTERM', stop)
compiler.on('exit', stop)
server.on('exit', stop)
