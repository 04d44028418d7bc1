import type { Uid } from '../../schema/definition.ts'
import type {
  AttributePlan,
  ContentTypePlan,
  ShapePlan,
  StoredAttributeName,
} from '../../schema/plan.ts'
import { linkHoldersOf, linkIndexName, linkKey } from '../versions/link-index.ts'

export interface ReferencePath {
  /** Dotted names of attributes. */
  readonly field: string
  /** The same path in the database. */
  readonly path: string
  /** The stored values that refer to a document. */
  readonly valuesOf: (documentId: string) => readonly string[]
}

const MAX_DEPTH = 5

const itself = (documentId: string): readonly string[] => [documentId]

/** The paths of a type that refer to documents of another one, without duplicates. Owning sides only. */
export function findReferencePaths(uid: Uid, plan: ShapePlan): readonly ReferencePath[] {
  const found = pathsIn(uid, plan, 0)
  return [...new Map(found.map((one) => [`${one.field} ${one.path}`, one])).values()]
}

/** The paths of links in blocks. Adopted rows have no index of them. */
export function findLinkPaths(
  names: readonly Uid[],
  plan: ContentTypePlan,
): readonly ReferencePath[] {
  if (plan.adopted !== undefined || names.length === 0) return []
  return linkHoldersOf(plan).map((attribute) => ({
    field: attribute.name,
    path: linkIndexName(attribute),
    valuesOf: (documentId) => names.map((name) => linkKey(name, documentId)),
  }))
}

function pathsIn(uid: Uid, { attributes }: ShapePlan, depth: number): readonly ReferencePath[] {
  return [...attributes.values()].flatMap((attribute): readonly ReferencePath[] => {
    const { name, storedName } = attribute
    if (names(attribute, uid)) return [{ field: name, path: storedName, valuesOf: itself }]
    if (depth === MAX_DEPTH) return []
    return holdersIn(attribute)
      .flatMap((holder) => pathsIn(uid, holder, depth + 1))
      .map((inner) => below(name, storedName, inner))
  })
}

function below(
  name: string,
  stored: StoredAttributeName,
  { field, path, valuesOf }: ReferencePath,
): ReferencePath {
  return { field: `${name}.${field}`, path: `${stored}.${path}`, valuesOf }
}

function names(attribute: AttributePlan, uid: Uid): boolean {
  if (attribute.kind === 'media') return attribute.files.targetUid === uid
  return attribute.kind === 'relation' && attribute.side === 'owner' && attribute.targetUid === uid
}

function holdersIn(attribute: AttributePlan): readonly ShapePlan[] {
  if (attribute.kind === 'component') return [attribute.component()]
  return attribute.kind === 'dynamiczone' ? [...attribute.components().values()] : []
}
