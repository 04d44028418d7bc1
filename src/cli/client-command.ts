import { writeFile } from 'node:fs/promises'
import { writeTypeScript } from '../client-code/write-typescript.ts'
import { type Command, textOption } from './command.ts'
import { grantsOf } from './openapi-command.ts'

const ts: Command = {
  usage: 'client ts [--role <type>] [--out <file>]',
  summary:
    'write TypeScript for @quire/client: of all content-types, or of those that a role may find',
  options: { role: { type: 'string' }, out: { type: 'string' } },
  words: { min: 0, max: 0 },
  run: async (context, _, options) => {
    const { schema, locales } = await context.api()
    const grants = await grantsOf(context, textOption(options, 'role'))
    const text = writeTypeScript({ schema, locales, grants })
    const file = textOption(options, 'out')
    if (file === undefined) return { data: { text }, text }
    await writeFile(file, text)
    return { data: { file }, text: `Wrote ${file}.` }
  },
}

export const CLIENT_COMMANDS: readonly Command[] = [ts]
