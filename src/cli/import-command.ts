import { importFromSource, type SourceReport } from '../documents/import/import-from-source.ts'
import { openSource } from '../documents/import/source.ts'
import { type Command, textOption, wordAt } from './command.ts'
import { formatTable } from './table.ts'

const fromUrl: Command = {
  usage: 'import url <url> [--token <token>] [--dry-run]',
  summary: 'bring the content of a running server of the same dialect here; see docs/migrating.md',
  options: { token: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  words: { min: 1, max: 1 },
  run: async (context, words, options) => {
    const source = openSource(wordAt(words, 0), textOption(options, 'token') ?? null)
    const dryRun = options['dry-run'] === true
    const data = await importFromSource({ source, ...(await context.openImport({ dryRun })) })
    return { data, text: textOf(data, dryRun) }
  },
}

export const IMPORT_COMMANDS: readonly Command[] = [fromUrl]

function textOf({ types, files, notTaken }: SourceReport, dryRun: boolean): string {
  const rows = [
    ...Object.entries(types).map(([uid, { versions, added }]) => [uid, `${versions}`, `${added}`]),
    ['files', `${files.read}`, `${files.added}`],
  ]
  const left = notTaken.map((sentence) => `  - ${sentence}`)
  return [
    formatTable(['CONTENT', 'READ', 'ADDED'], rows),
    '',
    ...(dryRun ? ['A dry run: nothing was stored.'] : []),
    'Not taken:',
    ...left,
  ].join('\n')
}
