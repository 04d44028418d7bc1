import { once } from '../base/once.ts'
import {
  FILE_UID,
  type AttributeDefinition,
  type ComponentAttributeDefinition,
  type ComputedDefinition,
  type DynamicZoneDefinition,
  type MediaDefinition,
  type RelationDefinition,
  type ScalarDefinition,
  type ScalarType,
  type Uid,
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
  StoredAttributeName,
} from './plan.ts'
import { storedDefault } from './values/scalar-rules.ts'

export interface AttributeNames {
  readonly stored: string
  readonly former: readonly string[]
  readonly formerTypes?: readonly string[]
  readonly convertedAt?: number
}

export type StoredNames = ReadonlyMap<Uid, ReadonlyMap<string, AttributeNames>>

/** Finds the plans of other types. Relations and components can be circular, so plans look them up when asked. */
export interface PlanLink {
  readonly storedNames: StoredNames
  fileUsers(): readonly ContentTypePlan[]
  /** The types whose collection other services write. */
  readonly adopted: ReadonlySet<Uid>
  contentType(uid: Uid): ContentTypePlan
  component(uid: Uid): ComponentPlan
}

export type DeclaredAttributes = Readonly<Record<string, AttributeDefinition>>

export function systemPlan(name: string, type: ScalarType, isNullable = false): AttributePlan {
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
    ...(isNullable && { nullable: true }),
  }
  return Object.freeze(plan)
}

export function toStoredName(name: string): StoredAttributeName {
  return name as StoredAttributeName
}

/** Private sources make the attribute private. */
export function computedPlan(
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

export function compileAttributes(
  uid: Uid,
  declared: DeclaredAttributes,
  localizedType: boolean,
  link: PlanLink,
): ReadonlyMap<string, AttributePlan> {
  const plans = Object.entries(declared).map(([name, definition]): [string, AttributePlan] => {
    const own = link.storedNames.get(uid)?.get(name) ?? { stored: name, former: [] }
    const { stored, former, formerTypes = [], convertedAt = 0 } = own
    const names = {
      name,
      storedName: toStoredName(stored),
      formerNames: former,
      ...(formerTypes.length > 0 && { formerTypes }),
      ...(convertedAt > 0 && { convertedAt }),
    }
    const plan = compileAttribute(names, definition, link)
    const localized = localizedType && isLocalized(definition)
    if (!link.adopted.has(uid)) return [name, Object.freeze({ ...plan, localized })]
    // No other service is known to fill it.
    const { required: requiredInWrites } = plan
    return [name, Object.freeze({ ...plan, localized, required: false, requiredInWrites })]
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

type Names = Pick<
  AttributePlan,
  'name' | 'storedName' | 'formerNames' | 'formerTypes' | 'convertedAt'
>

function compileAttribute(
  names: Names,
  definition: AttributeDefinition,
  link: PlanLink,
): AttributePlan {
  const base = {
    ...names,
    private: definition.private === true || definition.type === 'password',
    required: definition.required === true,
    localized: false,
    ...(isFixed(definition, link) && { writable: false }),
    ...(definition.conflict !== undefined && { conflict: definition.conflict }),
    ...(definition.convert !== undefined && { convert: definition.convert }),
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

/** A write to the inverse side of a relation changes its owner. */
function isFixed(definition: AttributeDefinition, { adopted }: PlanLink): boolean {
  if (definition.writable === false) return true
  if (definition.type !== 'relation' || definition.mappedBy === undefined) return false
  return adopted.has(definition.target)
}

function sourceOf({ type, targetField }: ScalarDefinition): Pick<ScalarPlan, 'targetField'> {
  return type === 'uid' && targetField !== undefined ? { targetField } : {}
}

function limitsOf(definition: ScalarDefinition): ScalarLimits {
  const named = LIMITS.map((name) => [name, definition[name]] as const)
  return Object.fromEntries(named.filter(([, value]) => value !== undefined))
}

const LIMITS = [
  'enum',
  'formerValues',
  'min',
  'max',
  'minLength',
  'maxLength',
  'regex',
  'extended',
] as const

type OwnPart<Plan extends AttributePlan> = Omit<
  Plan,
  keyof Names | 'private' | 'required' | 'localized'
>

function compileInner(
  { component, repeatable = false, min, max }: ComponentAttributeDefinition,
  link: PlanLink,
): OwnPart<ComponentAttributePlan> {
  const resolve = once(() => link.component(component))
  return { kind: 'component', repeatable, ...boundsOf(min, max), component: resolve }
}

function compileZone(
  { components, min, max }: DynamicZoneDefinition,
  link: PlanLink,
): OwnPart<DynamicZonePlan> {
  const resolve = once(() => new Map(components.map((uid) => [uid, link.component(uid)])))
  return { kind: 'dynamiczone', ...boundsOf(min, max), components: resolve }
}

function compileMedia(
  base: Pick<MediaPlan, keyof Names | 'private' | 'required' | 'localized'>,
  { multiple = false, allowedTypes, privateFiles = false }: MediaDefinition,
  link: PlanLink,
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
  link: PlanLink,
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
