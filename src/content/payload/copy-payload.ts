import type { Data } from '../../schema/definition.ts'
import {
  type AttributePlan,
  componentOf,
  type ContentTypePlan,
  isMadeUid,
  isNesting,
  type RelationPlan,
  type ShapePlan,
} from '../../schema/plan.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { Writer } from '../write-target.ts'
import { isGivable, type IsShown, type WritePermit } from '../write-rules.ts'
import { toPayload } from './shared-values.ts'

/** An attribute that a copy lacks. */
export interface MissingInCopy {
  readonly path: readonly string[]
  readonly why: 'taken' | 'inverse' | 'password' | 'readOnly' | 'unique' | 'unreadable'
}

export interface CopiedPayload {
  readonly data: Data
  readonly leftOut: readonly MissingInCopy[]
}

export interface Copier extends Pick<Writer, 'mayRead'> {
  /** Whether rules show the attribute to the caller. */
  readonly isShown?: IsShown
  readonly permit?: WritePermit
}

/** The payload of a copy. A uid with a target field is left to `fillUids`. */
export function copyPayload(
  plan: ContentTypePlan,
  version: StoredVersion,
  writer: Copier,
): CopiedPayload {
  const leftOut: MissingInCopy[] = []
  const keep = (attribute: AttributePlan, path: readonly string[]): boolean => {
    const own = path.length === 1 ? whyRuled(attribute, writer) : null
    const why = own ?? whyLeftOut(attribute, writer) ?? (isTaken(plan, attribute) ? 'unique' : null)
    if (why !== null) leftOut.push({ path, why })
    return why === null
  }
  const data = copyWithin(plan, toPayload(plan, version), [], keep)
  return { data, leftOut }
}

function whyRuled(
  { name }: AttributePlan,
  { isShown, permit }: Copier,
): MissingInCopy['why'] | null {
  if (isShown?.(name) === false) return 'unreadable'
  return permit === undefined || isGivable(permit, name) ? null : 'readOnly'
}

type Keep = (attribute: AttributePlan, path: readonly string[]) => boolean

function copyWithin(holder: ShapePlan, data: Data, path: readonly string[], keep: Keep): Data {
  const copied = Object.entries(data).flatMap(([name, value]): readonly [string, unknown][] => {
    const attribute = holder.attributes.get(name)
    if (attribute === undefined) return name === '__component' ? [[name, value]] : []
    if (value === null || (Array.isArray(value) && value.length === 0)) return []
    if (path.length === 0 && isMadeUid(attribute)) return []
    const at = [...path, name]
    if (!keep(attribute, at)) return []
    return [[name, isNesting(attribute) ? copyElements(attribute, value, at, keep) : value]]
  })
  return Object.fromEntries(copied)
}

function copyElements(
  attribute: Extract<AttributePlan, { readonly kind: 'component' | 'dynamiczone' }>,
  value: unknown,
  path: readonly string[],
  keep: Keep,
): unknown {
  const copyOne = (element: Data): Data => {
    const component = componentOf(attribute, element)
    return component === undefined ? element : copyWithin(component, element, path, keep)
  }
  return Array.isArray(value) ? (value as readonly Data[]).map(copyOne) : copyOne(value as Data)
}

function whyLeftOut(
  attribute: AttributePlan,
  { mayRead }: Pick<Writer, 'mayRead'>,
): MissingInCopy['why'] | null {
  if (attribute.writable === false) return 'readOnly'
  if (attribute.kind === 'scalar' && attribute.type === 'password') return 'password'
  if (attribute.kind !== 'relation') return null
  if (isExclusive(attribute)) return 'taken'
  if (attribute.side === 'inverse') return 'inverse'
  return mayRead(attribute.targetUid) ? null : 'unreadable'
}

/** Whether a target belongs to one document only, so that the copy would take it from the original. */
function isExclusive({ relation, otherSide }: RelationPlan): boolean {
  return otherSide !== null && (relation === 'oneToOne' || relation === 'oneToMany')
}

/** Drafts can have the same unique values. */
function isTaken({ draftAndPublish }: ContentTypePlan, attribute: AttributePlan): boolean {
  const isUid = attribute.kind === 'scalar' && attribute.type === 'uid'
  return !draftAndPublish && attribute.kind === 'scalar' && attribute.unique && !isUid
}
