import { importFromSource, type SourceReport } from '../transfer/import/import-from-source.ts'
import { openSource } from '../transfer/import/source.ts'
import { type Command, textOption, wordAt } from './command.ts'
import { type ArchiveReport, importArchive } from '../transfer/import-archive.ts'
import { importLayouts, type LayoutReport } from '../transfer/import-layouts.ts'
import { progressBar } from './progress-bar.ts'
import { formatTable } from './table.ts'

const fromUrl: Command = {
  usage: 'import url <url> [--token <token>] [--files-from <origin>] [--dry-run]',
  summary: 'import the content of a running server of the same dialect; see docs/migrating.md',
  options: {
    token: { type: 'string' },
    'files-from': { type: 'string' },
    'dry-run': { type: 'boolean' },
  },
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words, options) => {
    const dryRun = options['dry-run'] === true
    const {
      maxFileBytes,
      documents: _reads,
      contentTypesDir: _types,
      ...into
    } = await context.openImport({ dryRun })
    const source = openSource(wordAt(words, 0), {
      token: textOption(options, 'token') ?? null,
      filesFrom: textOption(options, 'files-from'),
      maxFileBytes,
    })
    const bar = progressBar(process.stderr)
    try {
      const watched = process.stderr.isTTY ? { onProgress: bar.show } : {}
      const data = await importFromSource({ source, ...into, ...watched })
      return { data, text: formatSourceReport(data, dryRun) }
    } finally {
      bar.end()
    }
  },
}

const fromArchive: Command = {
  usage: 'import archive <file> [--key <key>] [--into-existing] [--hooks] [--dry-run]',
  summary: 'import an archive of `strapi export`, users and files included; see docs/migrating.md',
  options: {
    key: { type: 'string' },
    'into-existing': { type: 'boolean' },
    hooks: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words, options) => {
    const dryRun = options['dry-run'] === true
    const { schema, locales, destination } = await context.openImport({ dryRun })
    const bar = progressBar(process.stderr)
    try {
      const data = await importArchive({
        file: { path: wordAt(words, 0), key: textOption(options, 'key') ?? null },
        schema,
        locales,
        destination: destination && { ...destination, access: await context.access() },
        intoExisting: options['into-existing'] === true,
        runHooks: options['hooks'] === true,
        onProgress: bar.show,
      })
      return { data, text: archiveText(data, dryRun) }
    } finally {
      bar.end()
    }
  },
}

const layouts: Command = {
  usage: 'import layouts <file> [--key <key>] [--dry-run]',
  summary: 'write the labels and forms of an archive into the content-types; see docs/migrating.md',
  options: {
    key: { type: 'string' },
    'dry-run': { type: 'boolean' },
  },
  words: { min: 1, max: 1 },
  needs: 'nothing',
  run: async (installation, words, options) => {
    const { contentTypesDir } = await installation.readConfig()
    const dryRun = options['dry-run'] === true
    const file = { path: wordAt(words, 0), key: textOption(options, 'key') ?? null }
    const data = await importLayouts({ file, contentTypesDir, dryRun })
    return { data, text: layoutsText(data, dryRun) }
  },
}

export const IMPORT_COMMANDS: readonly Command[] = [fromUrl, fromArchive, layouts]

function layoutsText({ changed, notTaken }: LayoutReport, dryRun: boolean): string {
  return [
    changed.length === 0 ? 'No file changes.' : `${dryRun ? 'To be changed' : 'Changed'}:`,
    ...changed.map((uid) => `  - ${uid}`),
    ...(notTaken.length === 0 ? [] : ['Not taken:']),
    ...notTaken.map((sentence) => `  - ${sentence}`),
  ].join('\n')
}

function archiveText(report: ArchiveReport, dryRun: boolean): string {
  const { version, parts, types, files, users, notTaken } = report
  const rows = [
    ...Object.entries(types).map(([uid, { versions, added }]) => [uid, `${versions}`, `${added}`]),
    ['files', `${files.records}`, `${files.records}`],
    ['users', `${users}`, `${users}`],
  ]
  return [
    `Archive of version ${version ?? 'unknown'}, with ${parts.join(', ')}`,
    '',
    formatTable(['CONTENT', 'VERSIONS READ', 'DOCUMENTS ADDED'], rows),
    '',
    ...(dryRun ? ['A dry run: nothing was stored.'] : []),
    ...(notTaken.length === 0 ? ['Everything was taken.'] : ['Not taken:']),
    ...notTaken.map((sentence) => `  - ${sentence}`),
  ].join('\n')
}

function formatSourceReport({ types, files, notTaken }: SourceReport, dryRun: boolean): string {
  const rows = [
    ...Object.entries(types).map(([uid, { versions, added }]) => [uid, `${versions}`, `${added}`]),
    ['files', `${files.read}`, `${files.added}`],
  ]
  const left = notTaken.map((sentence) => `  - ${sentence}`)
  return [
    formatTable(['CONTENT', 'VERSIONS READ', 'DOCUMENTS ADDED'], rows),
    '',
    ...(dryRun ? ['A dry run: nothing was stored.'] : []),
    'Not taken:',
    ...left,
  ].join('\n')
}
