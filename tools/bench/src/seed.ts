import { withEnvFile } from '../../../src/base/config/env-file.ts'
import { readConfig } from '../../../src/base/config/config.ts'
import { createLog } from '../../../src/base/log.ts'
import { readSeedOptions, runSeed, SEED_USAGE } from './sample/run-seed.ts'

const INTERRUPTED = 130

const options = readSeedOptions(process.argv.slice(2))
if (options instanceof Error) {
  process.stderr.write(`${options.message}\n\n${SEED_USAGE}\n`)
  process.exit(2)
}

if (options.help) {
  process.stdout.write(`${SEED_USAGE}\n`)
  process.exit(0)
}

// Also for libraries that read process.env, such as mongodb-memory-server.
const env = withEnvFile(process.env)
Object.assign(process.env, env)

const ended = new AbortController()
process.on('SIGINT', () => {
  if (ended.signal.aborted) process.exit(INTERRUPTED)
  ended.abort()
})

try {
  const config = readConfig(env)
  const log = createLog({ ...config, logLevel: options.quiet ? 'error' : 'warn' })
  const complete = await runSeed(options, { config, log, signal: ended.signal })
  process.exitCode = complete ? 0 : INTERRUPTED
} catch (error) {
  process.stderr.write(`seed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
