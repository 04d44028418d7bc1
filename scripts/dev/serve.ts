// The server of `npm run dev`, with editable content-types. The starting process watches their
// folder.
import { createApp } from '../../src/server/app.ts'
import { withEnvFile } from '../../src/base/config/env-file.ts'
import { startDeployment } from '../../src/server/deployment/start-deployment.ts'
import { run } from '../../src/server/run.ts'

// Also for libraries that read process.env: proxies, the AWS SDK, mongodb-memory-server.
const env = withEnvFile(process.env)
Object.assign(process.env, env)
await run({
  env,
  startDeployment,
  createApp: (dependencies) => createApp({ ...dependencies, editableTypes: true }),
})
