import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { type Data, FILE_TRANSLATIONS, FILE_UID, type Uid } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ShapePlan, AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import type { Spool } from './spool.ts'

export interface Lines {
  entity(plan: ContentTypePlan, version: StoredVersion): object
  links(plan: ContentTypePlan, version: StoredVersion): readonly object[]
}

type ComponentRefs = Map<object, number>

/** Call `entity` before `links`, because both use the same component ids. */
export function openLines(spool: Pick<Spool, 'document'>): Lines {
  const last = new Map<Uid, number>()
  let refs: ComponentRefs = new Map()
  const nextRef = (uid: Uid): number => {
    const next = (last.get(uid) ?? 0) + 1
    last.set(uid, next)
    return next
  }
  return {
    entity: (plan, version) => {
      refs = new Map()
      const { documentId, createdAt, updatedAt, publishedAt, locale } = version
      const own = valuesOf(plan, version, refs, nextRef)
      const times = { createdAt, updatedAt, publishedAt }
      const shown = {
        documentId,
        ...own,
        ...translationsOf(plan, version),
        ...times,
        locale: locale === NO_LOCALE ? null : locale,
      }
      return { type: plan.uid, id: version.id, data: shown }
    },
    links: (plan, version) => linksOf({ plan, version, spool, refs }, plan, version, version.id),
  }
}

/** The reference ignores this member of files. */
function translationsOf({ uid }: ContentTypePlan, version: StoredVersion): Data {
  const translations = uid === FILE_UID ? (version[FILE_TRANSLATIONS] ?? null) : null
  return translations === null ? {} : { [FILE_TRANSLATIONS]: translations }
}

function valuesOf(
  holder: ShapePlan,
  values: Data,
  refs: ComponentRefs,
  nextRef: (uid: Uid) => number,
): Data {
  const element = (component: ShapePlan, one: Data, more: Data): Data => {
    const id = nextRef(component.uid)
    refs.set(one, id)
    return { id, ...valuesOf(component, one, refs, nextRef), ...more }
  }
  return Object.fromEntries(
    [...holder.attributes.values()].flatMap((attribute): readonly [string, unknown][] => {
      const value = values[attribute.name] ?? null
      if (attribute.kind === 'relation' || attribute.kind === 'media') return []
      if (attribute.kind === 'scalar') {
        return [[attribute.name, SCALAR_KINDS[attribute.type].toJson(value)]]
      }
      const shown = mapEach(value, (one) => {
        const component = componentOf(attribute, one)
        if (component === undefined) return one
        const more = attribute.kind === 'dynamiczone' ? { __component: component.uid } : {}
        return element(component, one, more)
      })
      return [[attribute.name, shown]]
    }),
  )
}

function componentOf(
  attribute: Extract<AttributePlan, { readonly kind: 'component' | 'dynamiczone' }>,
  element: Data,
): ShapePlan | undefined {
  return attribute.kind === 'component'
    ? attribute.component()
    : attribute.components().get(String(element['__component']))
}

function mapEach(value: unknown, map: (element: Data) => Data): unknown {
  if (Array.isArray(value)) return (value as readonly Data[]).map(map)
  return typeof value === 'object' && value !== null ? map(value as Data) : value
}

interface Source {
  readonly plan: ContentTypePlan
  readonly version: StoredVersion
  readonly spool: Pick<Spool, 'document'>
  readonly refs: ComponentRefs
}

function linksOf(source: Source, holder: ShapePlan, values: Data, ref: number): readonly object[] {
  return [...holder.attributes.values()].flatMap((attribute): readonly object[] => {
    const value = values[attribute.name] ?? null
    switch (attribute.kind) {
      case 'scalar':
        return []
      case 'component':
      case 'dynamiczone': {
        const links: object[] = []
        mapEach(value, (one) => {
          const component = componentOf(attribute, one)
          const own = source.refs.get(one)
          if (component !== undefined && own !== undefined)
            links.push(...linksOf(source, component, one, own))
          return one
        })
        return links
      }
      case 'media':
        return named(value).flatMap((documentId, index) =>
          source.spool.document(attribute.files.targetUid, documentId).map(({ id }) => ({
            kind: 'relation.morph',
            relation: 'morphToMany',
            left: { type: attribute.files.targetUid, ref: id, field: 'related' },
            right: { type: holder.uid, ref, field: attribute.name, pos: index + 1 },
          })),
        )
      case 'relation':
        return attribute.side === 'inverse'
          ? []
          : relationLinks(source, holder, attribute, value, ref)
    }
  })
}

function relationLinks(
  { plan, version, spool }: Source,
  holder: ShapePlan,
  attribute: Extract<AttributePlan, { readonly kind: 'relation' }>,
  value: unknown,
  ref: number,
): readonly object[] {
  const { name, targetUid, otherSide, relation, toMany } = attribute
  const kind = holder.uid === targetUid ? 'relation.circular' : 'relation.basic'
  return named(value).flatMap((documentId, index) =>
    rowsFor(plan, version, attribute.target(), spool.document(targetUid, documentId)).map(
      (target) => ({
        kind,
        relation,
        left: { type: holder.uid, ref, field: name, ...(toMany && { pos: index + 1 }) },
        right: {
          type: targetUid,
          ref: target.id,
          ...(otherSide !== null && { field: otherSide, ...placeOf(target[otherSide], version) }),
        },
      }),
    ),
  )
}

function placeOf(order: unknown, { documentId }: StoredVersion): { readonly pos: number } {
  const list = named(order)
  const place = list.indexOf(documentId)
  return { pos: place === -1 ? list.length + 1 : place + 1 }
}

function rowsFor(
  plan: ContentTypePlan,
  { locale, status }: StoredVersion,
  target: ContentTypePlan,
  versions: readonly StoredVersion[],
): readonly StoredVersion[] {
  return versions.filter(
    (each) =>
      (!target.draftAndPublish || !plan.draftAndPublish || each.status === status) &&
      (!target.localized || !plan.localized || each.locale === locale),
  )
}

function named(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value as readonly string[]
  return typeof value === 'string' ? [value] : []
}
