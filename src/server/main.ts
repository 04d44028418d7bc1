import { refuseArguments } from '../base/config/answer-arguments.ts'
import { withEnvFile } from '../base/config/env-file.ts'
import { loadConfiguration } from '../extensions/configuration/load-configuration.ts'
import { loadAppWithDatabase } from './load-app.ts'
import { runServer } from './run-server.ts'

refuseArguments(`Usage: quire start

  Starts the server. The environment, a .env file and quire.config.ts configure it: docs/configuration.md.
  Commands for content, users and checks: npx quire --help.`)

// Libraries read `process.env` themselves: proxies, the AWS SDK and mongodb-memory-server.
const env = withEnvFile(process.env)
Object.assign(process.env, env)
await runServer({
  env,
  configure: () => loadConfiguration(process.cwd(), { compile: false }),
  ...loadAppWithDatabase(),
})
