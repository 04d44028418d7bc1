import { ATTRIBUTE_TYPES, RELATION_KINDS, USER_DELETIONS } from '@quire/schema/attributes'
import Joi from 'joi'
import { declarationFault, suggest } from './declaration-fault.ts'
import { findIndexShapeFaults } from './declared-indexes.ts'
import { findJoiFaults } from './joi-faults.ts'
import type { DeclarationFault, DeclarationProblem, ScalarType } from '../definition.ts'
import { isUrlTemplate } from '../url-template.ts'
import { PREVIEW_PLACES, previewProblem } from '../preview-template.ts'
import { isRecord } from '../../base/is-record.ts'
import { isTimeZone } from '../../base/is-time-zone.ts'
import { REVIEW } from './review-options.ts'

const flag = Joi.boolean()
const name = Joi.string()
const count = Joi.number().integer().min(0)
const integerText = Joi.string().pattern(/^[+-]?\d+$/, 'a whole number')
const pluginOptions = Joi.object({ i18n: Joi.object({ localized: flag }).unknown() }).unknown()
const itemBounds = { min: count, max: count }

const olderNames = Joi.alternatives(name, Joi.array().items(name).min(1).unique())

const renamedValues = Joi.object().pattern(name, name).min(1)

const olderNamesAndValues = Joi.alternatives(
  name,
  renamedValues,
  Joi.array().items(name, renamedValues).min(1).unique(),
)

const conversion = Joi.any().custom((given: unknown, helpers) => {
  const isZone =
    isRecord(given) && Object.keys(given).join() === 'timeZone' && isTimeZone(given['timeZone'])
  return given === 'null' || isZone ? given : helpers.error('declare.convert')
})

/** `union` and `text` need attributes that can be joined. */
const CONFLICTS = ['ask', 'server', 'client']

export const COMMON_OPTIONS = {
  type: name,
  required: flag,
  private: flag,
  configurable: flag,
  writable: flag,
  searchable: flag,
  pluginOptions,
  index: flag,
  from: olderNames,
  alias: Joi.array().items(name).min(1).unique(),
  convert: conversion,
  studio: Joi.object({ width: Joi.valid('full', 'half'), values: Joi.object() }).unknown(),
  conflict: Joi.valid(...CONFLICTS),
}
const JOINED = { conflict: Joi.valid(...CONFLICTS, 'union') }
const SCALAR = { ...COMMON_OPTIONS, unique: flag, default: Joi.any() }
const TEXT = { ...SCALAR, minLength: count, maxLength: count, regex: name }
const PROSE = { ...TEXT, conflict: Joi.valid(...CONFLICTS, 'text') }
const NUMBER = { ...SCALAR, min: Joi.number(), max: Joi.number() }

const SCALAR_OPTIONS: Readonly<Record<ScalarType, Joi.PartialSchemaMap>> = {
  string: PROSE,
  text: PROSE,
  richtext: PROSE,
  email: TEXT,
  password: TEXT,
  uid: { ...TEXT, targetField: name },
  enumeration: {
    ...SCALAR,
    from: olderNamesAndValues,
    enum: Joi.array().items(Joi.string()).min(1).unique().required(),
  },
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
  location: { ...COMMON_OPTIONS, default: Joi.any() },
}

export const ATTRIBUTE_OPTIONS: Readonly<Record<string, Joi.PartialSchemaMap>> = {
  ...SCALAR_OPTIONS,
  relation: {
    ...COMMON_OPTIONS,
    ...JOINED,
    relation: Joi.valid(...RELATION_KINDS).required(),
    target: name.required(),
    inversedBy: name,
    mappedBy: name,
    onUserDelete: Joi.valid(...USER_DELETIONS),
  },
  component: {
    ...COMMON_OPTIONS,
    ...JOINED,
    ...itemBounds,
    component: name.required(),
    repeatable: flag,
  },
  dynamiczone: {
    ...COMMON_OPTIONS,
    ...JOINED,
    ...itemBounds,
    components: Joi.array().items(name).unique().required(),
  },
  media: {
    ...COMMON_OPTIONS,
    ...JOINED,
    multiple: flag,
    allowedTypes: Joi.array().items(Joi.valid('images', 'videos', 'audios', 'files')),
    privateFiles: flag,
  },
}

