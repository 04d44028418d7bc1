import type { ConflictPolicy, ConvertOption, UserDeletion } from '@quire/schema/attributes'
import type {
  AdoptedIdKind,
  ComputedDefinition,
  Data,
  DeclaredPopulate,
  IndexDefinition,
  QueryDefinition,
  RelationKind,
  ReviewDefinition,
  ScalarDefinition,
  ScalarType,
  Uid,
} from './definition.ts'

export interface Schema {
  readonly contentTypes: ReadonlyMap<Uid, ContentTypePlan>
  readonly components: ReadonlyMap<Uid, ComponentPlan>
  readonly queries: ReadonlyMap<string, QueryDefinition>
  readonly warnings: readonly string[]
}

/** Stays the same when the attribute is renamed. Only `src/mongo` uses it. */
export type StoredAttributeName = string & { readonly stored: unique symbol }

export interface ShapePlan {
  readonly uid: Uid
  readonly attributes: ReadonlyMap<string, AttributePlan>
  readonly members: ReadonlyMap<string, AttributePlan>
  readonly stored: ReadonlyMap<string, AttributePlan>
  /** Whether an attribute has another stored name or an alias, also in components. */
  readonly isRenamed: () => boolean
}

export interface ContentTypePlan extends ShapePlan {
  /** Differs from `uid` after a rename. Only the code of the project and archives use it. */
  readonly declaredUid: Uid
  /** Uids of earlier releases, for archives and files of roles. */
  readonly formerUids: readonly Uid[]
  readonly kind: 'collectionType' | 'singleType'
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  readonly icon?: string
  readonly collectionName: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  readonly sharded: boolean
  readonly history: boolean
  /** Whether devices may push changes that they made offline. */
  readonly push?: boolean
  readonly review?: ReviewDefinition
  /** The template of the URLs in links to its entries, such as `/articles/{slug}`. */
  readonly url?: string
  readonly indexes: readonly IndexDefinition[]
  readonly filterable: readonly string[] | null
  /** Null if responses contain no relations by default. */
  readonly populate: DefaultPopulate | null
  /** Null if the type has no full-text index. */
  readonly search: SearchPlan | null
  readonly validators: Validators
  readonly users?: () => readonly ContentTypePlan[]
  /** Set if other services write the collection. */
  readonly adopted?: AdoptedPlan
}

export interface AdoptedPlan {
  readonly idKind: AdoptedIdKind
  /** Whether the commit log has the changes of other services, so that the type can be synced. */
  readonly isFollowed: boolean
  /** `write` of the declaration. */
  readonly declaresWrites: boolean
  /** Whether clients may write, too. Never without `isFollowed`. */
  readonly isWritable: boolean
  /** The path of the number that each update increments. Null if a digest of the declared values is the revision. */
  readonly versionPath: string | null
  /** The dotted path in a document. */
  readonly pathOf: (attribute: string) => string
  /** The paths of the creation and update times that the declaration names. */
  readonly times: ReadonlyMap<AdoptedTime, string>
}

export const ADOPTED_TIMES = ['createdAt', 'updatedAt'] as const

export type AdoptedTime = (typeof ADOPTED_TIMES)[number]

export interface SearchPlan {
  /** In declared order. A row of the index refers to attributes by their place in it. */
  readonly weights: ReadonlyMap<string, number>
  /** Changes whenever the rows of the index no longer fit the declaration. */
  readonly shape: () => string
}

export interface DefaultPopulate {
  readonly file: string
  /** As parsed from a query string: numbers and booleans are texts. */
  readonly asked: DeclaredPopulate
}

export interface ComponentPlan extends ShapePlan {
  /** Stays the same when the component is renamed. Only `src/mongo` uses it, and the allocation of ids. */
  readonly storedUid: Uid
  readonly formerUids: readonly Uid[]
  readonly displayName: string
}

export type AttributePlan =
  ScalarPlan | RelationPlan | ComponentAttributePlan | DynamicZonePlan | MediaPlan

interface AttributeBase {
  readonly name: string
  readonly storedName: StoredAttributeName
  readonly formerNames: readonly string[]
  /** The types of earlier releases whose values have another form. Rows of the history keep that form. */
  readonly formerTypes?: readonly string[]
  /** Changes with each conversion of stored values. */
  readonly convertedAt?: number
  readonly convert?: ConvertOption
  /** The name of the attribute, if this is another name for clients. Such a plan is a member, and no attribute. */
  readonly aliasOf?: string
  readonly private: boolean
  /** Whether a rule of the caller's permission makes it private. */
  readonly isHidden?: boolean
  /** Whether each published entry has a value. */
  readonly required: boolean
  /** Whether writes must give a value. Absent if `required` says so. */
  readonly requiredInWrites?: boolean
  readonly localized: boolean
  readonly writable?: boolean
  /** How a push is merged that conflicts with another change. Default: `ask`. */
  readonly conflict?: ConflictPolicy
}

