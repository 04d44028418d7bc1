import { createApp } from './app.ts'
import { refuseArguments } from './config/answer-arguments.ts'
import { withEnvFile } from './config/env-file.ts'
import { startDeployment } from './deployment/start-deployment.ts'
import { run } from './run.ts'

refuseArguments(`Usage: npm start

  Starts the server. The environment and a .env file configure it: docs/configuration.md.
  Commands for content, users and checks: npx quire --help.`)

// Into the process as well, for what reads it by itself: proxies, the AWS SDK, mongodb-memory-server.
const env = withEnvFile(process.env)
Object.assign(process.env, env)
await run({ env, startDeployment, createApp })
