import Joi from 'joi'
import type { Schema as JoiSchema } from 'joi'
import { findIndexShapeFaults } from './declared-indexes.ts'
import {
  type DeclarationFault,
  RELATION_KINDS,
  SCALAR_TYPES,
  type ScalarType,
} from '../definition.ts'
import { previewProblem } from '../preview-template.ts'
import { didYouMean, nearestTo } from '../../base/near-miss.ts'
import { isRecord } from '../../base/is-record.ts'

const flag = Joi.boolean()
const name = Joi.string()
const count = Joi.number().integer().min(0)
const integerText = Joi.string().pattern(/^[+-]?\d+$/, 'a whole number')
const pluginOptions = Joi.object({ i18n: Joi.object({ localized: flag }).unknown() }).unknown()
const itemBounds = { min: count, max: count }

export const COMMON_OPTIONS = {
  type: name,
  required: flag,
  private: flag,
  configurable: flag,
  writable: flag,
  searchable: flag,
  pluginOptions,
  index: flag,
}
const SCALAR = { ...COMMON_OPTIONS, unique: flag, default: Joi.any() }
const TEXT = { ...SCALAR, minLength: count, maxLength: count, regex: name }
const NUMBER = { ...SCALAR, min: Joi.number(), max: Joi.number() }

const SCALAR_OPTIONS: Readonly<Record<ScalarType, Joi.PartialSchemaMap>> = {
  string: TEXT,
  text: TEXT,
  richtext: TEXT,
  email: TEXT,
  password: TEXT,
  uid: { ...TEXT, targetField: name },
  enumeration: { ...SCALAR, enum: Joi.array().items(Joi.string()).min(1).unique().required() },
  integer: NUMBER,
  float: NUMBER,
  decimal: NUMBER,
  biginteger: {
    ...SCALAR,
    min: Joi.alternatives(integerText, Joi.number().integer()),
    max: Joi.alternatives(integerText, Joi.number().integer()),
  },
  boolean: SCALAR,
  date: SCALAR,
  time: SCALAR,
  datetime: SCALAR,
  timestamp: SCALAR,
  json: SCALAR,
  blocks: SCALAR,
}

export const ATTRIBUTE_OPTIONS: Readonly<Record<string, Joi.PartialSchemaMap>> = {
  ...SCALAR_OPTIONS,
  relation: {
    ...COMMON_OPTIONS,
    relation: Joi.valid(...RELATION_KINDS).required(),
    target: name.required(),
    inversedBy: name,
    mappedBy: name,
  },
  component: { ...COMMON_OPTIONS, ...itemBounds, component: name.required(), repeatable: flag },
  dynamiczone: {
    ...COMMON_OPTIONS,
    ...itemBounds,
    components: Joi.array().items(name).unique().required(),
  },
  media: {
    ...COMMON_OPTIONS,
    multiple: flag,
    allowedTypes: Joi.array().items(Joi.valid('images', 'videos', 'audios', 'files')),
  },
}

const INFO: Joi.PartialSchemaMap = {
  singularName: name,
  pluralName: name,
  displayName: name,
  description: Joi.any(),
  icon: Joi.any(),
}
const API: Joi.PartialSchemaMap = { filterable: Joi.array().items(name).unique() }
const preview = Joi.string().custom((template: string, helpers) => {
  const problem = previewProblem(template)
  return problem === null ? template : helpers.message({ custom: '{#problem}' }, { problem })
})
const OPTIONS: Joi.PartialSchemaMap = {
  draftAndPublish: flag,
  sharded: flag,
  history: flag,
  indexes: Joi.any(),
  api: Joi.object(API).unknown(),
  preview,
}

const DECLARATION: Joi.PartialSchemaMap = {
  kind: Joi.valid('collectionType', 'singleType'),
  collectionName: Joi.string().pattern(/^(?!system\.)[A-Za-z_][\w-]*$/, 'letters, digits and _'),
  info: Joi.object(INFO).unknown(),
  options: Joi.object(OPTIONS).unknown(),
  pluginOptions,
  attributes: Joi.object(),
  config: Joi.any(),
}

/** Options that only the admin panel or the SQL layer of the reference uses. They are accepted and ignored. */
const IGNORED_OPTIONS = [
  'visible',
  'editable',
  'description',
  'displayName',
  'column',
  'columnName',
  'columnType',
  'conditions',
  'options',
  'customField',
  'enumName',
  'useJoinTable',
  'joinTable',
  'joinColumn',
  'morphBy',
  'morphColumn',
  'pluginData',
]

