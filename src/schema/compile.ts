import { once } from '../base/once.ts'
import { aliasesOf } from './alias.ts'
import { toQueryForm } from './query-form.ts'
import {
  compileAttributes,
  computedPlan,
  type DeclaredAttributes,
  type PlanLink,
  type StoredNames,
  systemPlan,
} from './compile-attributes.ts'
import {
  type AdoptDefinition,
  FILE_UID,
  type ComponentDefinition,
  type ComputedByType,
  type ComputedDefinition,
  type ContentTypeDefinition,
  type Definitions,
  type IndexDefinition,
  type Uid,
} from './definition.ts'
import {
  ADOPTED_TIMES,
  type AttributePlan,
  type ComponentPlan,
  type ContentTypePlan,
  type Schema,
  type SearchPlan,
} from './plan.ts'
import { byStoredName } from './renamed-members.ts'
import { compileSearch } from './search-plan.ts'
import { compileValidators } from './values/validators.ts'

/** Types of another view of the same content share the search index of the types `indexed`. */
export function compileSchema(
  definitions: Definitions,
  storedNames: StoredNames = new Map(),
  computed: ComputedByType = new Map(),
  indexed: Schema['contentTypes'] = new Map(),
): Schema {
  const contentTypes = new Map<Uid, ContentTypePlan>()
  const components = new Map<Uid, ComponentPlan>()
  const link: PlanLink = {
    storedNames,
    adopted: new Set(
      definitions.contentTypes.flatMap(({ uid, adopt }) => (adopt === undefined ? [] : [uid])),
    ),
    fileUsers: once(() => [...contentTypes.values()].filter(hasMedia)),
    contentType: (uid) => found(contentTypes, uid),
    component: (uid) => found(components, uid),
  }
  for (const definition of definitions.components) {
    components.set(definition.uid, compileComponent(definition, link))
  }
  const declared = new Map(definitions.components.map((component) => [component.uid, component]))
  for (const definition of definitions.contentTypes) {
    contentTypes.set(
      definition.uid,
      compileContentType(definition, declared, link, {
        computed: computed.get(definition.uid),
        index: indexed.get(definition.uid)?.search,
      }),
    )
  }
  const { warnings = [], queries: named = [] } = definitions
  const queries = new Map(named.map((query) => [query.name, query]))
  return Object.freeze({ contentTypes, components, queries, warnings })
}

function hasMedia({ attributes }: ContentTypePlan): boolean {
  return [...attributes.values()].some(({ kind }) => kind === 'media')
}

function found<T>(plans: ReadonlyMap<Uid, T>, uid: Uid): T {
  const plan = plans.get(uid)
  if (plan === undefined) throw new Error(`The definitions were not checked: there is no ${uid}`)
  return plan
}

function compileComponent(definition: ComponentDefinition, link: PlanLink): ComponentPlan {
  const declared = Object.entries(definition.attributes).map(([name, attribute]) => [
    name,
    // Clients never look up an entry by the uid of a component, so it is unique only if declared.
    attribute.type === 'uid' ? { unique: false, ...attribute } : attribute,
  ])
  const { uid, displayName, storedUid = uid, formerUids = [] } = definition
  const own = Object.fromEntries(declared) as DeclaredAttributes
  const attributes = compileAttributes(uid, own, false, link)
  const aliases = compileAliasPlans(own, attributes)
  const members = new Map([['id', systemPlan('id', 'integer')], ...attributes, ...aliases])
  return Object.freeze({
    uid,
    storedUid,
    formerUids,
    displayName,
    attributes,
    members,
    ...byStoredName({ attributes, members }),
  })
}

function compileAliasPlans(
  declared: DeclaredAttributes,
  attributes: ReadonlyMap<string, AttributePlan>,
): readonly (readonly [string, AttributePlan])[] {
  return [...attributes.values()]
    .flatMap((attribute) => aliasesOf(attribute, declared[attribute.name]?.alias ?? []))
    .map((alias) => [alias.name, alias] as const)
}

interface TypeParts {
  readonly computed: ReadonlyMap<string, ComputedDefinition> | undefined
  readonly index: SearchPlan | null | undefined
}

