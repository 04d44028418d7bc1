import type {
  Data,
  IndexDefinition,
  QueryDefinition,
  RelationKind,
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

export interface ShapePlan {
  readonly uid: Uid
  readonly attributes: ReadonlyMap<string, AttributePlan>
  readonly members: ReadonlyMap<string, AttributePlan>
}

export interface ContentTypePlan extends ShapePlan {
  readonly kind: 'collectionType' | 'singleType'
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  readonly collectionName: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  readonly sharded: boolean
  readonly history: boolean
  readonly indexes: readonly IndexDefinition[]
  readonly filterable: readonly string[] | null
  readonly validators: Validators
  readonly users?: () => readonly ContentTypePlan[]
}

export interface ComponentPlan extends ShapePlan {
  readonly displayName: string
}

export type AttributePlan =
  ScalarPlan | RelationPlan | ComponentAttributePlan | DynamicZonePlan | MediaPlan

interface AttributeBase {
  readonly name: string
  readonly private: boolean
  readonly required: boolean
  readonly localized: boolean
  readonly writable?: boolean
}

export interface ScalarPlan extends AttributeBase {
  readonly kind: 'scalar'
  readonly type: ScalarType
  /** `id`, `documentId`, `createdAt`, `updatedAt`, `publishedAt` and `locale` are set by the server. */
  readonly system: boolean
  readonly unique: boolean
  readonly targetField?: string
  readonly onRequest: boolean
  readonly searchable: boolean
  readonly default: unknown
  readonly limits: ScalarLimits
}

export type ScalarLimits = Pick<
  ScalarDefinition,
  'enum' | 'min' | 'max' | 'minLength' | 'maxLength' | 'regex'
>

export interface RelationPlan extends AttributeBase {
  readonly kind: 'relation'
  readonly relation: RelationKind
  readonly toMany: boolean
  /** The owner stores documentIds. The inverse is read through the owner's index. */
  readonly side: 'owner' | 'inverse'
  readonly otherSide: string | null
  readonly targetUid: Uid
  readonly unshown?: boolean
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
  readonly files: RelationPlan
}

export interface PayloadOptions {
  readonly creating: boolean
  readonly isTrusted?: boolean
}

/**
 * Returned values are in stored form: dates are `Date`, biginteger `bigint`, decimal `Decimal`. All
 * throw ValidationError. If a payload has unknown keys, the error names the first one only. Otherwise it lists all
 * faults.
 */
export interface Validators {
  /** For a draft: no checks of required, minimum, format or number of items. */
  readonly draft: (data: unknown, options: PayloadOptions) => Data
  /** For a type without draft & publish: checks everything. `required` applies to creations only. */
  readonly direct: (data: unknown, options: PayloadOptions) => Data
  readonly publishable: (version: Data) => void
  readonly only: (names: readonly string[]) => Validators
}
