// The server of `quire dev`. Its parent process watches the files of the project.
import { withEnvFile } from '../../base/config/env-file.ts'
import { loadConfiguration } from '../../extensions/configuration/load-configuration.ts'
import { loadAppWithDatabase } from '../../server/load-app.ts'
import { runServer } from '../../server/run-server.ts'
import { keepTypes } from './keep-types.ts'
import type { ServedFolders } from './keep-server.ts'

// Also for libraries that read process.env: proxies, the AWS SDK, mongodb-memory-server.
const env = withEnvFile(process.env)
Object.assign(process.env, env)
// The starting process was killed.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
const { startDeployment, createApp } = loadAppWithDatabase()
await runServer({
  env,
  configure: () => loadConfiguration(process.cwd(), { compile: true }),
  startDeployment: (config, log) => {
    const { dataDir, contentTypesDir } = config
    process.send?.({ dataDir, contentTypesDir } satisfies ServedFolders)
    return startDeployment(config, log)
  },
  createApp: async (dependencies) => {
    await keepTypes(dependencies.config.contentTypesDir, 'quire-types.d.ts')
    return createApp({ ...dependencies, editableTypes: true })
  },
})
