import type { Uid } from '../../schema/definition.ts'
import type { AttributePlan, ShapePlan, StoredAttributeName } from '../../schema/plan.ts'

export interface ReferencePath {
  /** Dotted names of attributes. */
  readonly field: string
  /** The same path in the database. */
  readonly path: string
}

const MAX_DEPTH = 5

/** The paths of a type that refer to documents of another one, without duplicates. Owning sides only. */
export function findReferencePaths(uid: Uid, plan: ShapePlan): readonly ReferencePath[] {
  const found = pathsIn(uid, plan, 0)
  return [...new Map(found.map((one) => [`${one.field} ${one.path}`, one])).values()]
}

function pathsIn(uid: Uid, { attributes }: ShapePlan, depth: number): readonly ReferencePath[] {
  return [...attributes.values()].flatMap((attribute): readonly ReferencePath[] => {
    const { name, storedName } = attribute
    if (names(attribute, uid)) return [{ field: name, path: storedName }]
    if (depth === MAX_DEPTH) return []
    return holdersIn(attribute)
      .flatMap((holder) => pathsIn(uid, holder, depth + 1))
      .map((inner) => below(name, storedName, inner))
  })
}

function below(
  name: string,
  stored: StoredAttributeName,
  { field, path }: ReferencePath,
): ReferencePath {
  return { field: `${name}.${field}`, path: `${stored}.${path}` }
}

function names(attribute: AttributePlan, uid: Uid): boolean {
  if (attribute.kind === 'media') return attribute.files.targetUid === uid
  return attribute.kind === 'relation' && attribute.side === 'owner' && attribute.targetUid === uid
}

function holdersIn(attribute: AttributePlan): readonly ShapePlan[] {
  if (attribute.kind === 'component') return [attribute.component()]
  return attribute.kind === 'dynamiczone' ? [...attribute.components().values()] : []
}
