import { isDeepStrictEqual } from 'node:util'
import { ConfigError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { CompactedHolder } from '../../mongo/conversions/compaction-row.ts'
import { API_TOKENS } from '../../people/access/api-token-rows.ts'
import { ROLES } from '../../people/access/role-rows.ts'
import { ADMINISTRATOR_ROLES } from '../../people/administrators/rows.ts'
import { assertRulesFit } from '../../people/rules/held-rules.ts'
import { fromRuleRow, typeOfAction } from '../../people/rules/rename-rule.ts'
import type { StoredRuleRow } from '../../people/rules/stored-rule.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { ComputedByType } from '../../schema/definition.ts'
import type { Schema } from '../../schema/plan.ts'
import type { EnteredDefinitions } from '../../schema/ledger/enter-definitions.ts'
import type { Moves } from '../../schema/ledger/compact-names.ts'
import { passTables } from './move-members.ts'
import { moveRule } from './move-rule.ts'

/** The schema that a start compiles after the moves. */
export function movedSchema(
  schema: Schema,
  { definitions, storedNames }: Pick<EnteredDefinitions, 'definitions' | 'storedNames'>,
  moves: Moves,
  computed: ComputedByType,
): Schema {
  const moved = [...storedNames].map(([uid, names]) => {
    const own = moves.get(schema.components.get(uid)?.storedUid ?? uid)
    const entries = [...names].map(([name, one]) => {
      return [name, { ...one, stored: own?.get(one.stored) ?? one.stored }] as const
    })
    return [uid, new Map(entries)] as const
  })
  return compileSchema(definitions, new Map(moved), computed)
}

/** Checks before the first change that each stored rule will mean the same. @throws ConfigError, SchemaError */
export async function assertMovedRules(
  database: Database,
  holders: readonly CompactedHolder[],
  { before, after }: { readonly before: Schema; readonly after: Schema },
): Promise<void> {
  const tables = passTables(holders)
  for (const collection of [ROLES, API_TOKENS, ADMINISTRATOR_ROLES]) {
    const rows = await database
      .table<RuledRow>(collection)
      .find({ rules: { $exists: true } })
      .toArray()
    for (const { _id, rules } of rows) {
      const source = `${collection} ${String(_id)}`
      const known = rules.filter(({ action }) => before.contentTypes.has(typeOfAction(action)))
      const moved = known.map((rule) => tables.reduce((one, table) => moveRule(table, one), rule))
      const shown = moved.map((rule) => fromRuleRow(after, rule))
      assertRulesFit(after, [{ source, rules: shown }])
      if (
        isDeepStrictEqual(
          shown,
          known.map((rule) => fromRuleRow(before, rule)),
        )
      )
        continue
      throw new ConfigError([
        `The rules of ${source} would have another meaning after the move. Store them again first.`,
      ])
    }
  }
}

interface RuledRow {
  readonly _id: unknown
  readonly rules: readonly StoredRuleRow[]
}