function compileContentType(
  definition: ContentTypeDefinition,
  components: ReadonlyMap<Uid, ComponentDefinition>,
  link: PlanLink,
  { computed = new Map(), index }: TypeParts,
): ContentTypePlan {
  const {
    attributes: declared,
    file,
    description: _description,
    preview: _preview,
    sharded = false,
    history = definition.draftAndPublish,
    filterable = null,
    populate: asked,
    search: weights,
    from: _from,
    adopt,
    ...options
  } = definition
  const attributes = compileAttributes(definition.uid, declared, definition.localized, link)
  const members = compileMembers(definition, attributes, computed)
  const validators = compileValidators(definition, components)
  const populate = asked === undefined ? null : { file, asked: toQueryForm(asked) }
  const search = index ?? (weights === undefined ? null : compileSearch(weights, attributes))
  const indexes = declaredIndexes(definition)
  const storage = { sharded, history, indexes, filterable, populate, search }
  const own = { ...storage, ...uidsOf(definition), attributes, members, validators }
  return Object.freeze({
    ...options,
    ...own,
    ...byStoredName({ attributes, members }),
    ...(definition.uid === FILE_UID && { users: () => link.fileUsers() }),
    ...compileAdopted(adopt),
  })
}

function compileMembers(
  { attributes: declared, localized, adopt }: ContentTypeDefinition,
  attributes: ReadonlyMap<string, AttributePlan>,
  computed: ReadonlyMap<string, ComputedDefinition>,
): ReadonlyMap<string, AttributePlan> {
  const isAdopted = adopt !== undefined
  return new Map<string, AttributePlan>([
    ['id', systemPlan('id', 'integer', isAdopted)],
    ['documentId', systemPlan('documentId', 'string')],
    ...attributes,
    ...compileAliasPlans(declared, attributes),
    ['createdAt', systemPlan('createdAt', 'datetime', isAdopted)],
    ['updatedAt', systemPlan('updatedAt', 'datetime', isAdopted)],
    ['publishedAt', systemPlan('publishedAt', 'datetime')],
    ...(localized ? [['locale', systemPlan('locale', 'string')] as const] : []),
    ...[...computed].map(([name, one]) => [name, computedPlan(name, one, attributes)] as const),
  ])
}

/**
 * An empty collection gets the ids that the drivers of MongoDB make. Without a database, as for the types of clients, the
 * type is writable if its declaration says so.
 */
function compileAdopted(adopt: AdoptDefinition | undefined): Pick<ContentTypePlan, 'adopted'> {
  if (adopt === undefined) return {}
  const { paths, idKind = 'objectId', isFollowed, write = false, version = null } = adopt
  const own = new Map(Object.entries(paths))
  const adopted = {
    idKind,
    isFollowed: isFollowed ?? false,
    declaresWrites: write,
    isWritable: write && isFollowed !== false,
    versionPath: version,
    pathOf: (attribute: string) => own.get(attribute) ?? attribute,
    times: new Map(
      ADOPTED_TIMES.flatMap((name) => {
        const path = own.get(name)
        return path === undefined ? [] : [[name, path] as const]
      }),
    ),
  }
  return { adopted: Object.freeze(adopted) }
}

function uidsOf({
  uid,
  declaredUid = uid,
  formerUids = [],
}: ContentTypeDefinition): Pick<ContentTypePlan, 'declaredUid' | 'formerUids'> {
  return { declaredUid, formerUids }
}

function declaredIndexes({
  attributes,
  indexes = [],
}: Pick<ContentTypeDefinition, 'attributes' | 'indexes'>): readonly IndexDefinition[] {
  const own = Object.entries(attributes).flatMap(
    ([path, definition]): readonly IndexDefinition[] =>
      definition.index === true && definition.type !== 'relation' && definition.type !== 'media'
        ? [[{ path, direction: 1 }]]
        : [],
  )
  const byKey = new Map([...own, ...indexes].map((index) => [JSON.stringify(index), index]))
  return [...byKey.values()]
}
