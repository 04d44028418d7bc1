import { groupBy } from '../../base/group-by.ts'
import type { Column, HolderLedger, Ledger } from '../../schema/ledger/ledger.ts'
import { isSameType } from '../../schema/ledger/type-of-attribute.ts'
import type { Schema, ShapePlan } from '../../schema/plan.ts'
import { isAdopted } from '../versions/adopted-expression.ts'
import type { AttributeConversion, Conversions } from '../versions/convert-row.ts'
import { converterFor } from '../versions/convert-value.ts'

/** The conversions that a start has entered into the ledger and that no process has finished. */
export function findPending(ledger: Ledger, { contentTypes, components }: Schema): Conversions {
  const types = [...contentTypes.values()].filter((plan) => !isAdopted(plan))
  const found = [
    ...types.flatMap((plan) => pendingIn(plan, ledger.holders[plan.uid])),
    ...[...components.values()].flatMap((plan) => pendingIn(plan, ledger.holders[plan.storedUid])),
  ]
  return groupBy(found, ({ uid }) => uid)
}

function pendingIn(
  plan: ShapePlan,
  holder: HolderLedger | undefined,
): readonly AttributeConversion[] {
  return (holder?.columns ?? []).flatMap(({ stored, isConverting, formerTypes = [] }) => {
    const attribute = plan.stored.get(stored)
    if (isConverting !== true || attribute === undefined) return []
    const convert = converterFor(attribute, formerTypes)
    return [{ uid: plan.uid, stored, convert, removes: attribute.convert === 'null' }]
  })
}

/** The ledger without these conversions. */
export function withoutPending(ledger: Ledger, { components }: Schema, done: Conversions): Ledger {
  const holders = { ...ledger.holders }
  for (const [uid, conversions] of done) {
    const stored = components.get(uid)?.storedUid ?? uid
    const before = holders[stored]
    if (before === undefined) continue
    const finished = new Set(conversions.map((one) => one.stored))
    const columns = before.columns.map((column) => {
      if (!finished.has(column.stored)) return column
      const { isConverting: _done, ...rest } = column
      return rest
    })
    holders[stored] = { ...before, columns }
  }
  return { ...ledger, version: ledger.version + 1, holders }
}

/** Whether all converted columns still have the types that were entered. */
export function areTypesOf(entered: Ledger, current: Ledger): boolean {
  return Object.entries(entered.holders).every(([uid, { columns }]) => {
    const now = new Map(current.holders[uid]?.columns.map((column) => [column.stored, column]))
    return columns.every((column) => {
      const other = now.get(column.stored)
      const isConverted = column.isConverting === true || other?.isConverting === true
      return !isConverted || (other !== undefined && isSameConversion(column, other))
    })
  })
}

/** Whether no release has converted or moved stored values after the ledger `entered`. */
export function storesSameValues(entered: Ledger, current: Ledger): boolean {
  const { compactions = 0 } = entered
  if (current.compacting !== undefined || (current.compactions ?? 0) !== compactions) return false
  return Object.entries(entered.holders).every(([uid, { columns }]) => {
    const now = new Map(current.holders[uid]?.columns.map((column) => [column.stored, column]))
    return columns.every(({ stored, convertedAt }) => now.get(stored)?.convertedAt === convertedAt)
  })
}

function isSameConversion(one: Column, other: Column): boolean {
  return one.convertedAt === other.convertedAt && isSameType(one, other)
}
