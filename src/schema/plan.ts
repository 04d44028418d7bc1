import type {
  Data,
  IndexDefinition,
  QueryDefinition,
  RelationKind,
  ScalarDefinition,
  ScalarType,
  Uid,
} from './definition.ts'

/** The compiled whole: linked and frozen at start-up, read by every request. */
export interface Schema {
  readonly contentTypes: ReadonlyMap<Uid, ContentTypePlan>
  readonly components: ReadonlyMap<Uid, ComponentPlan>
  /** The reads that are declared beside them, by name; `query/named` compiles them. */
  readonly queries: ReadonlyMap<string, QueryDefinition>
  /** What was declared, but is hardly meant: a sentence each, for the log of a start. */
  readonly warnings: readonly string[]
}

/** What a content-type and a component have in common. */
export interface ShapePlan {
  readonly uid: Uid
  /** The declared attributes, in declared order. */
  readonly attributes: ReadonlyMap<string, AttributePlan>
  /**
   * Everything an entry can show, in the order in which it shows it: `id`, `documentId`, the declared
   * attributes, `createdAt`, `updatedAt`, `publishedAt`, `locale`; of a component `id` and the declared ones.
   */
  readonly members: ReadonlyMap<string, AttributePlan>
}

export interface ContentTypePlan extends ShapePlan {
  readonly kind: 'collectionType' | 'singleType'
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  /** The Mongo collection that holds its versions. */
  readonly collectionName: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** Whether reservations hold what is unique, and not indexes: its collection may be sharded. */
  readonly sharded: boolean
  /** Whether the commit log keeps what its versions were. */
  readonly history: boolean
  /** The indexes that its declaration asks for, each once. */
  readonly indexes: readonly IndexDefinition[]
  /** The paths that descriptions offer to filter by; null: all. */
  readonly filterable: readonly string[] | null
  readonly validators: Validators
  /** Of the type of files alone: the content-types with media of their own, which is where one may be used. */
  readonly users?: () => readonly ContentTypePlan[]
}

export interface ComponentPlan extends ShapePlan {
  readonly displayName: string
}

export type AttributePlan =
  ScalarPlan | RelationPlan | ComponentAttributePlan | DynamicZonePlan | MediaPlan

interface AttributeBase {
  readonly name: string
  /** Never shown, filtered, sorted or selected. Passwords are private by nature. */
  readonly private: boolean
  readonly required: boolean
  /** In a localized content-type: each locale has its own value. */
  readonly localized: boolean
  /** False: no request may give it. */
  readonly writable?: boolean
}

export interface ScalarPlan extends AttributeBase {
  readonly kind: 'scalar'
  readonly type: ScalarType
  /** `id`, `documentId`, `createdAt`, `updatedAt`, `publishedAt`, `locale`: written by the server alone. */
  readonly system: boolean
  readonly unique: boolean
  /** Of a uid: the attribute that it is made from. */
  readonly targetField?: string
  /** Shown only where `fields` names it. */
  readonly onRequest: boolean
  /** Whether `_q` may look into it. */
  readonly searchable: boolean
  /** In stored form; undefined when none is declared. */
  readonly default: unknown
  /** As declared, for descriptions: `validators` holds values to them. */
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
  /** The owner stores the documentIds; the inverse is read through the owner's index. */
  readonly side: 'owner' | 'inverse'
  /** The attribute on the target at the other end; null when the relation is one-way. */
  readonly otherSide: string | null
  readonly targetUid: Uid
  /** Never populated, for any principal. */
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
  /** By component uid, in declared order. */
  components(): ReadonlyMap<Uid, ComponentPlan>
}

export interface MediaPlan extends AttributeBase {
  readonly kind: 'media'
  readonly multiple: boolean
  readonly allowedTypes: readonly string[] | null
  /** The attribute as queries see it: a one-way relation to files. */
  readonly files: RelationPlan
}

export interface PayloadOptions {
  readonly creating: boolean
  /** What is given is no client's: attributes that are not writable may be among it. */
  readonly isTrusted?: boolean
}

/**
 * Checks of what a client sends, built once per content-type. Values returned are in stored form
 * (`schema/attribute-kinds.ts`): dates are `Date`, biginteger `bigint`, decimal `Decimal`, the rest
 * as in JSON; components are nested `Data` (with the `id` that was sent), zones carry `__component`,
 * relations and media are as they were sent.
 *
 * All throw ValidationError. Keys that are no attribute come first and alone (`Invalid key K`), then
 * all other faults together.
 */
export interface Validators {
  /** For a draft: types, maximum lengths and enumerations; not required, minimum, format or number of items. */
  readonly draft: (data: unknown, options: PayloadOptions) => Data
  /** For a type without draft & publish: everything; `required` as well when creating. */
  readonly direct: (data: unknown, options: PayloadOptions) => Data
  /** A complete draft version in stored form, before it is published: everything. Returns nothing. */
  readonly publishable: (version: Data) => void
  /** The validators of some of the attributes; any other key is unknown to them. */
  readonly only: (names: readonly string[]) => Validators
}