const INFO: Joi.PartialSchemaMap = {
  singularName: name,
  pluralName: name,
  displayName: name,
  description: Joi.any(),
  icon: Joi.any(),
}
const API: Joi.PartialSchemaMap = {
  filterable: Joi.array().items(name).unique(),
  populate: Joi.alternatives(name, Joi.array().items(name), Joi.object()).messages({
    'alternatives.types': 'must be a text, a list of texts or an object',
    'alternatives.match': 'must be a text, a list of texts or an object',
  }),
}
const preview = Joi.string().custom((template: string, helpers) => {
  const problem = previewProblem(template)
  if (problem === null) return template
  const { place: name } = problem
  if (name === null) return helpers.error('declare.previewAddress')
  const valids = PREVIEW_PLACES.map((one) => `{${one}}`)
  return helpers.error('declare.previewPlace', { name, valids })
})
const url = Joi.string()
  .max(500)
  .custom((template: string, { error }) =>
    isUrlTemplate(template) ? template : error('declare.urlAddress'),
  )
const MAX_WEIGHT = 100

const OPTIONS: Joi.PartialSchemaMap = {
  draftAndPublish: flag,
  sharded: flag,
  history: flag,
  push: flag,
  indexes: Joi.any(),
  search: Joi.object().pattern(Joi.string(), Joi.number().greater(0).max(MAX_WEIGHT)).min(1),
  api: Joi.object(API).unknown(),
  preview,
  url,
  review: REVIEW,
  blocks: Joi.valid('extended'),
}

const path = Joi.string().pattern(
  /^(?!\$)[^.\0]+(?:\.(?!\$)[^.\0]+)*$/,
  'names of members, joined by dots',
)

const ADOPT: Joi.PartialSchemaMap = {
  collection: Joi.string()
    .max(200)
    .pattern(/^(?!system\.)[^$\0]+$/, 'the name of a collection')
    .required(),
  id: Joi.valid('_id'),
  paths: Joi.object().pattern(Joi.string(), path),
  write: Joi.boolean(),
  version: path,
}

const DECLARATION: Joi.PartialSchemaMap = {
  adopt: Joi.object(ADOPT).unknown(),
  kind: Joi.valid('collectionType', 'singleType'),
  from: olderNames,
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

export function findDeclarationFaults(content: unknown): readonly DeclarationFault[] {
  const faults = findJoiFaults(DECLARATION_RULE, content)
  if (!isRecord(content)) return faults
  const info = isRecord(content['info']) ? content['info'] : {}
  const options = isRecord(content['options']) ? content['options'] : {}
  const isMissing = content['attributes'] === undefined
  return [
    ...faults,
    ...findTypos(content, new Set(Object.keys(DECLARATION))),
    ...within('info', findTypos(info, new Set(Object.keys(INFO)))),
    ...within('adopt', findTypos(objectIn(content, 'adopt'), new Set(Object.keys(ADOPT)))),
    ...within('options', findTypos(options, new Set(Object.keys(OPTIONS)))),
    ...within('options.api', findTypos(objectIn(options, 'api'), new Set(Object.keys(API)))),
    ...findIndexShapeFaults(options['indexes']),
    ...(isMissing ? [declarationFault('attributes', 'declare.noAttributes')] : []),
  ]
}

function objectIn(content: Readonly<Record<string, unknown>>, key: string): object {
  return isRecord(content[key]) ? content[key] : {}
}

export function findUnknownKeys(content: unknown, path: string): readonly DeclarationProblem[] {
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
  if (!isRecord(content)) return [declarationFault(path, 'declare.notObject')]
  const { type } = content
  const rule = ATTRIBUTE_RULES.get(String(type))
  if (rule === undefined) return [noSuchType(`${path}.type`, type)]
  const faults = [...findJoiFaults(rule, content), ...findTypos(content, EFFECTIVE_OPTIONS)]
  return within(path, faults)
}

function within(path: string, faults: readonly DeclarationFault[]): readonly DeclarationFault[] {
  return faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` }))
}

function noSuchType(path: string, name: unknown): DeclarationFault {
  const valids = ATTRIBUTE_TYPES
  if (typeof name !== 'string') return declarationFault(path, 'declare.oneType', { valids })
  const near = suggest(name, valids)
  const choice = near.near === undefined ? { valids } : near
  return declarationFault(path, 'declare.noType', { name, ...choice })
}

/** Unknown options are ignored, except misspellings of known ones. */
function findTypos(content: object, known: ReadonlySet<string>): readonly DeclarationFault[] {
  return Object.keys(content).flatMap((key) => {
    if (known.has(key) || IGNORED_OPTIONS.includes(key)) return []
    const { near } = suggest(key, known)
    return near === undefined ? [] : [declarationFault(key, 'declare.noOption', { near })]
  })
}
