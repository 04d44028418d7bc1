import { writeFile } from 'node:fs/promises'
import { type Code, modelsOf } from '../describe/client-code/native/models.ts'
import { writeDart } from '../describe/client-code/native/write-dart.ts'
import { writeKotlin } from '../describe/client-code/native/write-kotlin.ts'
import { writeSwift } from '../describe/client-code/native/write-swift.ts'
import { writeTypeScript } from '../describe/client-code/write-typescript.ts'
import { type Command, type Report, textOption } from './command.ts'
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
    return written(text, textOption(options, 'out'))
  },
}

function native(language: string, write: (code: Code) => string): Command {
  return {
    usage: `client ${language} [--role <type>] [--out <file>]`,
    summary: `write models and named queries in ${language.charAt(0).toUpperCase()}${language.slice(1)}: all, or those of a role`,
    options: { role: { type: 'string' }, out: { type: 'string' } },
    words: { min: 0, max: 0 },
    run: async (context, _, options) => {
      const { schema, locales } = await context.api()
      const grants = await grantsOf(context, textOption(options, 'role'))
      const text = write(modelsOf({ schema, locales, grants }))
      return written(text, textOption(options, 'out'))
    },
  }
}

async function written(text: string, file: string | undefined): Promise<Report> {
  if (file === undefined) return { data: { text }, text }
  await writeFile(file, text)
  return { data: { file }, text: `Wrote ${file}.` }
}

export const CLIENT_COMMANDS: readonly Command[] = [
  ts,
  native('swift', writeSwift),
  native('kotlin', writeKotlin),
  native('dart', writeDart),
]
