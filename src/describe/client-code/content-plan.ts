import { populatablesOf } from '../../query/populate/parse-populate-attributes.ts'
import type { ScalarType } from '../../schema/definition.ts'
import type { ShapePlan, ContentTypePlan, RelationPlan } from '../../schema/plan.ts'
import type { CodeScope } from './code.ts'

export interface StoredShape {
  readonly kinds: Readonly<Record<string, string>>
  readonly links: Readonly<Record<string, object>>
  readonly onRequest?: readonly string[]
}

interface StoredType extends StoredShape {
  readonly name: string
  readonly kind: 'collection' | 'single'
  readonly fields?: string
  readonly search?: Readonly<Record<string, number>>
}

/** Types that sort differently from their JSON. */
const KINDS: Readonly<Partial<Record<ScalarType, string>>> = {
  datetime: 'date',
  timestamp: 'date',
  biginteger: 'bigint',
  json: 'json',
  blocks: 'json',
  location: 'json',
}

export function storedType(
  plan: ContentTypePlan,
  scope: CodeScope,
  pathOf: (target: ContentTypePlan) => string | null,
): StoredType {
  const shown = [...plan.members.values()].filter((member) => !member.private)
  const onRequest = shown.flatMap((member) =>
    member.kind === 'scalar' && member.onRequest ? [member.name] : [],
  )
  return {
    name: plan.uid.startsWith('api::') ? plan.singularName : 'upload.file',
    kind: plan.kind === 'singleType' ? 'single' : 'collection',
    ...(onRequest.length > 0 && {
      onRequest,
      fields: shown
        .filter((member) => member.kind !== 'relation' || member.side === 'owner')
        .map(({ name }) => name)
        .join(),
    }),
    ...searchedTexts(plan),
    ...storedShape(plan, scope, pathOf),
  }
}

/** The store searches texts and blocks, but no members of components. */
function searchedTexts({ search, members }: ContentTypePlan): Pick<StoredType, 'search'> {
  const weights = [...(search?.weights ?? [])].filter(([name]) => {
    const member = members.get(name)
    return member?.kind === 'scalar' && !member.private
  })
  return weights.length === 0 ? {} : { search: Object.fromEntries(weights) }
}

export function storedShape(
  holder: ShapePlan,
  scope: CodeScope,
  pathOf: (target: ContentTypePlan) => string | null,
): StoredShape {
  const kinds = [...holder.members.values()].flatMap((member) => {
    const kind = member.kind === 'scalar' && !member.private ? KINDS[member.type] : undefined
    return kind === undefined ? [] : [[member.name, kind] as const]
  })
  const links = populatablesOf(holder).flatMap((one): readonly (readonly [string, object])[] => {
    switch (one.kind) {
      case 'relation': {
        if (one.unshown === true || !scope.mayRead(one.targetUid)) return []
        const to = pathOf(one.target())
        return to === null ? [] : [[one.name, relationLink(one, to)]]
      }
      case 'media':
        return [[one.name, { to: '$files', many: one.multiple }]]
      case 'component':
        return [[one.name, { component: one.component().uid, many: one.repeatable }]]
      case 'dynamiczone':
        return [[one.name, { zone: true }]]
      case 'localizations':
        return [[one.name, { localizations: true }]]
      case 'users':
        return []
    }
  })
  return { kinds: Object.fromEntries(kinds), links: Object.fromEntries(links) }
}

/** Inverse sides are not in rows. The rows of the owner refer to them. */
function relationLink({ toMany, side, otherSide }: RelationPlan, to: string): object {
  return { to, many: toMany, ...(side === 'inverse' && { by: otherSide }) }
}
