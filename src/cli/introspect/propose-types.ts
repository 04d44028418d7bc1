import { nameProblem } from '@quire/schema/names'
import type { FieldProfile } from '../../mongo/adopted/field-profile.ts'
import type { CollectionSample } from '../../mongo/adopted/sample-collection.ts'
import { ADOPTED_TIMES } from '../../schema/plan.ts'
import { MAX_ADOPTED_LEVELS } from '../../schema/check/adopted-types.ts'
import type { AttributeDefinition } from '../../schema/definition.ts'
import {
  countOf,
  type FindTarget,
  isComponent,
  isMostly,
  proposeAttribute,
} from './propose-attribute.ts'

export interface ProposedField {
  readonly path: string
  readonly type: string
  readonly given: number
  readonly fitting: number
  /** Why the values have no better type than JSON. */
  readonly reason?: string
}

export interface ProposedType {
  readonly collection: string
  readonly singularName: string
  readonly documents: number
  readonly indexes: readonly string[]
  readonly fields: readonly ProposedField[]
  /** Paths without an attribute, because a component cannot have the name. */
  readonly leftOut: readonly string[]
  /** Declarations by the path of their file. */
  readonly files: Readonly<Record<string, object>>
}

/** Singular names by collection. */
export function nameTypes(collections: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  const free = (name: string): string => {
    let one = name
    for (let number = 2; taken.has(one); number += 1) one = `${name}-${number}`
    return one
  }
  return new Map(
    collections.map((collection) => {
      const singular = free(singularOf(kebabOf(collection)))
      taken.add(singular)
      return [collection, singular]
    }),
  )
}

function kebabOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return /^[a-z]/.test(words) ? words : `type-${words}`
}

function singularOf(plural: string): string {
  if (/[^aeiou]ies$/.test(plural)) return `${plural.slice(0, -3)}y`
  if (/(?:s|x|z|ch|sh)es$/.test(plural)) return plural.slice(0, -2)
  return /[^s]s$/.test(plural) ? plural.slice(0, -1) : plural
}

export async function proposeType(
  sample: CollectionSample,
  singularName: string,
  findTarget: FindTarget,
): Promise<ProposedType> {
  const proposal = new Proposal(singularName, sample.documents, findTarget)
  const attributes: Record<string, AttributeDefinition> = {}
  const paths: Record<string, string> = {}
  for (const [name, profile] of sample.profile.members) {
    if (isPath(name)) {
      if (isTime(name) && isMostly(profile, ['date'])) {
        paths[name] = name
        const fitting = countOf(profile, ['date'])
        proposal.note(name, { path: name, type: 'datetime', given: profile.given, fitting })
        continue
      }
      const attribute = attributeName(name, singularName, new Set(Object.keys(attributes)))
      attributes[attribute] = await proposal.attributeOf(name, attribute, profile, 1)
      if (attribute !== name) paths[attribute] = name
    } else proposal.leftOut.push(name)
  }
  const { fields, leftOut, components } = proposal
  const { collection, documents, indexes } = sample
  const adopt = { collection, ...(Object.keys(paths).length > 0 && { paths }) }
  const plural = pluralOf(singularName)
  const info = { singularName, pluralName: plural, displayName: collection }
  const files = { [`${singularName}.json`]: { info, adopt, attributes }, ...components }
  return { collection, singularName, documents, indexes, fields, leftOut, files }
}

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`
}

function isPath(name: string): boolean {
  return name !== '' && !name.startsWith('$') && !name.includes('.')
}

function isTime(name: string): boolean {
  return (ADOPTED_TIMES as readonly string[]).includes(name)
}

/** A reserved name gets the name of the type in front. */
function attributeName(name: string, type: string, taken: ReadonlySet<string>): string {
  if (nameProblem(name, 'contentType') === null && !taken.has(name)) return name
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, LONGEST_NAME)
  const prefix = type.replaceAll('-', '_')
  let own = `${prefix}_${plain}`
  for (let number = 2; taken.has(own); number += 1) own = `${prefix}_${plain}_${number}`
  return own
}

const LONGEST_NAME = 30

class Proposal {
  readonly fields: ProposedField[] = []
  readonly leftOut: string[] = []
  readonly components: Record<string, object> = {}
  readonly #type: string
  readonly #documents: number
  readonly #findTarget: FindTarget

  constructor(type: string, documents: number, findTarget: FindTarget) {
    this.#type = type
    this.#documents = documents
    this.#findTarget = findTarget
  }

  note(path: string, field: ProposedField): void {
    this.fields.push({ ...field, path })
  }

  async attributeOf(
    path: string,
    name: string,
    profile: FieldProfile,
    level: number,
  ): Promise<AttributeDefinition> {
    const inner = level > MAX_ADOPTED_LEVELS ? null : embeddedIn(profile)
    const { given } = profile
    if (inner !== null) {
      const component = await this.#componentOf(path, name, inner.shape, level)
      const fitting = countOf(profile, [inner.isList ? 'list' : 'object'])
      this.note(path, { path, type: inner.isList ? 'component list' : 'component', given, fitting })
      return { type: 'component', component, ...(inner.isList && { repeatable: true }) }
    }
    const { attribute, ...found } = await proposeAttribute(profile, this.#findTarget)
    const { fitting } = found
    this.note(path, { path, type: nameOfType(attribute), given, ...found })
    const isRequired = level === 1 && this.#documents > 0 && fitting === this.#documents
    return isRequired ? { ...attribute, required: true } : attribute
  }

  async #componentOf(
    path: string,
    name: string,
    shape: FieldProfile,
    level: number,
  ): Promise<string> {
    const base = kebabOf(path)
    const uid = `${this.#type}.${base}`
    const file = `components/${this.#type}/${base}.json`
    const attributes: Record<string, AttributeDefinition> = {}
    this.components[file] = { info: { displayName: name }, attributes }
    for (const [member, profile] of shape.members) {
      if (member === '_id') continue // the id of the driver for embedded documents
      if (nameProblem(member, 'component') === null) {
        const at = `${path}.${member}`
        attributes[member] = await this.attributeOf(at, member, profile, level + 1)
      } else this.leftOut.push(`${path}.${member}`)
    }
    return uid
  }
}

function nameOfType(attribute: AttributeDefinition): string {
  return attribute.type === 'relation' ? `relation to ${attribute.target}` : attribute.type
}

interface Embedded {
  readonly shape: FieldProfile
  readonly isList: boolean
}

function embeddedIn(profile: FieldProfile): Embedded | null {
  if (isMostly(profile, ['object'])) {
    return isComponent(profile) ? { shape: profile, isList: false } : null
  }
  const { elements } = profile
  if (elements === null || !isMostly(profile, ['list']) || !isMostly(elements, ['object'])) {
    return null
  }
  return isComponent(elements) ? { shape: elements, isList: true } : null
}
