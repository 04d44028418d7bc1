import type {
  AttributeDefinition,
  ComponentDefinition,
  ContentTypeDefinition,
  DeclarationFault,
  Definitions,
  RelationDefinition,
  RelationKind,
  Uid,
} from '../definition.ts'
import { declarationFault, suggest } from './declaration-fault.ts'

type Holder = ContentTypeDefinition | ComponentDefinition

export interface DeclaredTypes extends Definitions {
  readonly brokenUids: ReadonlySet<Uid>
  readonly brokenAttributes: ReadonlySet<string>
}

const OTHER_KIND: Readonly<Record<RelationKind, RelationKind>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
}

export function findReferenceFaults(
  holder: Holder,
  declared: DeclaredTypes,
): readonly DeclarationFault[] {
  return Object.entries(holder.attributes).flatMap(([name, definition]) => {
    const faults = attributeFaults(name, definition, holder, declared)
    return faults.map((fault) => ({ ...fault, path: `attributes.${name}.${fault.path}` }))
  })
}

function attributeFaults(
  name: string,
  definition: AttributeDefinition,
  holder: Holder,
  declared: DeclaredTypes,
): readonly DeclarationFault[] {
  if (definition.type === 'component') {
    return componentFaults('component', definition.component, declared)
  }
  if (definition.type === 'dynamiczone') {
    return definition.components.flatMap((uid, index) => {
      return componentFaults(`components.${index}`, uid, declared)
    })
  }
  return definition.type === 'relation' ? relationFaults(name, definition, holder, declared) : []
}

function componentFaults(
  path: string,
  uid: Uid,
  { components, brokenUids }: DeclaredTypes,
): readonly DeclarationFault[] {
  const uids = components.map((component) => component.uid)
  if (uids.includes(uid) || brokenUids.has(uid)) return []
  return [declarationFault(path, 'declare.noComponent', { name: uid, ...suggest(uid, uids) })]
}

function relationFaults(
  name: string,
  relation: RelationDefinition,
  holder: Holder,
  declared: DeclaredTypes,
): readonly DeclarationFault[] {
  const { target: uid, inversedBy, mappedBy } = relation
  if (declared.brokenUids.has(uid)) return []
  const target = declared.contentTypes.find((type) => type.uid === uid)
  if (target === undefined) {
    const uids = declared.contentTypes.map((type) => type.uid)
    const params = { name: uid, ...suggest(uid, uids) }
    return [declarationFault('target', 'declare.noContentType', params)]
  }
  const deletion = userDeletionFaults(relation, holder)
  if (deletion.length > 0) return deletion
  if (inversedBy === undefined && mappedBy === undefined) return []
  if (!('kind' in holder)) {
    const path = inversedBy === undefined ? 'mappedBy' : 'inversedBy'
    return [declarationFault(path, 'declare.oneWay')]
  }
  return sideFaults(relation) ?? otherSideFaults(name, relation, { holder, target, declared })
}

const USER = 'plugin::users-permissions.user'

function userDeletionFaults(
  definition: RelationDefinition,
  holder: Holder,
): readonly DeclarationFault[] {
  const { target, mappedBy, onUserDelete } = definition
  if (onUserDelete === undefined) return []
  const isOwner = target === USER && mappedBy === undefined
  if (!isOwner || !('kind' in holder) || !holder.uid.startsWith('api::')) {
    return [declarationFault('onUserDelete', 'declare.userDeletePlace')]
  }
  return deletionFaults(definition)
}

function deletionFaults({
  relation,
  required,
  onUserDelete,
}: Pick<
  RelationDefinition,
  'relation' | 'required' | 'onUserDelete'
>): readonly DeclarationFault[] {
  const isToMany = relation === 'oneToMany' || relation === 'manyToMany'
  if (onUserDelete === 'delete' && isToMany) {
    return [declarationFault('onUserDelete', 'declare.userDeleteMany')]
  }
  return onUserDelete === 'anonymize' && required === true
    ? [declarationFault('onUserDelete', 'declare.userDeleteRequired')]
    : []
}

function sideFaults({
  relation,
  inversedBy,
  mappedBy,
}: RelationDefinition): readonly DeclarationFault[] | null {
  if (inversedBy !== undefined && mappedBy !== undefined) {
    return [declarationFault('mappedBy', 'declare.bothSides')]
  }
  if (relation === 'oneToMany' && inversedBy !== undefined) {
    return [declarationFault('inversedBy', 'declare.inverseSide')]
  }
  if (relation === 'manyToOne' && mappedBy !== undefined) {
    return [declarationFault('mappedBy', 'declare.owningSide')]
  }
  return null
}

interface Ends {
  readonly holder: Holder
  readonly target: ContentTypeDefinition
  readonly declared: DeclaredTypes
}

function otherSideFaults(
  name: string,
  { relation, inversedBy, mappedBy }: RelationDefinition,
  { holder, target, declared }: Ends,
): readonly DeclarationFault[] {
  const [path, back] =
    inversedBy === undefined
      ? (['mappedBy', 'inversedBy'] as const)
      : (['inversedBy', 'mappedBy'] as const)
  const otherName = inversedBy ?? mappedBy ?? ''
  if (declared.brokenAttributes.has(`${target.uid} ${otherName}`)) return []
  const other = new Map(Object.entries(target.attributes)).get(otherName)
  const there = { name: otherName, type: target.uid }
  if (other === undefined) {
    const near = suggest(otherName, Object.keys(target.attributes))
    return [declarationFault(path, 'declare.noAttributeOf', { ...there, ...near })]
  }
  if (other.type !== 'relation' || other.target !== holder.uid) {
    return [declarationFault(path, 'declare.otherType', { ...there, holder: holder.uid })]
  }
  if (other[back] !== name) {
    const params = { ...there, option: back, attribute: name }
    return [declarationFault(path, 'declare.pointsBack', params)]
  }
  const wanted = OTHER_KIND[relation]
  const kind = other.relation
  return kind === wanted
    ? []
    : [declarationFault('relation', 'declare.otherKind', { ...there, wanted, kind })]
}

export function findEndlessComponents(
  components: readonly ComponentDefinition[],
): readonly { readonly component: ComponentDefinition; readonly attribute: string }[] {
  const byUid = new Map(components.map((component) => [component.uid, component]))
  return components.flatMap((component) => {
    const attribute = requiredComponents(component).find(({ uid }) => {
      return reaches(byUid.get(uid), component.uid, byUid, new Set())
    })
    return attribute === undefined ? [] : [{ component, attribute: attribute.name }]
  })
}

function reaches(
  from: ComponentDefinition | undefined,
  uid: Uid,
  byUid: ReadonlyMap<Uid, ComponentDefinition>,
  seen: Set<Uid>,
): boolean {
  if (from === undefined || seen.has(from.uid)) return false
  if (from.uid === uid) return true
  seen.add(from.uid)
  return requiredComponents(from).some((next) => reaches(byUid.get(next.uid), uid, byUid, seen))
}

function requiredComponents({
  attributes,
}: ComponentDefinition): readonly { readonly name: string; readonly uid: Uid }[] {
  return Object.entries(attributes).flatMap(([name, definition]) => {
    if (definition.type !== 'component' || definition.required !== true) return []
    const needsOne = definition.repeatable !== true || (definition.min ?? 0) > 0
    return needsOne ? [{ name, uid: definition.component }] : []
  })
}
