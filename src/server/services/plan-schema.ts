import { compileCollections } from '../../mongo/indexes/collection-plan.ts'
import { inspectIndexes } from '../../mongo/indexes/inspect-indexes.ts'
import {
  judgeConversions,
  type JudgedAttribute,
} from '../../mongo/conversions/judge-conversions.ts'
import type { AddedAttribute, Renaming } from '../../schema/ledger/enter-definitions.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Definitions, Uid } from '../../schema/definition.ts'
import { isRefused } from './assert-convertible.ts'
import { assertKeepsValues, type EnteredSchema } from './enter-schema.ts'
import type { Base } from './open-base.ts'

export interface SchemaPlan {
  /** Content-types and components. */
  readonly renamedHolders: EnteredSchema['renamedHolders']
  readonly renamed: readonly Renaming[]
  /** New attributes whose name is the stored name of another one. */
  readonly moved: readonly AddedAttribute[]
  readonly retyped: readonly PlannedType[]
  readonly built: readonly string[]
  readonly dropped: readonly string[]
}

export interface PlannedType extends JudgedAttribute {
  readonly refused: boolean
}

/** @throws SchemaError for declarations that the next start would refuse */
export async function planDeclarations(
  database: Base['database'],
  definitions: Definitions,
): Promise<SchemaPlan> {
  const entered = await assertKeepsValues(database, definitions)
  const schema = compileSchema(entered.definitions, entered.storedNames)
  return planSchema({ database, schema, entered })
}

export async function planSchema({
  database,
  schema,
  entered,
}: Pick<Base, 'database' | 'schema' | 'entered'>): Promise<SchemaPlan> {
  const collections = [...compileCollections(schema).values()]
  const { missing, outdated } = await inspectIndexes(database, collections)
  const retyped =
    entered.retyped.length === 0 ? [] : await judgeConversions(database, schema, entered.retyped)
  const isRetyped = ({ uid, name }: AddedAttribute): boolean =>
    retyped.some((one) => one.uid === uid && one.name === name)
  const asDeclared = <T extends { readonly uid: Uid }>(one: T): T => {
    return { ...one, uid: schema.contentTypes.get(one.uid)?.declaredUid ?? one.uid }
  }
  return {
    renamedHolders: entered.renamedHolders,
    renamed: entered.renamed.map(asDeclared),
    moved: entered.added
      .filter((one) => one.name !== one.stored && !isRetyped(one))
      .map(asDeclared),
    retyped: retyped.map((one) => {
      return { ...asDeclared(one), refused: isRefused(one) }
    }),
    built: missing,
    dropped: outdated,
  }
}
