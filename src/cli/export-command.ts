import { basename } from 'node:path'
import { loadDefinitions } from '../schema/load.ts'
import { exportArchive, type ExportReport } from '../transfer/export/export-archive.ts'
import { ACCESS_FILE } from '../transfer/apply/source-files.ts'
import { writeAccessFile } from './access-files.ts'
import {
  type Command,
  type CommandContext,
  type Report,
  textOption,
  UsageError,
  wordAt,
} from './command.ts'
import { progressBar } from './progress-bar.ts'
import { formatTable } from './table.ts'

export const EXPORT_COMMAND: Command = {
  usage: 'export <file> [--key <key>]',
  summary:
    'write content, files, end users, roles and settings to an archive (.tar, .tar.gz; with --key .enc); or roles to access.json; see docs/export.md',
  options: { key: { type: 'string' } },
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words, options) => {
    const path = wordAt(words, 0)
    const key = textOption(options, 'key') ?? null
    if (basename(path) === ACCESS_FILE) return exportAccess(context, path)
    assertName(path, key)
    const opened = await context.openImport({ dryRun: false })
    const { schema, locales, documents, destination, contentTypesDir } = opened
    if (destination === null) throw new Error('a run that is no dry run has a destination')
    const bar = progressBar(process.stderr)
    try {
      const data = await exportArchive({
        target: { path, key },
        documents,
        schema,
        declarations: await loadDefinitions(contentTypesDir),
        locales: await locales(),
        access: await context.access(),
        storage: destination.storage,
        spoolFolder: destination.spoolFolder,
        onProgress: bar.show,
      })
      return { data, text: formatExportReport(path, data), failed: !data.isConsistent }
    } finally {
      bar.end()
    }
  },
}

async function exportAccess(context: CommandContext, path: string): Promise<Report> {
  const data = await writeAccessFile(context, path)
  const { roles, administratorRoles, apiTokens } = data
  const counts = `${roles} roles, ${administratorRoles} roles of administrators, ${apiTokens} API tokens`
  return { data, text: `Written to ${path}: ${counts}.` }
}

/** The file name must match the format, because an encrypted archive does not reveal it. */
function assertName(path: string, key: string | null): void {
  const expected = key === null ? /\.tar(?:\.gz)?$/ : /\.tar(?:\.gz)?\.enc$/
  if (expected.test(path)) return
  const names = key === null ? 'backup.tar or backup.tar.gz' : 'backup.tar.enc or backup.tar.gz.enc'
  throw new UsageError(`export: expected a name such as ${names}`)
}

function formatExportReport(
  path: string,
  { types, files, links, isConsistent, missing }: ExportReport,
): string {
  const rows = Object.entries(types).map(([uid, versions]) => [uid, `${versions}`])
  return [
    formatTable(['CONTENT', 'VERSIONS'], [...rows, ['files', `${files}`], ['links', `${links}`]]),
    '',
    ...missing.map((name) => `  - ${name}: its bytes are not stored`),
    isConsistent
      ? `Written to ${path}, as of one moment.`
      : `Written to ${path}, but not as of one moment: writes never paused. Try again under less load.`,
  ].join('\n')
}
