// Runs the development server and restarts it after a compilation or a change of content-types.
import { spawn } from 'node:child_process'
import { utimesSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { withEnvFile } from '../../src/base/config/env-file.ts'
import { JSON_FILES, watchFiles } from '../../src/cli/dev/watch-files.ts'

const SERVER = fileURLToPath(new URL('../../src/cli/dev/serve.js', import.meta.url))
const server = spawn(process.execPath, ['--watch', '--enable-source-maps', SERVER], {
  stdio: 'inherit',
})

// `node --watch` restarts when a watched file changes. `--watch-path` is not available on every
// system.
const { CONTENT_TYPES_DIR = 'content-types' } = withEnvFile(process.env)
const watching = watchFiles(CONTENT_TYPES_DIR, JSON_FILES, () =>
  utimesSync(SERVER, new Date(), new Date()),
)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    watching.close()
    server.kill(signal)
  })
}
server.on('exit', (code) => process.exit(code ?? 0))
