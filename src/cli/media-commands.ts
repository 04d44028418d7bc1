import { checkMedia, type MediaReport } from '../media/check-media.ts'
import { addFiles, type FilesReport } from '../transfer/add-files.ts'
import { type Command, type Report, textOption, UsageError, wordAt } from './command.ts'
import { progressBar } from './progress-bar.ts'
import { formatTable } from './table.ts'

const DEFAULT_GRACE_MINUTES = 60

const check: Command = {
  usage: 'media check [--repair] [--grace <minutes>]',
  summary:
    'find records without a file, files without a record and remains of uploads that are older than 60 minutes',
  options: { repair: { type: 'boolean' }, grace: { type: 'string' } },
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ media }, _words, options) => {
    const graceMs = minutesOf(textOption(options, 'grace')) * 60_000
    const before = new Date(Date.now() - graceMs)
    return reportOf(await checkMedia(await media(), { repair: options['repair'] === true, before }))
  },
}

const add: Command = {
  usage: 'media add <media.ndjson> [--folder <folder>] [--files-from <origin>]',
  summary:
    'store the files listed in media.ndjson, from their URLs or from a folder; see docs/migrating-others.md',
  options: { folder: { type: 'string' }, 'files-from': { type: 'string' } },
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words, options) => {
    const { destination, maxFileBytes } = await context.openImport({ dryRun: false })
    if (destination === null) throw new Error('a run that is no dry run has a destination')
    const bar = progressBar(process.stderr)
    try {
      const data = await addFiles({
        path: wordAt(words, 0),
        folder: textOption(options, 'folder') ?? null,
        filesFrom: textOption(options, 'files-from') ?? null,
        files: destination.files,
        maxFileBytes,
        onProgress: bar.show,
      })
      return { data, text: filesText(data), failed: data.notTaken.length > 0 }
    } finally {
      bar.end()
    }
  },
}

export const MEDIA_COMMANDS: readonly Command[] = [check, add]

function filesText({ added, present, notTaken, missingFile }: FilesReport): string {
  return [
    `${added} files stored, ${present} existed already.`,
    ...(notTaken.length === 0 ? [] : ['Not stored:', ...notTaken.map((each) => `  - ${each}`)]),
    ...(missingFile === null
      ? []
      : [`They are listed in ${missingFile}: map again to go on without.`]),
  ].join('\n')
}

function minutesOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_GRACE_MINUTES
  if (!/^\d{1,6}$/.test(text)) throw new UsageError('--grace must be a whole number of minutes')
  return Number(text)
}

function reportOf(data: MediaReport): Report {
  const { faults, repaired, records, files, young, foreign, unchecked } = data
  const rows = faults.map(({ kind, what }) => [kind, what])
  const outcome = repaired ? 'repaired' : 'not repaired; --repair does it'
  const lines = [
    ...(rows.length === 0 ? [] : [formatTable(['FAULT', 'WHAT'], rows)]),
    `${records} records, ${files} files: ${rows.length === 0 ? 'no fault' : `${rows.length} faults, ${outcome}`}.`,
    ...(young === 0 ? [] : [`${young} are too young to be judged, see --grace.`]),
    ...(foreign === 0 ? [] : [`${foreign} records are of another storage, and were not judged.`]),
    ...unchecked.map((why) => `Not checked: ${why}.`),
  ]
  return { data, text: lines.join('\n'), failed: faults.length > 0 && !repaired }
}
