import { pino } from 'pino'
import { readConfig, type Environment } from '../../../../src/base/config/config.ts'
import type { Passwords } from '../../../../src/people/sign-in/passwords.ts'
import { createApp } from '../../../../src/server/app.ts'
import { serve } from '../../../../src/server/serve.ts'

export interface ServerOptions {
  readonly env: Environment
  readonly databaseUri: string
  readonly log: (line: string) => void
}

/** Hashes in no time and without threads. */
const PASSWORDS: Passwords = {
  hash: (password) => Promise.resolve(`hash of ${password}`),
  verify: (stored, password) => Promise.resolve(stored === `hash of ${password}`),
  isForeign: () => false,
}

/** A Quire server. Rejects if it cannot start, as `npm start` would end. */
export async function start({ env, databaseUri, log: write }: ServerOptions): Promise<void> {
  const config = readConfig(env)
  const log = pino({ level: config.logLevel, base: null, timestamp: false }, { write })
  const deployment = { uri: databaseUri }
  const app = await createApp({ config, deployment, log, passwords: PASSWORDS })
  await serve(app, config)
}
