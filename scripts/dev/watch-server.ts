// Runs the server of development: it starts again when it was compiled, or when what is declared has changed.
import { spawn } from 'node:child_process'
import { utimesSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { withEnvFile } from '../../src/base/config/env-file.ts'
import { watchFolder } from './watch-folder.ts'

const SERVER = fileURLToPath(new URL('serve.js', import.meta.url))
const server = spawn(process.execPath, ['--watch', '--enable-source-maps', SERVER], {
  stdio: 'inherit',
})

// `node --watch` starts again what it watches, and `--watch-path` is not to be had on every system.
const { CONTENT_TYPES_DIR = 'content-types' } = withEnvFile(process.env)
const watching = watchFolder(CONTENT_TYPES_DIR, () => utimesSync(SERVER, new Date(), new Date()))

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    watching.close()
    server.kill(signal)
  })
}
server.on('exit', (code) => process.exit(code ?? 0))
