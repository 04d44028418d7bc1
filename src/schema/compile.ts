import type {
  AttributeDefinition,
  ComponentAttributeDefinition,
  ComponentDefinition,
  ComputedByType,
  ComputedDefinition,
  ContentTypeDefinition,
  Definitions,
  DynamicZoneDefinition,
  IndexDefinition,
  MediaDefinition,
  RelationDefinition,
  ScalarDefinition,
  ScalarType,
  Uid,
} from './definition.ts'
import type {
  AttributePlan,
  ComponentAttributePlan,
  ComponentPlan,
  ContentTypePlan,
  DynamicZonePlan,
  MediaPlan,
  RelationPlan,
  ScalarLimits,
  ScalarPlan,
  Schema,
  StoredAttributeName,
} from './plan.ts'
import { once } from '../base/once.ts'
import { aliasesOf } from './alias.ts'
import { toQueryForm } from './query-form.ts'
import { byStoredName } from './renamed-members.ts'
import { compileSearch } from './search-plan.ts'
import { storedDefault } from './values/scalar-rules.ts'
import { compileValidators } from './values/validators.ts'

const FILE_UID: Uid = 'plugin::upload.file'

export interface AttributeNames {
  readonly stored: string
  readonly former: readonly string[]
}

export type StoredNames = ReadonlyMap<Uid, ReadonlyMap<string, AttributeNames>>

/** Relations and components can be circular, so plans resolve their targets by name when asked. */
export function compileSchema(
  definitions: Definitions,
  storedNames: StoredNames = new Map(),
  computed: ComputedByType = new Map(),
): Schema {
  const contentTypes = new Map<Uid, ContentTypePlan>()
  const components = new Map<Uid, ComponentPlan>()
  const link: Link = {
    storedNames,
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
      compileContentType(definition, declared, link, computed.get(definition.uid)),
    )
  }
  const { warnings = [], queries: named = [] } = definitions
  const queries = new Map(named.map((query) => [query.name, query]))
  return Object.freeze({ contentTypes, components, queries, warnings })
}

function hasMedia({ attributes }: ContentTypePlan): boolean {
  return [...attributes.values()].some(({ kind }) => kind === 'media')
}

interface Link {
  readonly storedNames: StoredNames
  fileUsers(): readonly ContentTypePlan[]
  contentType(uid: Uid): ContentTypePlan
  component(uid: Uid): ComponentPlan
}

function found<T>(plans: ReadonlyMap<Uid, T>, uid: Uid): T {
  const plan = plans.get(uid)
  if (plan === undefined) throw new Error(`The definitions were not checked: there is no ${uid}`)
  return plan
}

type Attributes = Readonly<Record<string, AttributeDefinition>>

function compileComponent(definition: ComponentDefinition, link: Link): ComponentPlan {
  const declared = Object.entries(definition.attributes).map(([name, attribute]) => [
    name,
    // Clients never look up an entry by the uid of a component, so it is unique only if declared.
    attribute.type === 'uid' ? { unique: false, ...attribute } : attribute,
  ])
  const { uid, displayName, storedUid = uid, formerUids = [] } = definition
  const own = Object.fromEntries(declared) as Attributes
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
  declared: Attributes,
  attributes: ReadonlyMap<string, AttributePlan>,
): readonly (readonly [string, AttributePlan])[] {
  return [...attributes.values()]
    .flatMap((attribute) => aliasesOf(attribute, declared[attribute.name]?.alias ?? []))
    .map((alias) => [alias.name, alias] as const)
}

function compileContentType(
  definition: ContentTypeDefinition,
  components: ReadonlyMap<Uid, ComponentDefinition>,
  link: Link,
  computed: ReadonlyMap<string, ComputedDefinition> = new Map(),
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
    ...options
  } = definition
  const attributes = compileAttributes(definition.uid, declared, definition.localized, link)
  const members = new Map<string, AttributePlan>([
    ['id', systemPlan('id', 'integer')],
    ['documentId', systemPlan('documentId', 'string')],
    ...attributes,
    ...compileAliasPlans(declared, attributes),
    ['createdAt', systemPlan('createdAt', 'datetime')],
    ['updatedAt', systemPlan('updatedAt', 'datetime')],
    ['publishedAt', systemPlan('publishedAt', 'datetime')],
  ])
  if (definition.localized) members.set('locale', systemPlan('locale', 'string'))
  for (const [name, one] of computed) members.set(name, computedPlan(name, one, attributes))
  const validators = compileValidators(definition, components)
  const users = definition.uid === FILE_UID ? { users: () => link.fileUsers() } : {}
  const indexes = declaredIndexes(definition)
  const populate = asked === undefined ? null : { file, asked: toQueryForm(asked) }
  const search = weights === undefined ? null : compileSearch(weights, attributes)
  const storage = { sharded, history, indexes, filterable, populate, search }
  const own = { ...storage, ...uidsOf(definition), attributes, members, validators }
  return Object.freeze({ ...options, ...own, ...byStoredName({ attributes, members }), ...users })
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

function systemPlan(name: string, type: ScalarType): AttributePlan {
  const plan: ScalarPlan = {
    kind: 'scalar',
    name,
    storedName: toStoredName(name),
    formerNames: [],
    type,
    system: true,
    private: false,
    required: false,
    localized: true,
    unique: false,
    onRequest: false,
    searchable: true,
    default: undefined,
    limits: {},
  }
  return Object.freeze(plan)
}

export function toStoredName(name: string): StoredAttributeName {
  return name as StoredAttributeName
}

