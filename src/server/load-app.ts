import { once } from '../base/once.ts'
import { startDeployment } from './deployment/start-deployment.ts'
import type { App, AppOptions } from './app.ts'

/**
 * The modules of the application load while the database starts, because the embedded engine starts in a thread of its
 * own.
 */
export function loadAppWithDatabase(): {
  readonly startDeployment: typeof startDeployment
  readonly createApp: (options: AppOptions) => Promise<App>
} {
  const load = once(() => import('./app.ts'))
  return {
    startDeployment: (config, log) => {
      const starting = startDeployment(config, log)
      void load()
      return starting
    },
    createApp: async (options) => {
      const { createApp } = await load()
      return createApp(options)
    },
  }
}
