import { isRecord } from '../../base/is-record.ts'
import type { Uid } from '../../schema/definition.ts'
import { USER_TYPE } from '../../people/rules/operands.ts'
import { typeOfAction } from '../../people/rules/rename-rule.ts'
import type { StoredRuleRow } from '../../people/rules/stored-rule.ts'
import { holderOfMember, moveName, type PassTable } from './move-members.ts'

/** Renames the attributes in a rule, its conditions and operands. Returns the row itself if all names stay. */
export function moveRule(table: PassTable, row: StoredRuleRow): StoredRuleRow {
  const uid = typeOfAction(row.action)
  const { where, fields, set } = row
  const moved = {
    ...row,
    ...(where !== undefined && { where: inText(where, (one) => moveWhere(table, uid, one)) }),
    ...(fields !== undefined && { fields: fields.map((name) => moveName(table, uid, name)) }),
    ...(set !== undefined && { set: inText(set, (one) => moveSet(table, uid, one)) }),
  }
  return JSON.stringify(moved) === JSON.stringify(row) ? row : moved
}

function inText(text: string, change: (value: unknown) => unknown): string {
  return JSON.stringify(change(JSON.parse(text)))
}

function moveWhere(table: PassTable, uid: Uid | null, where: unknown): unknown {
  if (Array.isArray(where)) return where.map((one) => moveWhere(table, uid, one))
  if (!isRecord(where)) return moveOperand(table, where)
  const entries = Object.entries(where).map(([name, value]) => {
    if (name.startsWith('$') || uid === null) return [name, moveWhere(table, uid, value)]
    return [moveName(table, uid, name), moveWhere(table, holderOfMember(table, uid, name), value)]
  })
  return Object.fromEntries(entries) as unknown
}

function moveSet(table: PassTable, uid: Uid, set: unknown): unknown {
  if (!isRecord(set)) return set
  const entries = Object.entries(set).map(([name, value]) => {
    return [moveName(table, uid, name), moveOperand(table, value)]
  })
  return Object.fromEntries(entries) as unknown
}

function moveOperand(table: PassTable, value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('$user.')) return value
  let holder: Uid | null = USER_TYPE
  const names: string[] = []
  for (const name of value.split('.').slice(1)) {
    names.push(holder === null ? name : moveName(table, holder, name))
    holder = holder === null ? null : holderOfMember(table, holder, name)
  }
  return ['$user', ...names].join('.')
}
