import { compileCollections } from '../../mongo/indexes/collection-plan.ts'
import { inspectIndexes } from '../../mongo/indexes/inspect-indexes.ts'
import { countMisfits, type Misfits } from '../../mongo/read/count-misfits.ts'
import type {
  AddedAttribute,
  Renaming,
  RetypedAttribute,
} from '../../schema/ledger/enter-definitions.ts'
import type { Uid } from '../../schema/definition.ts'
import type { EnteredSchema } from './enter-schema.ts'
import type { Base } from './open-base.ts'

export interface PlannedType extends RetypedAttribute {
  /** Null for an attribute of a component, whose values are in many places. */
  readonly values: Misfits | null
}

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

export async function planSchema({ database, schema, entered }: Base): Promise<SchemaPlan> {
  const collections = [...compileCollections(schema).values()]
  const { missing, outdated } = await inspectIndexes(database, collections)
  const retyped: PlannedType[] = []
  for (const one of entered.retyped) {
    const plan = schema.contentTypes.get(one.uid)
    const attribute = plan?.attributes.get(one.name)
    const isCounted = plan !== undefined && attribute !== undefined
    const values = isCounted ? await countMisfits(database, plan, attribute) : null
    retyped.push({ ...one, values })
  }
  const asDeclared = <T extends { readonly uid: Uid }>(one: T): T => {
    return { ...one, uid: schema.contentTypes.get(one.uid)?.declaredUid ?? one.uid }
  }
  return {
    renamedHolders: entered.renamedHolders,
    renamed: entered.renamed.map(asDeclared),
    moved: entered.added.filter(({ name, stored }) => name !== stored).map(asDeclared),
    retyped: retyped.map(asDeclared),
    built: missing,
    dropped: outdated,
  }
}