const ATTRIBUTE_TYPES = [...SCALAR_TYPES, 'relation', 'component', 'dynamiczone', 'media']
const EFFECTIVE_OPTIONS = new Set(
  Object.values(ATTRIBUTE_OPTIONS).flatMap((map) => Object.keys(map)),
)
const KEYS_OF_TYPE = new Map(
  Object.entries(ATTRIBUTE_OPTIONS).map(([type, options]) => [type, new Set(Object.keys(options))]),
)
const ATTRIBUTE_RULES = new Map(
  Object.entries(ATTRIBUTE_OPTIONS).map(([type, options]) => [type, Joi.object(options).unknown()]),
)
const DECLARATION_RULE = Joi.object(DECLARATION).unknown().required()

const NO_ATTRIBUTES =
  'missing: this declares no content-type and no component; other files belong elsewhere'

export function findDeclarationFaults(content: unknown): readonly DeclarationFault[] {
  const faults = findFaults(DECLARATION_RULE, content)
  if (!isRecord(content)) return faults
  const info = isRecord(content['info']) ? content['info'] : {}
  const options = isRecord(content['options']) ? content['options'] : {}
  const isMissing = content['attributes'] === undefined
  return [
    ...faults,
    ...findTypos(content, new Set(Object.keys(DECLARATION))),
    ...within('info', findTypos(info, new Set(Object.keys(INFO)))),
    ...within('options', findTypos(options, new Set(Object.keys(OPTIONS)))),
    ...within('options.api', findTypos(objectIn(options, 'api'), new Set(Object.keys(API)))),
    ...findIndexShapeFaults(options['indexes']),
    ...(isMissing ? [{ path: 'attributes', problem: NO_ATTRIBUTES }] : []),
  ]
}

function objectIn(content: Readonly<Record<string, unknown>>, key: string): object {
  return isRecord(content[key]) ? content[key] : {}
}

export function findUnknownKeys(content: unknown, path: string): readonly DeclarationFault[] {
  if (!isRecord(content)) return []
  const type = String(content['type'])
  const known = KEYS_OF_TYPE.get(type)
  if (known === undefined) return []
  const unknown = Object.keys(content).filter(
    (key) => !known.has(key) && !IGNORED_OPTIONS.includes(key),
  )
  return unknown.map((key) => ({
    path: `${path}.${key}`,
    problem: EFFECTIVE_OPTIONS.has(key)
      ? `has no effect on attributes of type ${type}`
      : 'is not known, and has no effect',
  }))
}

export function findAttributeFaults(content: unknown, path: string): readonly DeclarationFault[] {
  if (!isRecord(content)) {
    return [{ path, problem: 'must be an object with a type' }]
  }
  const { type } = content
  const rule = ATTRIBUTE_RULES.get(String(type))
  if (rule === undefined) return [{ path: `${path}.type`, problem: noSuchType(type) }]
  const faults = [...findFaults(rule, content), ...findTypos(content, EFFECTIVE_OPTIONS)]
  return within(path, faults)
}

function within(path: string, faults: readonly DeclarationFault[]): readonly DeclarationFault[] {
  return faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` }))
}

function noSuchType(type: unknown): string {
  if (typeof type !== 'string') return `must be one of ${ATTRIBUTE_TYPES.join(', ')}`
  const hint = didYouMean(type, ATTRIBUTE_TYPES)
  return `no attribute type ${type}${hint === '' ? `; there are ${ATTRIBUTE_TYPES.join(', ')}` : hint}`
}

function findFaults(rule: JoiSchema, content: unknown): readonly DeclarationFault[] {
  const { error } = rule.validate(content, {
    abortEarly: false,
    convert: false,
    errors: { label: false, wrap: { array: false } },
    messages: { 'string.pattern.name': 'must be {{#name}}' },
  })
  return (error?.details ?? []).map(({ path, message }) => ({
    path: path.join('.'),
    problem: message,
  }))
}

/** Unknown options are ignored, except misspellings of known ones. */
function findTypos(content: object, known: ReadonlySet<string>): readonly DeclarationFault[] {
  return Object.keys(content).flatMap((key) => {
    if (known.has(key) || IGNORED_OPTIONS.includes(key)) return []
    const nearest = nearestTo(key, known)
    return nearest === null
      ? []
      : [{ path: key, problem: `no such option; did you mean ${nearest}?` }]
  })
}
