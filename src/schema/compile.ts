import type {
  AttributeDefinition,
  ComponentAttributeDefinition,
  ComponentDefinition,
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
} from './plan.ts'
import { once } from '../base/once.ts'
import { storedDefault } from './values/scalar-rules.ts'
import { compileValidators } from './values/validators.ts'

const FILE_UID: Uid = 'plugin::upload.file'

/** Relations and components can be circular, so plans resolve their targets by name when asked. */
export function compileSchema(definitions: Definitions): Schema {
  const contentTypes = new Map<Uid, ContentTypePlan>()
  const components = new Map<Uid, ComponentPlan>()
  const link: Link = {
    fileUsers: once(() => [...contentTypes.values()].filter(hasMedia)),
    contentType: (uid) => found(contentTypes, uid),
    component: (uid) => found(components, uid),
  }
  for (const definition of definitions.components) {
    components.set(definition.uid, compileComponent(definition, link))
  }
  const declared = new Map(definitions.components.map((component) => [component.uid, component]))
  for (const definition of definitions.contentTypes) {
    contentTypes.set(definition.uid, compileContentType(definition, declared, link))
  }
  const { warnings = [], queries: named = [] } = definitions
  const queries = new Map(named.map((query) => [query.name, query]))
  return Object.freeze({ contentTypes, components, queries, warnings })
}

function hasMedia({ attributes }: ContentTypePlan): boolean {
  return [...attributes.values()].some(({ kind }) => kind === 'media')
}

interface Link {
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
  const attributes = compileAttributes(Object.fromEntries(declared) as Attributes, false, link)
  const members = new Map([['id', systemPlan('id', 'integer')], ...attributes])
  const { uid, displayName } = definition
  return Object.freeze({ uid, displayName, attributes, members })
}

function compileContentType(
  definition: ContentTypeDefinition,
  components: ReadonlyMap<Uid, ComponentDefinition>,
  link: Link,
): ContentTypePlan {
  const {
    attributes: declared,
    file: _file,
    description: _description,
    preview: _preview,
    sharded = false,
    history = definition.draftAndPublish,
    filterable = null,
    ...options
  } = definition
  const attributes = compileAttributes(declared, definition.localized, link)
  const members = new Map<string, AttributePlan>([
    ['id', systemPlan('id', 'integer')],
    ['documentId', systemPlan('documentId', 'string')],
    ...attributes,
    ['createdAt', systemPlan('createdAt', 'datetime')],
    ['updatedAt', systemPlan('updatedAt', 'datetime')],
    ['publishedAt', systemPlan('publishedAt', 'datetime')],
  ])
  if (definition.localized) members.set('locale', systemPlan('locale', 'string'))
  const validators = compileValidators(definition, components)
  const users = definition.uid === FILE_UID ? { users: () => link.fileUsers() } : {}
  const indexes = declaredIndexes(definition)
  const own = { sharded, history, indexes, filterable, attributes, members, validators }
  return Object.freeze({ ...options, ...own, ...users })
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

function compileAttributes(
  declared: Attributes,
  localizedType: boolean,
  link: Link,
): ReadonlyMap<string, AttributePlan> {
  const plans = Object.entries(declared).map(([name, definition]): [string, AttributePlan] => {
    const plan = compileAttribute(name, definition, link)
    return [name, Object.freeze({ ...plan, localized: localizedType && isLocalized(definition) })]
  })
  return new Map(plans)
}

/** Relations are localized by default (Strapi issue 24518), but may opt out (issue 24065). */
function isLocalized({ type, pluginOptions }: AttributeDefinition): boolean {
  return pluginOptions?.i18n?.localized ?? (type === 'relation' || type === 'uid')
}

function compileAttribute(
  name: string,
  definition: AttributeDefinition,
  link: Link,
): AttributePlan {
  const base = {
    name,
    private: definition.private === true || definition.type === 'password',
    required: definition.required === true,
    localized: false,
    ...(definition.writable === false && { writable: false }),
  }
  if (definition.type === 'relation') return { ...base, ...compileRelation(definition, link) }
  if (definition.type === 'component') return { ...base, ...compileInner(definition, link) }
  if (definition.type === 'dynamiczone') return { ...base, ...compileZone(definition, link) }
  if (definition.type === 'media') return { ...base, ...compileMedia(base, definition, link) }
  // A uid identifies an entry for clients, so it is unique by default.
  const { type, unique = definition.type === 'uid', onRequest = false } = definition
  return {
    ...base,
    kind: 'scalar',
    type,
    system: false,
    unique,
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

type OwnPart<Plan extends AttributePlan> = Omit<Plan, 'name' | 'private' | 'required' | 'localized'>

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
  base: Pick<MediaPlan, 'name' | 'private' | 'required' | 'localized'>,
  { multiple = false, allowedTypes }: MediaDefinition,
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
  { relation, target, inversedBy, mappedBy, unshown = false }: RelationDefinition,
  link: Link,
): OwnPart<RelationPlan> {
  return {
    kind: 'relation',
    relation,
    toMany: relation === 'oneToMany' || relation === 'manyToMany',
    side: mappedBy === undefined ? 'owner' : 'inverse',
    otherSide: mappedBy ?? inversedBy ?? null,
    targetUid: target,
    ...(unshown && { unshown }),
    target: once(() => link.contentType(target)),
  }
}
