import { nameProblem } from '@quire/schema/names'
import { isRecord } from '../base/is-record.ts'
import { didYouMean } from '../base/near-miss.ts'
import { COMPUTED_TYPES, type ContentTypeDefinition } from '../schema/definition.ts'
import { type ExtensionFault, unknownMember } from './extension-fault.ts'

const MEMBERS = ['type', 'version', 'from', 'description', 'value']

const NAME_PROBLEMS = {
  reserved: 'the name is reserved; give the attribute another one',
  form: 'a name must start with a letter and hold only letters, digits, _ and -',
} as const

export function findComputedFaults(
  computed: unknown,
  type: ContentTypeDefinition,
  path: string,
): readonly ExtensionFault[] {
  if (!isRecord(computed)) return [{ path, problem: 'must be an object' }]
  return Object.entries(computed).flatMap(([name, definition]) => {
    const place = `${path}.${name}`
    const problem = nameProblem(name, 'contentType')
    if (problem !== null) return [{ path: place, problem: NAME_PROBLEMS[problem] }]
    if (Object.hasOwn(type.attributes, name)) {
      return [{ path: place, problem: `${type.singularName} declares an attribute of this name` }]
    }
    if (!isRecord(definition)) return [{ path: place, problem: 'must be an object' }]
    return findFaultsOf(definition, type, place)
  })
}

function findFaultsOf(
  definition: Readonly<Record<string, unknown>>,
  type: ContentTypeDefinition,
  path: string,
): readonly ExtensionFault[] {
  const { version, description, value } = definition
  const unknown = Object.keys(definition).filter((key) => !MEMBERS.includes(key))
  const isType = COMPUTED_TYPES.some((one) => one === definition['type'])
  const isVersion = typeof version === 'number' && Number.isSafeInteger(version) && version >= 1
  return [
    ...unknown.map((key) => unknownMember(`${path}.${key}`, key, MEMBERS)),
    ...unless(isType, `${path}.type`, `must be one of ${COMPUTED_TYPES.join(', ')}`),
    ...unless(isVersion, `${path}.version`, 'must be a whole number of at least 1'),
    ...unless(
      description === undefined || typeof description === 'string',
      `${path}.description`,
      'must be a text',
    ),
    ...unless(typeof value === 'function', `${path}.value`, 'must be a function'),
    ...findSourceFaults(definition['from'], type, `${path}.from`),
  ]
}

function unless(isFine: boolean, path: string, problem: string): readonly ExtensionFault[] {
  return isFine ? [] : [{ path, problem }]
}

function findSourceFaults(
  from: unknown,
  { attributes, singularName }: ContentTypeDefinition,
  path: string,
): readonly ExtensionFault[] {
  if (!Array.isArray(from) || from.length === 0) {
    return [{ path, problem: 'must be a list of one or more attributes' }]
  }
  const names: readonly unknown[] = from
  return names.flatMap((name, index) => {
    const place = `${path}[${index}]`
    const attribute = typeof name === 'string' ? attributes[name] : undefined
    if (attribute === undefined) {
      const hint = didYouMean(String(name), Object.keys(attributes))
      return [{ path: place, problem: `${singularName} has no attribute ${String(name)}${hint}` }]
    }
    if (attribute.type === 'relation' || attribute.type === 'media') {
      return [{ path: place, problem: 'relations and media cannot be a source' }]
    }
    if (attribute.type === 'password') {
      return [{ path: place, problem: 'passwords cannot be a source' }]
    }
    return []
  })
}
