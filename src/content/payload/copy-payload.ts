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
  const choice: Choice = {
    isUnreadable: (attribute, path) => isUnreadable(attribute, path, writer),
    leaveOut: (path, why) => leftOut.push({ path, why }),
    whyNot: (attribute, path) => {
      const { permit } = writer
      const isGiven = path.length > 1 || permit === undefined || isGivable(permit, attribute.name)
      if (!isGiven) return 'readOnly'
      return whyLeftOut(attribute) ?? (isTaken(plan, attribute) ? 'unique' : null)
    },
  }
  const data = copyWithin(plan, toPayload(plan, version), [], choice)
  return { data, leftOut }
}

interface Choice {
  readonly isUnreadable: (attribute: AttributePlan, path: readonly string[]) => boolean
  readonly whyNot: (
    attribute: AttributePlan,
    path: readonly string[],
  ) => MissingInCopy['why'] | null
  readonly leaveOut: (path: readonly string[], why: MissingInCopy['why']) => void
}

function isUnreadable(
  attribute: AttributePlan,
  path: readonly string[],
  { isShown, mayRead }: Copier,
): boolean {
  if (path.length === 1 && isShown?.(attribute.name) === false) return true
  return attribute.kind === 'relation' && !mayRead(attribute.targetUid)
}

/** Unreadable attributes are reported even if they have no value, because the caller may not learn that. */
function copyWithin(holder: ShapePlan, data: Data, path: readonly string[], choice: Choice): Data {
  for (const attribute of holder.attributes.values()) {
    const at = [...path, attribute.name]
    if (choice.isUnreadable(attribute, at)) choice.leaveOut(at, 'unreadable')
  }
  const isCopied = (attribute: AttributePlan, value: unknown, at: readonly string[]): boolean => {
    if (choice.isUnreadable(attribute, at) || isEmpty(value)) return false
    if (path.length === 0 && isMadeUid(attribute)) return false
    const why = choice.whyNot(attribute, at)
    if (why !== null) choice.leaveOut(at, why)
    return why === null
  }
  const copied = Object.entries(data).flatMap(([name, value]): readonly [string, unknown][] => {
    const attribute = holder.attributes.get(name)
    if (attribute === undefined) return name === '__component' ? [[name, value]] : []
    const at = [...path, name]
    if (!isCopied(attribute, value, at)) return []
    return [[name, isNesting(attribute) ? copyElements(attribute, value, at, choice) : value]]
  })
  return Object.fromEntries(copied)
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0)
}

function copyElements(
  attribute: Extract<AttributePlan, { readonly kind: 'component' | 'dynamiczone' }>,
  value: unknown,
  path: readonly string[],
  choice: Choice,
): unknown {
  const copyOne = (element: Data): Data => {
    const component = componentOf(attribute, element)
    return component === undefined ? element : copyWithin(component, element, path, choice)
  }
  return Array.isArray(value) ? (value as readonly Data[]).map(copyOne) : copyOne(value as Data)
}

function whyLeftOut(attribute: AttributePlan): MissingInCopy['why'] | null {
  if (attribute.writable === false) return 'readOnly'
  if (attribute.kind === 'scalar' && attribute.type === 'password') return 'password'
  if (attribute.kind !== 'relation') return null
  if (isExclusive(attribute)) return 'taken'
  return attribute.side === 'inverse' ? 'inverse' : null
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
