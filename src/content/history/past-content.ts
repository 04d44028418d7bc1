import type { Data, Uid } from '../../schema/definition.ts'
import {
  type AttributePlan,
  componentOf,
  type ContentTypePlan,
  isNesting,
  type NestingPlan,
  type ShapePlan,
} from '../../schema/plan.ts'
import { mapBlocks } from '../../mongo/versions/link-index.ts'
import { hideTarget, mapEntryLinks } from '../../schema/values/entry-links.ts'
import { isPasswordHash } from '../../schema/values/stored-password.ts'
import { isList } from '../payload/component-values.ts'
import { toPayload } from '../payload/shared-values.ts'

export interface PastContent {
  /** Relations and media are documentIds. Components have no ids. Passwords are omitted. */
  readonly content: Data
  readonly unknown: Data
}

const SYSTEM: ReadonlySet<string> = new Set([
  'id',
  'documentId',
  'locale',
  'status',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'createdBy',
  'updatedBy',
])

/** Uses the current declaration. */
export function pastContent(
  plan: ContentTypePlan,
  stored: Data,
  mayRead: (uid: Uid) => boolean,
): PastContent {
  const given = Object.entries(stored).filter(([name]) => !SYSTEM.has(name))
  const known = Object.fromEntries(given.filter(([name]) => plan.attributes.has(name)))
  const unknown = given.filter(
    ([name, value]) => !plan.attributes.has(name) && !isPasswordHash(value),
  )
  return {
    content: ownMembers(plan, toPayload(plan, known), mayRead),
    unknown: Object.fromEntries(unknown.map(([name, value]) => [name, plain(value)])),
  }
}

type MayRead = (uid: Uid) => boolean

function ownMembers(holder: ShapePlan, payload: Data, mayRead: MayRead): Data {
  const kept = [...holder.attributes.values()].filter(
    (attribute) => payload[attribute.name] !== undefined && isOwn(attribute, mayRead),
  )
  return Object.fromEntries(
    kept.map((attribute) => [
      attribute.name,
      shownValue(attribute, payload[attribute.name], mayRead),
    ]),
  )
}

function isOwn(attribute: AttributePlan, mayRead: MayRead): boolean {
  if (attribute.kind === 'scalar') return attribute.type !== 'password'
  if (attribute.kind !== 'relation') return true
  return attribute.side === 'owner' && mayRead(attribute.targetUid)
}

function shownValue(attribute: AttributePlan, value: unknown, mayRead: MayRead): unknown {
  if (value === null || !isNesting(attribute)) return value
  const one = (element: Data): Data => shownElement(attribute, element, mayRead)
  return isList(attribute) ? (value as readonly Data[]).map(one) : one(value as Data)
}

function shownElement(attribute: NestingPlan, element: Data, mayRead: MayRead): Data {
  const component = componentOf(attribute, element)
  const { __component } = element
  return {
    ...(__component !== undefined && { __component }),
    ...(component === undefined ? {} : ownMembers(component, element, mayRead)),
  }
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return value
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(plain)
  if ('_bsontype' in value) return (value as { toString(): string }).toString()
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}

type MayLink = (type: string) => boolean

/** Hides the targets of links in blocks, except targets of permitted types. */
export function withoutTargets(
  plan: ContentTypePlan,
  { content, unknown }: PastContent,
  mayLink: MayLink,
): PastContent {
  const hide = (nodes: readonly unknown[]): readonly unknown[] =>
    mapEntryLinks(nodes, (node, { type }) => (mayLink(type) ? node : hideTarget(node)))
  const known = Object.entries(content).map(([name, value]) => {
    const attribute = plan.attributes.get(name)
    return [name, attribute === undefined ? value : mapBlocks(attribute, value, hide)]
  })
  const others = Object.entries(unknown).map(([name, value]) => [
    name,
    Array.isArray(value) ? hide(value) : value,
  ])
  return { content: Object.fromEntries(known) as Data, unknown: Object.fromEntries(others) as Data }
}
