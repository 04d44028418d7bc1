import type { Data } from '../data.ts'
import { attributeNamer, typeNamer, type TypeNames } from '../names.ts'
import type { MapOptions } from '../map-output.ts'
import type { Notes } from '../notes.ts'
import type { ContentfulField, ContentfulType } from './export-types.ts'
import { type FieldMapping, mapScalar, type Proposed } from './map-scalar.ts'
import { factsKey, type ContentfulSurvey } from './survey.ts'

export interface MappedField {
  readonly field: ContentfulField
  readonly name: string
  readonly mapping: FieldMapping
}

export interface MappedType {
  readonly id: string
  readonly names: TypeNames
  readonly localized: boolean
  readonly fields: readonly MappedField[]
  readonly declaration: Data
}

export const OLD_ID = 'contentfulId'
export const LINK_CATEGORY = 'linked'

export function declareTypes(
  survey: ContentfulSurvey,
  notes: Notes,
  options: MapOptions,
): ReadonlyMap<string, MappedType> {
  const nameType = typeNamer('contentful')
  const names = new Map(
    survey.types.map(({ sys: { id }, name = id }) => [
      id,
      nameType(/^[A-Za-z]/.test(id) ? id : name),
    ]),
  )
  return new Map(
    survey.types.map((type) => [
      type.sys.id,
      declareType(type, { survey, names, notes, ...options }),
    ]),
  )
}

export function linkComponent({ singular }: TypeNames): Data {
  const entry = { type: 'relation', relation: 'manyToOne', target: uidOf(singular) }
  return {
    collectionName: `components_linked_${singular.replaceAll('-', '_')}`,
    info: { displayName: `Link to ${singular}` },
    attributes: { entry },
  }
}

export function uidOf(singular: string): string {
  return `api::${singular}.${singular}`
}

interface Declaring extends MapOptions {
  readonly survey: ContentfulSurvey
  readonly names: ReadonlyMap<string, TypeNames>
  readonly notes: Notes
}

function declareType(type: ContentfulType, declaring: Declaring): MappedType {
  const { id } = type.sys
  const names = declaring.names.get(id)
  if (names === undefined) throw new Error(`${id} has no name`)
  const nameOf = attributeNamer('contentful', [OLD_ID])
  const localized = type.fields.some((field) => field.localized === true)
  const localizedAs = (own: boolean): Data =>
    localized ? { pluginOptions: { i18n: { localized: own } } } : {}
  const attributes: Record<string, Data> = {}
  const fields: MappedField[] = []
  for (const field of type.fields) {
    const found = mapField(id, field, declaring)
    if (found === null) continue
    const name = nameOf(field.id)
    if (name !== field.id) {
      declaring.notes.add('fields are named otherwise', `${id}.${field.id} is ${name}`)
    }
    fields.push({ field, name, mapping: found.mapping })
    const hidden = field.omitted === true ? { private: true } : {}
    const options = localizedAs(field.localized === true)
    attributes[name] = { ...found.attribute, ...hidden, ...options }
  }
  attributes[OLD_ID] = { type: 'string', index: true, ...localizedAs(false) }
  const { singular, plural } = names
  const declaration = {
    kind: 'collectionType',
    collectionName: `contentful_${plural.replaceAll('-', '_')}`,
    info: {
      singularName: singular,
      pluralName: plural,
      displayName: type.name ?? id,
      ...(typeof type.description === 'string' && { description: type.description }),
    },
    options: { draftAndPublish: true, ...(declaring.tables && { blocks: 'extended' }) },
    ...localizedAs(true),
    attributes,
  }
  return { id, names, localized, fields, declaration }
}

/** Returns null for an unsupported field, which is noted. */
function mapField(type: string, field: ContentfulField, declaring: Declaring): Proposed | null {
  const multiple = field.type === 'Array'
  const { type: kind, linkType, validations = [] } = multiple ? (field.items ?? field) : field
  if (kind === 'Link' && linkType === 'Asset') {
    const attribute = { type: 'media', multiple, ...allowedTypes(validations) }
    return { mapping: { kind: 'media', multiple }, attribute }
  }
  if (kind === 'Link') return mapLinks(type, field, { multiple, validations, declaring })
  const found = multiple ? mapList(kind) : mapScalar(type, field, declaring.survey)
  if (found === null) {
    declaring.notes.add(`fields of the type ${field.type} are not taken`, `${type}.${field.id}`)
  }
  return found
}

/** A list of texts can only be stored as JSON. */
function mapList(kind: string): Proposed | null {
  if (kind !== 'Symbol') return null
  return { mapping: { kind: 'value', type: 'json', choices: null }, attribute: { type: 'json' } }
}

function mapLinks(
  type: string,
  { id }: ContentfulField,
  links: {
    readonly multiple: boolean
    readonly validations: readonly Data[]
    readonly declaring: Declaring
  },
): Proposed | null {
  const { multiple, validations, declaring } = links
  const { survey, names, notes } = declaring
  const allowed = validations.flatMap(
    (each) => (each['linkContentType'] ?? []) as readonly string[],
  )
  const found = survey.facts.get(factsKey(type, id))?.targets ?? []
  const targets = new Set([...allowed, ...found].filter((target) => names.has(target)))
  const [first] = targets
  if (first === undefined) {
    notes.add(
      'a field of links that names no type and links no entry is not taken',
      `${type}.${id}`,
    )
    return null
  }
  const singularOf = (target: string): string => names.get(target)?.singular ?? ''
  if (targets.size === 1) {
    const relation = multiple ? 'manyToMany' : 'manyToOne'
    const attribute = { type: 'relation', relation, target: uidOf(singularOf(first)) }
    return { mapping: { kind: 'relation', multiple, target: first }, attribute }
  }
  const components = [...targets].map((target) => `${LINK_CATEGORY}.${singularOf(target)}`)
  notes.add('links to several types are a dynamic zone, each link in a component', `${type}.${id}`)
  const attribute = { type: 'dynamiczone', components, ...(!multiple && { max: 1 }) }
  return { mapping: { kind: 'zone', multiple, targets }, attribute }
}

const GROUPS: Readonly<Record<string, string>> = {
  image: 'images',
  video: 'videos',
  audio: 'audios',
}

function allowedTypes(validations: readonly Data[]): Data {
  const groups = validations.flatMap(
    (each) => (each['linkMimetypeGroup'] ?? []) as readonly string[],
  )
  if (groups.length === 0 || groups.some((group) => GROUPS[group] === undefined)) return {}
  return { allowedTypes: groups.map((group) => GROUPS[group]) }
}
