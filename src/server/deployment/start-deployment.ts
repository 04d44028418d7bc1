import { checkDataFolder } from './check-data-folder.ts'
import { chooseDeployment } from './choose-deployment.ts'
import type { DeploymentConfig } from './choose-deployment.ts'
import { ConfigError } from '../../base/errors.ts'
import type { Deployment, DeploymentLog } from './deployment.ts'

export async function startDeployment(
  config: DeploymentConfig,
  log: DeploymentLog,
): Promise<Deployment> {
  await checkDataFolder(config.dataDir)
  return chooseDeployment(config, log, {
    // Loaded on demand, because a server with `MONGODB_URI` needs neither.
    async startEmbedded(options) {
      const { FolderError, startEmbedded } = await import('@quire/engine')
      return startEmbedded(options).catch((error: unknown) => {
        if (!(error instanceof FolderError)) throw error
        throw new ConfigError([`QUIRE_DATA_DIR: ${error.message}`])
      })
    },
    async startMongod(directory) {
      const { startMongod } = await import('./start-mongod.ts')
      return startMongod({ directory, env: process.env, log })
    },
  })
}
