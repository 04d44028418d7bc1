import type { PlannedType, SchemaPlan } from '../server/services/plan-schema.ts'
import type { Command } from './command.ts'

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
  summary: 'fail if a start with these content-types hides values',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ planSchema }) => {
    const planned = await planSchema()
    const isLossy = planned.retyped.some(hidesValues)
    return { data: planned, text: textOf(planned), failed: isLossy }
  },
}

export const SCHEMA_COMMANDS: readonly Command[] = [plan, check]

function hidesValues({ values }: PlannedType): boolean {
  return values === null || values.misfits > 0
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

function effectOf({ values }: PlannedType): string {
  if (values === null) return 'values in components are not counted'
  if (values.misfits === 0) return `all ${values.values} values fit`
  return `${values.misfits} of ${values.values} values do not fit and are hidden`
}
