interface CommonOptions {
  readonly description?: string
  readonly required?: boolean
  readonly private?: boolean
  /** False: the attribute is shown read only. */
  readonly writable?: boolean
  /** Whether each locale has its own value, if the content type is localized. */
  readonly localized?: boolean
}

export const TEXT_TYPES = ['string', 'text', 'richtext', 'email', 'password', 'uid'] as const
export const NUMBER_TYPES = ['integer', 'biginteger', 'float', 'decimal'] as const
export const TIME_TYPES = ['date', 'datetime', 'time', 'timestamp'] as const
export const OTHER_SCALAR_TYPES = ['blocks', 'boolean', 'enumeration', 'json'] as const

export const ATTRIBUTE_TYPES = [
  ...TEXT_TYPES,
  ...NUMBER_TYPES,
  ...TIME_TYPES,
  ...OTHER_SCALAR_TYPES,
  'relation',
  'media',
  'component',
  'dynamiczone',
] as const

export type AttributeType = (typeof ATTRIBUTE_TYPES)[number]
export type NumberType = (typeof NUMBER_TYPES)[number]
export type ScalarType =
  | (typeof TEXT_TYPES)[number]
  | NumberType
  | (typeof TIME_TYPES)[number]
  | (typeof OTHER_SCALAR_TYPES)[number]

export interface ScalarAttribute extends CommonOptions {
  readonly type: ScalarType
  /** Whether a database index supports sorting by it. */
  readonly index?: boolean
  readonly unique?: boolean
  readonly default?: unknown
  readonly min?: number | string
  readonly max?: number | string
  readonly minLength?: number
  readonly maxLength?: number
  readonly regex?: string
  readonly enum?: readonly string[]
  readonly targetField?: string
}

export interface RelationAttribute extends CommonOptions {
  readonly type: 'relation'
  readonly relation: 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany'
  readonly target: string
  readonly inversedBy?: string
  readonly mappedBy?: string
}

export interface MediaAttribute extends CommonOptions {
  readonly type: 'media'
  readonly multiple?: boolean
  readonly allowedTypes?: readonly string[]
}

export interface ComponentAttribute extends CommonOptions {
  readonly type: 'component'
  readonly component: string
  readonly repeatable?: boolean
  readonly min?: number
  readonly max?: number
}

export interface ZoneAttribute extends CommonOptions {
  readonly type: 'dynamiczone'
  readonly components: readonly string[]
  readonly min?: number
  readonly max?: number
}

export type Attribute =
  ScalarAttribute | RelationAttribute | MediaAttribute | ComponentAttribute | ZoneAttribute

export type Attributes = Readonly<Record<string, Attribute>>

export interface ComponentDeclaration {
  readonly uid: string
  readonly displayName: string
  readonly attributes: Attributes
}

export type Components = ReadonlyMap<string, ComponentDeclaration>

export function isNumberType(type: string): type is NumberType {
  return (NUMBER_TYPES as readonly string[]).includes(type)
}

export function isComponentList(attribute: Attribute): boolean {
  return (
    attribute.type === 'dynamiczone' ||
    (attribute.type === 'component' && attribute.repeatable === true)
  )
}

/** The target of a relation; undefined for other types. */
export function targetOf(attribute: Attribute | undefined): string | undefined {
  return attribute?.type === 'relation' ? attribute.target : undefined
}

export function isToMany({ relation }: RelationAttribute): boolean {
  return relation === 'oneToMany' || relation === 'manyToMany'
}