export interface ScalarPlan extends AttributeBase {
  readonly kind: 'scalar'
  readonly type: ScalarType
  /** `id`, `documentId`, `createdAt`, `updatedAt`, `publishedAt` and `locale` are set by the server. */
  readonly system: boolean
  /** Set for members of adopted entries that other entries always have. */
  readonly nullable?: boolean
  readonly unique: boolean
  readonly targetField?: string
  readonly onRequest: boolean
  readonly searchable: boolean
  readonly default: unknown
  readonly limits: ScalarLimits
  readonly computed?: ComputedDefinition
}

export type ScalarLimits = Pick<
  ScalarDefinition,
  'enum' | 'formerValues' | 'min' | 'max' | 'minLength' | 'maxLength' | 'regex' | 'extended'
>

export interface RelationPlan extends AttributeBase {
  readonly kind: 'relation'
  readonly relation: RelationKind
  readonly toMany: boolean
  /** The owner stores documentIds. The inverse is read through the owner's index. */
  readonly side: 'owner' | 'inverse'
  readonly otherSide: string | null
  readonly otherStored: () => StoredAttributeName | null
  readonly targetUid: Uid
  readonly unshown?: boolean
  readonly onUserDelete?: UserDeletion
  target(): ContentTypePlan
}

export interface ComponentAttributePlan extends AttributeBase {
  readonly kind: 'component'
  readonly repeatable: boolean
  readonly min: number | null
  readonly max: number | null
  component(): ComponentPlan
}

export interface DynamicZonePlan extends AttributeBase {
  readonly kind: 'dynamiczone'
  readonly min: number | null
  readonly max: number | null
  components(): ReadonlyMap<Uid, ComponentPlan>
}

export interface MediaPlan extends AttributeBase {
  readonly kind: 'media'
  readonly multiple: boolean
  readonly allowedTypes: readonly string[] | null
  readonly privateFiles: boolean
  readonly files: RelationPlan
}

export interface PayloadOptions {
  readonly creating: boolean
  readonly isTrusted?: boolean
}

/**
 * Returned values are in stored form: dates are `Date`, biginteger `bigint`, decimal `Decimal`. All throw
 * ValidationError. For unknown keys, the error names the first one only.
 */
export interface Validators {
  /** For a draft: no checks of required, minimum, format or number of items. */
  readonly draft: (data: unknown, options: PayloadOptions) => Data
  /** For a type without draft & publish: checks everything. `required` applies to creations only. */
  readonly direct: (data: unknown, options: PayloadOptions) => Data
  readonly publishable: (version: Data) => void
  /** Renames the aliases in a payload to their attributes. @throws ValidationError if an object has both */
  readonly resolveAliases: (data: Data) => Data
  /** The same for values that the server has shown, which have both names. */
  readonly withoutAliases: (shown: Data) => Data
  readonly only: (names: readonly string[]) => Validators
}

export type NestingPlan = ComponentAttributePlan | DynamicZonePlan

export function isNesting(attribute: AttributePlan): attribute is NestingPlan {
  return attribute.kind === 'component' || attribute.kind === 'dynamiczone'
}

export function componentOf(attribute: NestingPlan, element: Data): ComponentPlan | undefined {
  return attribute.kind === 'component'
    ? attribute.component()
    : attribute.components().get(String(element['__component']))
}

const USUAL: readonly string[] = [
  'title',
  'name',
  'label',
  'headline',
  'subject',
  'displayName',
  'username',
]

export function titleFieldOf({ attributes }: Pick<ContentTypePlan, 'attributes'>): string {
  const texts = [...attributes.values()].filter(isText)
  const named = USUAL.find((title) => texts.some(({ name }) => name === title))
  const first = texts.find((plan) => plan.kind === 'scalar' && plan.type === 'string') ?? texts[0]
  return named ?? first?.name ?? 'documentId'
}

/** Editors look for titles, so they need another search for a type whose titles are not indexed. */
export function isTitleSearched(plan: ContentTypePlan): boolean {
  return plan.search?.weights.has(titleFieldOf(plan)) === true
}

function isText(plan: AttributePlan): boolean {
  return plan.kind === 'scalar' && (plan.type === 'string' || plan.type === 'text')
}

export function isRequiredInWrites({
  required,
  requiredInWrites = required,
}: Pick<AttributePlan, 'required' | 'requiredInWrites'>): boolean {
  return requiredInWrites
}

export type MadeUid = ScalarPlan & { readonly targetField: string }

export function isMadeUid(attribute: AttributePlan): attribute is MadeUid {
  return (
    attribute.kind === 'scalar' &&
    attribute.targetField !== undefined &&
    attribute.writable !== false
  )
}
