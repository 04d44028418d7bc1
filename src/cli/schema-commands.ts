import type { PlannedType, SchemaPlan } from '../server/services/plan-schema.ts'
import type { Compaction } from '../server/compaction/compact-schema.ts'
import type { Command } from './command.ts'
import { formatTable } from './table.ts'

const plan: Command = {
  usage: 'schema plan',
  summary: 'list the changes that a start with these content-types makes',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ planSchema }) => {
    const planned = await planSchema()
    return { data: planned, text: textOf(planned) }
  },
}

const check: Command = {
  usage: 'schema check',
  summary: 'fail if a start refuses these content-types because values would be lost',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ planSchema }) => {
    const planned = await planSchema()
    const isLossy = planned.retyped.some(({ refused }) => refused)
    return { data: planned, text: textOf(planned), failed: isLossy }
  },
}

const compact: Command = {
  usage: 'schema compact [--dry-run]',
  summary: 'move all values of renamed attributes to their names in the database',
  help: 'Stop all servers first. If the command is interrupted, repeat it, or start a server, which finishes the work. --dry-run counts the rows and changes nothing.',
  options: { 'dry-run': { type: 'boolean' } },
  words: { min: 0, max: 0 },
  needs: 'database',
  continues: 'compaction',
  run: async ({ compactSchema }, _words, options) => {
    const isPlan = options['dry-run'] === true
    const data = await compactSchema({ isPlan })
    return { data, text: textOfCompaction(data, isPlan) }
  },
}

export const SCHEMA_COMMANDS: readonly Command[] = [plan, check, compact]

function textOfCompaction({ moved, rows }: Compaction, isPlan: boolean): string {
  if (moved.length === 0) return 'All attributes have their names in the database.'
  const names = moved.map(({ uid, from, to }) => [uid, from, to])
  const counts = Object.entries(rows).map(([collection, count]) => [collection, String(count)])
  const [first, second] = isPlan
    ? ['A compaction moves these values', 'It changes']
    : ['Moved these values', 'Changed']
  return [
    `${first}:`,
    formatTable(['TYPE', 'FROM', 'TO'], names),
    ...(counts.length === 0
      ? [`${second} no rows.`]
      : [`${second} these rows:`, formatTable(['COLLECTION', 'ROWS'], counts)]),
  ].join('\n')
}

function textOf({ renamedHolders, renamed, moved, retyped, built, dropped }: SchemaPlan): string {
  const lines = [
    ...renamedHolders.map(({ from, to }) => `rename  ${from} becomes ${to}`),
    ...renamed.map(({ uid, from, to }) => `rename  ${uid}: ${from} becomes ${to}`),
    ...moved.map(({ uid, name, stored }) => `add     ${uid}: ${name}, stored as ${stored}`),
    ...retyped.map(
      (one) => `retype  ${one.uid}: ${one.name}, ${one.from} to ${one.to}; ${effectOf(one)}`,
    ),
    ...built.map((index) => `build   index ${index}`),
    ...dropped.map((index) => `drop    index ${index}`),
  ]
  return lines.length === 0 ? 'A start changes nothing.' : lines.join('\n')
}

function effectOf({ values, rewritten, lost, unzoned, refused, conversion, stored }: PlannedType) {
  if (unzoned > 0) return `refused, ${unzoned} of ${values} values need a time zone in "convert"`
  if (refused) return `refused, ${lost} of ${values} values do not fit`
  const losses =
    conversion === 'none' ? `do not fit and stay stored as ${stored}` : 'do not fit and are removed'
  const effects = [
    ...(rewritten > 0 ? [`${rewritten} of ${values} values are rewritten`] : []),
    ...(lost > 0 ? [`${lost} of ${values} values ${losses}`] : []),
  ]
  return effects.length === 0 ? `all ${values} values fit` : effects.join(', ')
}
