import { writeFile } from 'node:fs/promises'
import type { Code } from '@quire/native-clients/code'
import { modelsOf } from '../describe/client-code/native-models.ts'
import { writeDart } from '@quire/native-clients/write-dart'
import { writeKotlin } from '@quire/native-clients/write-kotlin'
import { writeSwift } from '@quire/native-clients/write-swift'
import { type CodeFacts, writeTypeScript } from '../describe/client-code/write-typescript.ts'
import { type Command, type Report, textOption, UsageError } from './command.ts'
import { grantsOf } from './openapi-command.ts'

function clientCommand(
  language: string,
  summary: string,
  write: (source: CodeFacts, packageName?: string) => string,
  hasPackage = false,
): Command {
  return {
    usage: `client ${language} [--role <type>]${hasPackage ? ' [--package <name>]' : ''} [--out <file>]`,
    summary,
    options: {
      role: { type: 'string' },
      out: { type: 'string' },
      ...(hasPackage && { package: { type: 'string' } as const }),
    },
    words: { min: 0, max: 0 },
    needs: 'database',
    run: async (context, _, options) => {
      const { schema, locales } = await context.api()
      const grants = await grantsOf(context, textOption(options, 'role'))
      const text = write({ schema, locales, grants }, packageNameOf(textOption(options, 'package')))
      return written(text, textOption(options, 'out'))
    },
  }
}

/** @throws UsageError if it is no package name */
function packageNameOf(name: string | undefined): string | undefined {
  if (name === undefined || /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(name)) return name
  throw new UsageError(`--package: ${name} is no package name, such as com.example.content`)
}

function native(
  language: string,
  write: (code: Code, packageName?: string) => string,
  hasPackage = false,
): Command {
  const name = `${language.charAt(0).toUpperCase()}${language.slice(1)}`
  const summary = `write models and named queries in ${name}: all, or those of a role`
  const writeModels = (source: CodeFacts, packageName?: string): string =>
    write(modelsOf(source), packageName)
  return clientCommand(language, summary, writeModels, hasPackage)
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
  native('kotlin', writeKotlin, true),
  native('dart', writeDart),
]
