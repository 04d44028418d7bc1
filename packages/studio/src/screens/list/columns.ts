import { type AttributeType } from '@quire/schema/attributes'
import { type Attribute, isToMany } from '../../api/attributes.ts'
import type { Declaration } from '../../api/content-types.ts'
import { AUTHOR_NAMES, OWN_ATTRIBUTES, STAGE } from './filter-words.ts'

/** A column next to the title: an attribute, or a property such as the state. */
export interface Column {
  readonly name: string
  /** Absent for the state, the stage, the languages and authors. */
  readonly attribute?: Attribute
}

export const STATE_COLUMN = 'state'
export const LOCALES_COLUMN = 'locales'

const HIDDEN_TYPES: ReadonlySet<AttributeType> = new Set([
  'blocks',
  'json',
  'component',
  'dynamiczone',
  'password',
])

const DEFAULT_ATTRIBUTES = 3

/** All possible columns of a type, in the order of its declaration. */
export function columnsOf(declaration: Declaration): readonly Column[] {
  const { draftAndPublish, localized, stages, attributes, titleField } = declaration
  return [
    ...(draftAndPublish ? [{ name: STATE_COLUMN }] : []),
    ...(stages === undefined ? [] : [{ name: STAGE }]),
    ...(localized ? [{ name: LOCALES_COLUMN }] : []),
    ...Object.entries({ ...attributes, ...OWN_ATTRIBUTES })
      .filter(([name, { type }]) => name !== titleField && !HIDDEN_TYPES.has(type))
      .filter(([name]) => draftAndPublish || name !== 'publishedAt')
      .map(([name, attribute]) => ({ name, attribute })),
    ...AUTHOR_NAMES.map((name) => ({ name })),
  ]
}

function defaultColumns(all: readonly Column[]): readonly string[] {
  const short = all.filter(({ name, attribute }) => isShort(attribute) && !(name in OWN_ATTRIBUTES))
  return [
    ...all
      .filter(({ name, attribute }) => attribute === undefined && !AUTHOR_NAMES.includes(name))
      .map(({ name }) => name),
    ...short.slice(0, DEFAULT_ATTRIBUTES).map(({ name }) => name),
    'updatedAt',
  ]
}

function isShort(attribute: Attribute | undefined): boolean {
  if (attribute === undefined) return false
  if (attribute.type === 'relation') return !isToMany(attribute)
  return !['text', 'richtext', 'uid', 'media', 'location'].includes(attribute.type)
}

export function shownColumns(all: readonly Column[], chosen: unknown): readonly Column[] {
  const names = Array.isArray(chosen) ? (chosen as readonly unknown[]) : defaultColumns(all)
  return names.flatMap((name) => all.filter((column) => column.name === name))
}

const UNSORTABLE_TYPES: ReadonlySet<AttributeType> = new Set([
  ...HIDDEN_TYPES,
  'location',
  'richtext',
  'relation',
  'media',
])

export function isSortable({ attribute }: Column): boolean {
  return (
    attribute !== undefined && attribute.computed !== true && !UNSORTABLE_TYPES.has(attribute.type)
  )
}

export function pictureOf({ attributes }: Pick<Declaration, 'attributes'>): string | null {
  const found = Object.entries(attributes).find(
    ([, attribute]) =>
      attribute.type === 'media' &&
      attribute.multiple !== true &&
      (attribute.allowedTypes ?? ['images']).includes('images'),
  )
  return found?.[0] ?? null
}
