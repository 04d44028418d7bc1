import {
  type ComponentOptions,
  type DynamicZoneOptions,
  type MediaOptions,
  NUMBER_TYPES,
  type NumberType,
  type RelationOptions,
  type ScalarOptions,
} from '@quire/schema/attributes'

/** The options that the server adds for editors. */
interface ShownOptions {
  readonly description?: string
  /** Whether each locale has its own value, if the content type is localized. */
  readonly localized?: boolean
  /** By an extension. It is read-only, and lists cannot filter or sort by it. */
  readonly computed?: boolean
}

export interface ScalarAttribute extends ScalarOptions, ShownOptions {}

export interface RelationAttribute extends RelationOptions, ShownOptions {}

export interface MediaAttribute extends MediaOptions, ShownOptions {}

export interface ComponentAttribute extends ComponentOptions, ShownOptions {}

export interface ZoneAttribute extends DynamicZoneOptions, ShownOptions {}

export type Attribute =
  ScalarAttribute | RelationAttribute | MediaAttribute | ComponentAttribute | ZoneAttribute

export type Attributes = Readonly<Record<string, Attribute>>

export interface ComponentDeclaration {
  readonly uid: string
  readonly displayName: string
  readonly description?: string
  readonly icon?: string
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
