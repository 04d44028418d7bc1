import { runApply } from './apply-command.ts'
import type { Command, CommandContext } from './command.ts'

const FOLDER = 'content'

export const SEED_COMMAND: Command = {
  usage: 'seed [folder] [--dry-run]',
  summary: `store the documents and files of the folder ${FOLDER}, as apply does; repeatable`,
  options: { 'dry-run': { type: 'boolean' } },
  words: { min: 0, max: 1 },
  needs: 'database',
  run: (context, words, options) => {
    const openImport: CommandContext['openImport'] = (given) =>
      context.openImport({ ...given, prepares: true })
    return runApply({ ...context, openImport }, words[0] ?? FOLDER, options)
  },
}
