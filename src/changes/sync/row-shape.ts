import { createHash } from 'node:crypto'
import { valueName } from '../../schema/alias.ts'
import type { FieldSelection } from '../../query/query.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import { FILE_TRANSLATIONS, showsFileTexts, type Data, type Uid } from '../../schema/definition.ts'
import type {
  ShapePlan,
  AttributePlan,
  ComponentAttributePlan,
  ContentTypePlan,
  DynamicZonePlan,
  ScalarPlan,
} from '../../schema/plan.ts'
import { hideTarget, mapEntryLinks } from '../../schema/values/entry-links.ts'
import { computeValue } from '../../content/read/computed-values.ts'
import { relationListOf } from '../../mongo/versions/stored-value.ts'

/** The entries that rows name. */
export interface RowSight {
  mayRead(uid: Uid): boolean
  /** The uids that links in blocks may name. Others show no target. */
  readonly links: ReadonlySet<string>
}

export interface RowShape {
  readonly projection: Readonly<Record<string, 1>>
  /** Changes if the same content would be shown differently. */
  readonly digest: string
  show(version: Data): Data
}

/** A new rule shows other rows, so it changes the digest like other attributes do. */
export function ruledShape(shape: RowShape, rule: string): RowShape {
  const text = JSON.stringify([shape.digest, rule])
  return { ...shape, digest: createHash('sha256').update(text).digest('base64url').slice(0, 12) }
}

/** Inverse sides are omitted, because they change with the rows of their owners. */
export function compileShape(
  plan: ContentTypePlan,
  fields: FieldSelection,
  sight: RowSight,
): RowShape {
  const members = membersOf(plan, sight, fields)
  const projection: Record<string, 1> = { documentId: 1, locale: 1, status: 1, _revision: 1 }
  for (const name of members.flatMap(storedNames)) projection[name] = 1
  projection['updatedAt'] = 1
  const hasTexts = showsFileTexts(
    plan,
    members.map(({ name }) => name),
  )
  if (hasTexts) projection[FILE_TRANSLATIONS] = 1
  const text = JSON.stringify([
    plan.draftAndPublish,
    plan.localized,
    members.map((member) => describe(member, sight)),
  ])
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 12)
  const show = (version: Data): Data => showMembers(version, plan, members, sight)
  return { projection, digest, show: hasTexts ? withTranslations(show) : show }
}

/** Clients choose the text by the locale of the entry that shows the file. */
function withTranslations(show: RowShape['show']): RowShape['show'] {
  return (version) => {
    const translations = version[FILE_TRANSLATIONS] ?? null
    return { ...show(version), ...(translations !== null && { [FILE_TRANSLATIONS]: translations }) }
  }
}

function membersOf(
  holder: ShapePlan,
  sight: RowSight,
  fields: FieldSelection = 'all',
): readonly AttributePlan[] {
  const shown = [...holder.members.values()].filter((member) => isSyncedAttribute(member, sight))
  if (fields === 'all')
    return shown.filter((member) => member.kind !== 'scalar' || !member.onRequest)
  const named = new Set(['id', 'documentId', ...fields])
  return shown.filter(({ name }) => named.has(name))
}

function isSyncedAttribute(member: AttributePlan, sight: RowSight): boolean {
  if (member.private) return false
  if (member.kind !== 'relation') return true
  return member.side === 'owner' && member.unshown !== true && sight.mayRead(member.targetUid)
}

function storedNames(member: AttributePlan): readonly string[] {
  return (member.kind === 'scalar' ? member.computed?.from : undefined) ?? [member.name]
}

function showMembers(
  values: Data,
  holder: ShapePlan,
  members: readonly AttributePlan[],
  sight: RowSight,
): Data {
  const shown: Data = {}
  for (const member of members) {
    shown[member.name] =
      member.kind === 'scalar' && member.computed !== undefined
        ? computeValue(holder, member, values)
        : showMember(member, values[valueName(member)] ?? null, sight)
  }
  return shown
}

function showMember(member: AttributePlan, value: unknown, sight: RowSight): unknown {
  switch (member.kind) {
    case 'scalar':
      return member.type === 'blocks' && Array.isArray(value)
        ? mapEntryLinks(value, (node, { type }) =>
            sight.links.has(type) ? node : hideTarget(node),
          )
        : SCALAR_KINDS[member.type].toJson(value)
    case 'relation':
      return idsOf(value, member.toMany)
    case 'media':
      return idsOf(value, member.multiple)
    case 'component':
      return showComponent(member, value, sight)
    case 'dynamiczone':
      return showZone(member, value, sight)
  }
}

function idsOf(value: unknown, isList: boolean): unknown {
  const ids = relationListOf(value)
  return isList ? ids : (ids[0] ?? null)
}

function showComponent(
  attribute: ComponentAttributePlan,
  value: unknown,
  sight: RowSight,
): unknown {
  const component = attribute.component()
  const members = membersOf(component, sight)
  const one = (element: unknown): Data => showMembers(element as Data, component, members, sight)
  if (attribute.repeatable) return elementsOf(value).map(one)
  return value === null ? null : one(value)
}

function showZone(zone: DynamicZonePlan, value: unknown, sight: RowSight): unknown {
  return elementsOf(value).flatMap((element) => {
    const uid = String((element as Data)['__component'])
    const component = zone.components().get(uid)
    if (component === undefined) return []
    const members = membersOf(component, sight)
    return [{ __component: uid, ...showMembers(element as Data, component, members, sight) }]
  })
}

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function versionOf({ computed }: ScalarPlan): readonly unknown[] {
  return computed === undefined ? [] : [computed.version, computed.from]
}

function linksOf({ type }: ScalarPlan, { links }: RowSight): readonly unknown[] {
  return type === 'blocks' ? [[...links].sort()] : []
}

/** A conversion changes rows without a commit. */
function conversionOf({ convertedAt }: AttributePlan): readonly unknown[] {
  return convertedAt === undefined ? [] : [convertedAt]
}

function describe(member: AttributePlan, sight: RowSight, path: readonly Uid[] = []): unknown {
  const inner = (holder: ShapePlan): unknown =>
    path.includes(holder.uid)
      ? holder.uid
      : [
          holder.uid,
          membersOf(holder, sight).map((one) => describe(one, sight, [...path, holder.uid])),
        ]
  const converted = conversionOf(member)
  switch (member.kind) {
    case 'scalar':
      return [
        member.name,
        member.type,
        ...versionOf(member),
        ...linksOf(member, sight),
        ...converted,
      ]
    case 'relation':
      return [member.name, member.targetUid, member.toMany, ...converted]
    case 'media':
      return [member.name, 'media', member.multiple, ...converted]
    case 'component':
      return [member.name, member.repeatable, inner(member.component()), ...converted]
    case 'dynamiczone':
      return [member.name, 'zone', [...member.components().values()].map(inner), ...converted]
  }
}
