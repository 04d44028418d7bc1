import type { Command } from '../command.ts'
import { formatTable } from '../table.ts'
import type { IndexAdvice } from './advise-indexes.ts'
import { type Examination, examine } from './examine.ts'
import { isBad } from './finding.ts'

/** In contrast to other commands it also works if parts cannot be opened. */
export const DOCTOR_COMMAND: Command = {
  usage: 'doctor',
  summary: 'check settings, database, indexes and storage',
  help: `  checks settings, content-types, database, indexes, storage and API tokens for errors and slow parts;
  the exit status is 1 if it finds any`,
  options: {},
  words: { min: 0, max: 0 },
  needs: 'nothing',
  run: async (installation) => {
    const data = await examine(installation)
    return { data, text: formatExamination(data), failed: data.findings.some(isBad) }
  },
}

function formatExamination({ findings, advice }: Examination): string {
  const rows = findings.map(({ check, level, what }) => [level, check, what])
  const bad = findings.filter(isBad).length
  return [
    formatTable(['LEVEL', 'CHECK', 'WHAT'], rows),
    ...(advice.length === 0 ? [] : ['', ...adviceLines(advice)]),
    '',
    bad === 0 ? 'No findings.' : `${bad} findings.`,
  ].join('\n')
}

function adviceLines(advice: readonly IndexAdvice[]): readonly string[] {
  const rows = advice.map((one) => [
    one.isUrgent ? 'warning' : 'note',
    one.contentType,
    `${one.attribute} (${one.use})`,
    String(one.count),
    one.totalMs.toFixed(0),
    one.slowestMs.toFixed(0),
    one.scanned === null ? '-' : `${one.scanned}/${one.returned ?? '-'}`,
  ])
  const headings = [
    'LEVEL',
    'CONTENT-TYPE',
    'ATTRIBUTE WITHOUT INDEX',
    'SEEN',
    'TOTAL MS',
    'SLOWEST',
    'SCANNED/RETURNED',
  ]
  const remedies = new Set(advice.filter(({ isUrgent }) => isUrgent).map(({ remedy }) => remedy))
  return [
    formatTable(headings, rows),
    ...(remedies.size === 0
      ? []
      : ['', 'Declare, and start again:', ...[...remedies].map((one) => `  ${one}`)]),
  ]
}
