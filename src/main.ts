import { createApp } from './server/app.ts'
import { refuseArguments } from './base/config/answer-arguments.ts'
import { withEnvFile } from './base/config/env-file.ts'
import { startDeployment } from './server/deployment/start-deployment.ts'
import { run } from './server/run.ts'

refuseArguments(`Usage: npm start

  Starts the server. The environment and a .env file configure it: docs/configuration.md.
  Commands for content, users and checks: npx quire --help.`)

// Libraries read `process.env` themselves: proxies, the AWS SDK and mongodb-memory-server.
const env = withEnvFile(process.env)
Object.assign(process.env, env)
await run({ env, startDeployment, createApp })
