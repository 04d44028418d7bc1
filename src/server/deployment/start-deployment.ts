import { checkDataFolder } from './check-data-folder.ts'
import { chooseDeployment } from './choose-deployment.ts'
import type { DeploymentConfig } from './choose-deployment.ts'
import { ConfigError } from '../../base/errors.ts'
import type { Deployment, DeploymentLog } from './deployment.ts'

/**
 * Starts the database that `MONGODB_URI` and `QUIRE_DATABASE` ask for, or the first that can be had.
 * @throws ConfigError when what is asked for cannot be had.
 */
export async function startDeployment(
  config: DeploymentConfig,
  log: DeploymentLog,
): Promise<Deployment> {
  await checkDataFolder(config.dataDir)
  return chooseDeployment(config, log, {
    // Loaded when they are needed: time and memory that a server with a MONGODB_URI does not spend.
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
