import { parseArgs } from 'node:util'
import type { CliOutput } from '../run-cli.ts'
import { formatTable } from '../table.ts'
import type { IndexAdvice } from './advise-indexes.ts'
import { type Examination, examine, type Installation } from './examine.ts'
import { isBad } from './finding.ts'

const USAGE = 'Usage: quire doctor [--json]'
const HELP = `quire doctor [--json]

  checks settings, content-types, database, indexes, storage and API tokens for errors and slow parts;
  the exit status is 1 if it finds any`

/**
 * Runs `quire doctor` and returns the exit status: 0, 1 with findings, 2 for an invalid command line. In contrast to
 * other commands it also works if parts cannot be opened.
 */
export async function runDoctor(
  words: readonly string[],
  installation: Installation,
  output: CliOutput,
): Promise<number> {
  const options = readWords(words)
  if (options === null) {
    output.error(USAGE)
    return 2
  }
  if (options.help) {
    output.out(HELP)
    return 0
  }
  const examination = await examine(installation)
  output.out(options.json ? JSON.stringify(examination, null, 2) : formatExamination(examination))
  return examination.findings.some(isBad) ? 1 : 0
}

function readWords(
  words: readonly string[],
): { readonly json: boolean; readonly help: boolean } | null {
  try {
    const { json = false, help = false } = parseArgs({ args: [...words], options: OPTIONS }).values
    return { json, help }
  } catch {
    return null
  }
}

const OPTIONS = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

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
