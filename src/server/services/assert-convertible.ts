import type { Database } from '../../mongo/connection/database.ts'
import {
  judgeConversions,
  type JudgedAttribute,
} from '../../mongo/conversions/judge-conversions.ts'
import { declarationFault } from '../../schema/check/declaration-fault.ts'
import { locate } from '../../schema/check/located-fault.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Definitions } from '../../schema/definition.ts'
import type { EnteredDefinitions, RetypedAttribute } from '../../schema/ledger/enter-definitions.ts'
import { membersOf } from '../../schema/ledger/type-of-attribute.ts'
import { type LocatedFault, SchemaError } from '../../schema/schema-error.ts'
import { assertAlone } from '../../mongo/system/assert-alone.ts'

/** @throws SchemaError for stored values that a new type would lose, ConfigError if another release is running */
export async function assertConvertible(
  database: Database,
  entered: EnteredDefinitions,
): Promise<void> {
  const faults = await findLosses(database, entered)
  if (faults.length > 0) throw SchemaError.at(faults)
  if (entered.retyped.some(({ conversion }) => conversion === 'checked')) {
    await assertAlone(database, entered.digest)
  }
}

export async function findLosses(
  database: Database,
  entered: Pick<EnteredDefinitions, 'definitions' | 'storedNames' | 'retyped'>,
): Promise<readonly LocatedFault[]> {
  const { definitions, storedNames, retyped } = entered
  const changed = retyped.filter(canLose)
  if (changed.length === 0) return []
  const schema = compileSchema(definitions, storedNames)
  const judged = await judgeConversions(database, schema, changed)
  return judged.filter(isRefused).map((one) => lossOf(one, definitions))
}

export function isRefused(one: JudgedAttribute): boolean {
  return canLose(one) && (one.unzoned > 0 || (one.lost > 0 && !one.removes))
}

function canLose({ conversion }: RetypedAttribute): boolean {
  return conversion !== 'equal'
}

function lossOf(one: JudgedAttribute, definitions: Definitions): LocatedFault {
  const { from, to, lost, unzoned } = one
  const { file, path, code } = placeOf(one, definitions)
  const params = { kind: from, type: to }
  if (unzoned > 0) {
    const amount = String(unzoned)
    return locate(file, declarationFault(path, 'declare.convertZone', { ...params, amount }))
  }
  const amount = String(lost)
  return locate(file, declarationFault(path, code, { ...params, amount }))
}

interface LossPlace {
  readonly file: string
  readonly path: string
  readonly code: 'declare.convertLoses' | 'declare.convertValues'
}

function placeOf(
  { uid, name, isSameType }: JudgedAttribute,
  { contentTypes, components }: Definitions,
): LossPlace {
  const holder = [...contentTypes, ...components].find((one) => one.uid === uid)
  const attribute = holder?.attributes[name]
  const file = holder?.file ?? uid
  const at = (option: string): string => `attributes.${name}.${option}`
  if (!isSameType || attribute === undefined) {
    return { file, path: at('type'), code: 'declare.convertLoses' }
  }
  if (attribute.type === 'enumeration') {
    return { file, path: at('enum'), code: 'declare.convertValues' }
  }
  return { file, path: at(membersOf(attribute)?.option ?? 'type'), code: 'declare.convertLoses' }
}
