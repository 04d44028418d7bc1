import { startEmbedded } from '../embedded/start-embedded.ts'
import { chooseDeployment } from './choose-deployment.ts'
import type { DeploymentConfig } from './choose-deployment.ts'
import type { Deployment, DeploymentLog } from './deployment.ts'

/**
 * Starts the database that `MONGODB_URI` and `QUIRE_DATABASE` ask for, or the first that can be had.
 * @throws ConfigError when what is asked for cannot be had.
 */
export async function startDeployment(
  config: DeploymentConfig,
  log: DeploymentLog,
): Promise<Deployment> {
  return chooseDeployment(config, log, {
    startEmbedded,
    // Loaded when it is needed: a tenth of a second that a server with a MONGODB_URI does not spend.
    async startMongod(directory) {
      const { startMongod } = await import('./start-mongod.ts')
      return startMongod({ directory, env: process.env, log })
    },
  })
}
