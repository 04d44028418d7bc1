import { configureGlobal } from 'fast-check'
import { stopTestDeployment } from './test-database.ts'

// A run of CI can be repeated as it was; elsewhere every run looks somewhere else.
if (process.env['CI'] !== undefined) configureGlobal({ seed: 20261121 })

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopTestDeployment()
  },
}