/** Private sources make the attribute private. */
function computedPlan(
  name: string,
  computed: ComputedDefinition,
  attributes: ReadonlyMap<string, AttributePlan>,
): ScalarPlan {
  const isPrivate = computed.from.some((source) => attributes.get(source)?.private !== false)
  const plan: ScalarPlan = {
    kind: 'scalar',
    name,
    storedName: toStoredName(name),
    formerNames: [],
    type: computed.type,
    system: false,
    private: isPrivate,
    required: false,
    localized: true,
    unique: false,
    onRequest: false,
    searchable: false,
    default: undefined,
    limits: {},
    writable: false,
    computed,
  }
  return Object.freeze(plan)
}

function compileAttributes(
  uid: Uid,
  declared: Attributes,
  localizedType: boolean,
  link: Link,
): ReadonlyMap<string, AttributePlan> {
  const plans = Object.entries(declared).map(([name, definition]): [string, AttributePlan] => {
    const { stored, former } = link.storedNames.get(uid)?.get(name) ?? { stored: name, former: [] }
    const names = { name, storedName: toStoredName(stored), formerNames: former }
    const plan = compileAttribute(names, definition, link)
    return [name, Object.freeze({ ...plan, localized: localizedType && isLocalized(definition) })]
  })
  return new Map(plans)
}

/** Relations are localized by default (Strapi issue 24518), but may opt out (issue 24065). */
function isLocalized({ type, pluginOptions }: AttributeDefinition): boolean {
  return pluginOptions?.i18n?.localized ?? (type === 'relation' || type === 'uid')
}

/** A uid identifies an entry for clients, so it is unique by default. The check warns of unique locations. */
function isUnique({ type, unique = type === 'uid' }: ScalarDefinition): boolean {
  return unique && type !== 'location'
}

type Names = Pick<AttributePlan, 'name' | 'storedName' | 'formerNames'>

function compileAttribute(
  names: Names,
  definition: AttributeDefinition,
  link: Link,
): AttributePlan {
  const base = {
    ...names,
    private: definition.private === true || definition.type === 'password',
    required: definition.required === true,
    localized: false,
    ...(definition.writable === false && { writable: false }),
    ...(definition.conflict !== undefined && { conflict: definition.conflict }),
  }
  if (definition.type === 'relation') return { ...base, ...compileRelation(definition, link) }
  if (definition.type === 'component') return { ...base, ...compileInner(definition, link) }
  if (definition.type === 'dynamiczone') return { ...base, ...compileZone(definition, link) }
  if (definition.type === 'media') return { ...base, ...compileMedia(base, definition, link) }
  const { type, onRequest = false } = definition
  return {
    ...base,
    kind: 'scalar',
    type,
    system: false,
    unique: isUnique(definition),
    onRequest,
    searchable: definition.searchable !== false,
    default: storedDefault(definition),
    limits: limitsOf(definition),
    ...sourceOf(definition),
  }
}

function sourceOf({ type, targetField }: ScalarDefinition): Pick<ScalarPlan, 'targetField'> {
  return type === 'uid' && targetField !== undefined ? { targetField } : {}
}

function limitsOf(definition: ScalarDefinition): ScalarLimits {
  const named = LIMITS.map((name) => [name, definition[name]] as const)
  return Object.fromEntries(named.filter(([, value]) => value !== undefined))
}

const LIMITS = ['enum', 'min', 'max', 'minLength', 'maxLength', 'regex'] as const

type OwnPart<Plan extends AttributePlan> = Omit<
  Plan,
  'name' | 'storedName' | 'formerNames' | 'private' | 'required' | 'localized'
>

function compileInner(
  { component, repeatable = false, min, max }: ComponentAttributeDefinition,
  link: Link,
): OwnPart<ComponentAttributePlan> {
  const resolve = once(() => link.component(component))
  return { kind: 'component', repeatable, ...boundsOf(min, max), component: resolve }
}

function compileZone(
  { components, min, max }: DynamicZoneDefinition,
  link: Link,
): OwnPart<DynamicZonePlan> {
  const resolve = once(() => new Map(components.map((uid) => [uid, link.component(uid)])))
  return { kind: 'dynamiczone', ...boundsOf(min, max), components: resolve }
}

function compileMedia(
  base: Pick<MediaPlan, keyof Names | 'private' | 'required' | 'localized'>,
  { multiple = false, allowedTypes, privateFiles = false }: MediaDefinition,
  link: Link,
): OwnPart<MediaPlan> {
  const relation = multiple ? 'oneToMany' : 'oneToOne'
  const files = {
    ...base,
    ...compileRelation({ type: 'relation', relation, target: FILE_UID }, link),
  }
  return {
    kind: 'media',
    multiple,
    allowedTypes: allowedTypes ?? null,
    privateFiles,
    files: Object.freeze(files),
  }
}

function boundsOf(
  min: number | undefined,
  max: number | undefined,
): { readonly min: number | null; readonly max: number | null } {
  return { min: min ?? null, max: max ?? null }
}

function compileRelation(
  { relation, target, inversedBy, mappedBy, unshown = false, onUserDelete }: RelationDefinition,
  link: Link,
): OwnPart<RelationPlan> {
  const otherSide = mappedBy ?? inversedBy ?? null
  const resolve = once(() => link.contentType(target))
  return {
    kind: 'relation',
    relation,
    toMany: relation === 'oneToMany' || relation === 'manyToMany',
    side: mappedBy === undefined ? 'owner' : 'inverse',
    otherSide,
    otherStored: () =>
      otherSide === null ? null : (resolve().attributes.get(otherSide)?.storedName ?? null),
    targetUid: target,
    ...(unshown && { unshown }),
    ...(onUserDelete !== undefined && { onUserDelete }),
    target: resolve,
  }
}
