import type { Data } from '../schema/definition.ts'
import type { StoredRule } from '../people/rules/stored-rule.ts'
import { type OptionValues, textOption, UsageError } from './command.ts'
import { formatTable } from './table.ts'

export const RULE_OPTIONS = {
  where: { type: 'string' },
  fields: { type: 'string' },
  set: { type: 'string' },
} as const

/** The members of a rule. Null without any of the options. @throws UsageError */
export function ruleMembers(options: OptionValues): Omit<StoredRule, 'action'> | null {
  const where = jsonOption(options, 'where')
  const set = jsonOption(options, 'set')
  const fields = textOption(options, 'fields')
  const members = {
    ...(where !== null && { where }),
    ...(fields !== undefined && { fields: fields.split(',').map((name) => name.trim()) }),
    ...(set !== null && { set }),
  }
  return Object.keys(members).length === 0 ? null : members
}

export function formatRules(rules: readonly StoredRule[]): string {
  const rows = rules
    .toSorted((one, other) => (one.action < other.action ? -1 : 1))
    .map(({ action, where, fields, set }) => [
      action,
      where === undefined ? '' : JSON.stringify(where),
      fields === undefined ? '' : fields.join(','),
      set === undefined ? '' : JSON.stringify(set),
    ])
  return formatTable(['ACTION UNDER A RULE', 'WHERE', 'FIELDS', 'SET'], rows)
}

/** @throws UsageError unless the text is a JSON object */
export function jsonObject(text: string, name: string): Data {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Data
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${text}`, { cause: error })
  }
  throw new UsageError(`${name} must be a JSON object`)
}

function jsonOption(options: OptionValues, name: string): Data | null {
  const text = textOption(options, name)
  return text === undefined ? null : jsonObject(text, `--${name}`)
}
