// `npm run dev`: compiles what changes, and starts the server again when it has been compiled. Beside it
// Vite serves the Studio on port 5173, each change of which shows at once, and asks this server.
// Content-types, components and named queries are read by a start: a change of one starts it, too.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

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
  { stdio: 'inherit' },
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

function stop(): void {
  studio.kill()
  compiler.kill()
  server.kill()
}

process.on('SIGINT', stop)
process.on('SIGTERM', stop)
compiler.on('exit', stop)
server.on('exit', stop)
