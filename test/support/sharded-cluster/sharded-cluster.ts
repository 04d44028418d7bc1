import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { runOnCluster } from './run-on-cluster.ts'

// `npm run test:sharded`: runs the suite on a temporary sharded cluster, with content on two
// shards. Arguments replace the suite: `npm run test:sharded -- node --test`. Needs mongod and
// mongos in MONGODB_BIN or on the PATH. Without them the exit status is 75.

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const suite = [
  process.execPath,
  path.join(repository, 'node_modules/mocha/bin/mocha.js'),
  path.join(repository, 'dist/**/*.test.js'),
] as const
const [program, ...args] = process.argv.slice(2)
const ended = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ended.abort())

try {
  process.exitCode = await runOnCluster({
    env: process.env,
    command: program === undefined ? suite : [program, ...args],
    signal: ended.signal,
    say: (line) => process.stderr.write(`${line}\n`),
  })
} catch (error) {
  console.error(`sharded-cluster: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
