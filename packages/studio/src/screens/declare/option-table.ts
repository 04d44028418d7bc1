import { ATTRIBUTE_TYPES, type AttributeType } from '@quire/schema/attributes'

/** The options that the form edits. All others are preserved. */
export type AttributeOption =
  | 'required'
  | 'unique'
  | 'private'
  | 'localized'
  | 'minLength'
  | 'maxLength'
  | 'regex'
  | 'min'
  | 'max'
  | 'default'
  | 'enum'
  | 'targetField'
  | 'relation'
  | 'component'
  | 'components'
  | 'repeatable'
  | 'multiple'
  | 'allowedTypes'
  | 'privateFiles'

const COMMON: readonly AttributeOption[] = ['required', 'private', 'localized']
const SCALAR: readonly AttributeOption[] = ['required', 'unique', 'private', 'localized']
const TEXT: readonly AttributeOption[] = ['minLength', 'maxLength', 'regex', 'default', ...SCALAR]
const NUMBER: readonly AttributeOption[] = ['min', 'max', 'default', ...SCALAR]
const MOMENT: readonly AttributeOption[] = ['default', ...SCALAR]

const OPTIONS: Readonly<Record<AttributeType, readonly AttributeOption[]>> = {
  string: TEXT,
  text: TEXT,
  richtext: ['minLength', 'maxLength', 'default', ...COMMON],
  blocks: COMMON,
  email: TEXT,
  password: ['minLength', 'maxLength', ...COMMON],
  uid: ['targetField', 'minLength', 'maxLength', 'regex', ...COMMON],
  enumeration: ['enum', 'default', ...SCALAR],
  integer: NUMBER,
  biginteger: NUMBER,
  decimal: NUMBER,
  float: NUMBER,
  boolean: ['default', ...COMMON],
  date: MOMENT,
  time: MOMENT,
  datetime: MOMENT,
  timestamp: MOMENT,
  json: COMMON,
  location: COMMON,
  relation: ['relation', ...COMMON],
  component: ['component', 'repeatable', 'min', 'max', ...COMMON],
  dynamiczone: ['components', 'min', 'max', ...COMMON],
  media: ['multiple', 'allowedTypes', 'privateFiles', ...COMMON],
}

export function optionsOf(type: string): readonly AttributeOption[] {
  return isKnownType(type) ? OPTIONS[type] : []
}

export function isKnownType(type: unknown): type is AttributeType {
  return (ATTRIBUTE_TYPES as readonly unknown[]).includes(type)
}

/** The options that an attribute keeps when its type changes. */
export const COMMON_OPTIONS: readonly string[] = [
  'from',
  'alias',
  'required',
  'private',
  'writable',
  'pluginOptions',
  'studio',
]
