import type { Command } from './command.ts'

const restart: Command = {
  usage: 'log restart',
  summary: 'after a backup was restored: whoever follows the commit log is to begin anew',
  options: {},
  words: { min: 0, max: 0 },
  run: async ({ restartLog }) => {
    const { log, seq } = await restartLog()
    return {
      data: { log, seq },
      text: `The commit log is another one now, and goes on after ${seq}. Apps that sync fetch everything once more.`,
    }
  },
}

export const LOG_COMMANDS: readonly Command[] = [restart]
