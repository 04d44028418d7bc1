import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findSuite } from './find-suite.ts'
import { runSuite } from './run-suite.ts'

// `npm run conformance -- --area locale`: replays the recorded cases against a new Quire server on
// an empty database, which is dropped afterwards. Options are passed to the runner of the suite.
// The exit status is that of the runner, or 1 if the suite is missing or the server does not start.

const repository = fileURLToPath(new URL('../../../', import.meta.url))
const ended = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ended.abort())

try {
  process.exitCode = await runSuite({
    suite: findSuite(process.env['CONFORMANCE_DIR'], repository),
    ownDeviations: path.join(repository, 'test/conformance/deviations.json'),
    options: process.argv.slice(2),
    signal: ended.signal,
  })
} catch (error) {
  console.error(`conformance: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
