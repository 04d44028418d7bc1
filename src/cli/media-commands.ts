import { checkMedia, type MediaReport } from '../media/check-media.ts'
import { type Command, type Report, textOption, UsageError } from './command.ts'
import { formatTable } from './table.ts'

const DEFAULT_GRACE_MINUTES = 60

const check: Command = {
  usage: 'media check [--repair] [--grace <minutes>]',
  summary:
    'find records without a file, files without a record and leftovers of uploads; what is younger than 60 minutes may be on its way and is left alone',
  options: { repair: { type: 'boolean' }, grace: { type: 'string' } },
  words: { min: 0, max: 0 },
  run: async ({ media }, _words, options) => {
    const graceMs = minutesOf(textOption(options, 'grace')) * 60_000
    const before = new Date(Date.now() - graceMs)
    return reportOf(await checkMedia(await media(), { repair: options['repair'] === true, before }))
  },
}

export const MEDIA_COMMANDS: readonly Command[] = [check]

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
