import { type Command, UsageError } from './command.ts'

/** The entry `quire.ts` runs these before it loads any command. Here they have their help. */
export const SERVER_COMMANDS: readonly Command[] = [
  serverCommand('dev', 'start the server of this folder, and restart it after each change'),
  serverCommand('start', 'start the server of this folder with the built quire.config.ts'),
]

function serverCommand(usage: string, summary: string): Command {
  return {
    usage,
    summary,
    options: {},
    words: { min: 0, max: 0 },
    needs: 'nothing',
    run: () => Promise.reject(new UsageError(`quire ${usage} takes no options`)),
  }
}
