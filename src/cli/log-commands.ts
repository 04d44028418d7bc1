import type { Command } from './command.ts'

const restart: Command = {
  usage: 'log restart',
  summary:
    'give the commit log a new identity after you restored a backup, so that all its readers start over',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ restartLog }) => {
    const { log, seq } = await restartLog()
    return {
      data: { log, seq },
      text: `The commit log has a new identity and continues after ${seq}. Apps that sync fetch everything again.`,
    }
  },
}

export const LOG_COMMANDS: readonly Command[] = [restart]
