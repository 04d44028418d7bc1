import { stopTestDeployment } from './test-database.ts'

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopTestDeployment()
  },
}
