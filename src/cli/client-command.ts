import { writeFile } from 'node:fs/promises'
import { type Code, modelsOf } from '../describe/client-code/native/models.ts'
import { writeDart } from '../describe/client-code/native/write-dart.ts'
import { writeKotlin } from '../describe/client-code/native/write-kotlin.ts'
import { writeSwift } from '../describe/client-code/native/write-swift.ts'
import { type CodeFacts, writeTypeScript } from '../describe/client-code/write-typescript.ts'
import { type Command, type Report, textOption } from './command.ts'
import { grantsOf } from './openapi-command.ts'

function clientCommand(
  language: string,
  summary: string,
  write: (source: CodeFacts) => string,
): Command {
  return {
    usage: `client ${language} [--role <type>] [--out <file>]`,
    summary,
    options: { role: { type: 'string' }, out: { type: 'string' } },
    words: { min: 0, max: 0 },
    needs: 'database',
    run: async (context, _, options) => {
      const { schema, locales } = await context.api()
      const grants = await grantsOf(context, textOption(options, 'role'))
      return written(write({ schema, locales, grants }), textOption(options, 'out'))
    },
  }
}

function native(language: string, write: (code: Code) => string): Command {
  const name = `${language.charAt(0).toUpperCase()}${language.slice(1)}`
  const summary = `write models and named queries in ${name}: all, or those of a role`
  return clientCommand(language, summary, (source) => write(modelsOf(source)))
}

async function written(text: string, file: string | undefined): Promise<Report> {
  if (file === undefined) return { data: { text }, text }
  await writeFile(file, text)
  return { data: { file }, text: `Wrote ${file}.` }
}

export const CLIENT_COMMANDS: readonly Command[] = [
  clientCommand(
    'ts',
    'write TypeScript for @quire/client: of all content-types, or of those that a role may find',
    writeTypeScript,
  ),
  native('swift', writeSwift),
  native('kotlin', writeKotlin),
  native('dart', writeDart),
]
