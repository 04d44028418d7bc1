import { buildConfiguration } from '../../extensions/configuration/build-configuration.ts'
import type { Command } from '../command.ts'

export const BUILD_COMMAND: Command = {
  usage: 'build',
  summary: 'bundle quire.config.ts for production',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'nothing',
  run: async () => {
    const { file } = await buildConfiguration(process.cwd())
    const text = file === null ? 'There is no quire.config.ts to build.' : `Wrote ${file}.`
    return { data: { file }, text }
  },
}
