import { createApp } from './app.ts'
import { withEnvFile } from './config/env-file.ts'
import { startDeployment } from './deployment/start-deployment.ts'
import { run } from './run.ts'

// Into the process as well, for what reads it by itself: proxies, the AWS SDK, mongodb-memory-server.
const env = withEnvFile(process.env)
Object.assign(process.env, env)
await run({ env, startDeployment, createApp })
