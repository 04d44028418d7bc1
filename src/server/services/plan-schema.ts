import { compileCollections } from '../../mongo/indexes/collection-plan.ts'
import { inspectIndexes } from '../../mongo/indexes/inspect-indexes.ts'
import { countMisfits, type Misfits } from '../../mongo/read/count-misfits.ts'
import type {
  AddedAttribute,
  Renaming,
  RetypedAttribute,
} from '../../schema/ledger/enter-definitions.ts'
import type { Base } from './open-base.ts'

export interface PlannedType extends RetypedAttribute {
  /** Null for an attribute of a component, whose values are in many places. */
  readonly values: Misfits | null
}

export interface SchemaPlan {
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
  return {
    renamed: entered.renamed,
    moved: entered.added.filter(({ name, stored }) => name !== stored),
    retyped,
    built: missing,
    dropped: outdated,
  }
}
