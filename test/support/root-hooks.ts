import { configureGlobal } from 'fast-check'
import { stopTestDeployment } from './test-database.ts'

// CI runs are reproducible. All other runs use random seeds.
if (process.env['CI'] !== undefined) configureGlobal({ seed: 20261121 })

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopTestDeployment()
  },
}
