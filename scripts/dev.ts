// `npm run dev`: compiles what changes, and starts the server again when it has been compiled.
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
const server = spawn(process.execPath, ['--watch', '--enable-source-maps', 'dist/src/main.js'], {
  stdio: 'inherit',
  env: { LOG_LEVEL: 'debug', ...process.env },
})
const stop = (): void => {
  compiler.kill()
  server.kill()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
compiler.on('exit', stop)
server.on('exit', stop)
