// The server of `npm run dev`: types can be changed in the Studio. What starts it watches their folder.
import { createApp } from '../../src/server/app.ts'
import { withEnvFile } from '../../src/base/config/env-file.ts'
import { startDeployment } from '../../src/server/deployment/start-deployment.ts'
import { run } from '../../src/server/run.ts'

// Into the process as well, for what reads it by itself: proxies, the AWS SDK, mongodb-memory-server.
const env = withEnvFile(process.env)
Object.assign(process.env, env)
await run({
  env,
  startDeployment,
  createApp: (dependencies) => createApp({ ...dependencies, editableTypes: true }),
})
