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
import { didYouMean } from '../../base/near-miss.ts'

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
    return faults.map(({ path, problem }) => ({ path: `attributes.${name}.${path}`, problem }))
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
  return [{ path, problem: `no component ${uid}${didYouMean(uid, uids)}` }]
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
    const hint = didYouMean(
      uid,
      declared.contentTypes.map((type) => type.uid),
    )
    return [{ path: 'target', problem: `no content-type ${uid}${hint}` }]
  }
  if (inversedBy === undefined && mappedBy === undefined) return []
  if (!('kind' in holder)) {
    const path = inversedBy === undefined ? 'mappedBy' : 'inversedBy'
    return [{ path, problem: 'a relation in a component is one-way: leave this out' }]
  }
  return sideFaults(relation) ?? otherSideFaults(name, relation, { holder, target, declared })
}

function sideFaults({
  relation,
  inversedBy,
  mappedBy,
}: RelationDefinition): readonly DeclarationFault[] | null {
  if (inversedBy !== undefined && mappedBy !== undefined) {
    const problem = 'a side is the owner (inversedBy) or the inverse (mappedBy), not both'
    return [{ path: 'mappedBy', problem }]
  }
  if (relation === 'oneToMany' && inversedBy !== undefined) {
    return [{ path: 'inversedBy', problem: 'oneToMany is the inverse side: use mappedBy' }]
  }
  if (relation === 'manyToOne' && mappedBy !== undefined) {
    return [{ path: 'mappedBy', problem: 'manyToOne is the owning side: use inversedBy' }]
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
  if (other === undefined) {
    const hint = didYouMean(otherName, Object.keys(target.attributes))
    return [{ path, problem: `${target.uid} has no attribute ${otherName}${hint}` }]
  }
  const there = `${otherName} of ${target.uid}`
  if (other.type !== 'relation' || other.target !== holder.uid) {
    return [{ path, problem: `${there} is no relation to ${holder.uid}` }]
  }
  if (other[back] !== name) {
    return [{ path, problem: `${there} does not point back: it needs ${back}: "${name}"` }]
  }
  return kindFaults(there, relation, other.relation)
}

function kindFaults(
  there: string,
  relation: RelationKind,
  other: RelationKind,
): readonly DeclarationFault[] {
  const expected = OTHER_KIND[relation]
  if (other === expected) return []
  return [{ path: 'relation', problem: `${there} must be ${expected}, not ${other}` }]
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
