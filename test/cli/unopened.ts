import type { CliParts } from '../../src/cli/run-cli.ts'

/** Fails if a command opens the settings or the database. */
export const UNOPENED: CliParts = {
  installation: {
    readConfig: () => {
      throw new Error('opened')
    },
    startDeployment: () => Promise.reject(new Error('opened')),
    readExtensions: () => Promise.reject(new Error('opened')),
  },
  openContext: () => Promise.reject(new Error('opened')),
}
