import { shownName, ValidationError } from '../../base/errors.ts'
import { didYouMean } from '../../base/near-miss.ts'
import type { AttributeDefinition, ComponentDefinition, Data, Uid } from '../definition.ts'

type Components = ReadonlyMap<Uid, ComponentDefinition>
type Attributes = Readonly<Record<string, AttributeDefinition>>

const MAX_DEPTH = 20
/** Limit of one list of components, because checking and reporting each element takes time and memory. */
const MAX_ELEMENTS = 5_000
const UNADDRESSABLE_KEYS: ReadonlySet<string> = new Set(['id', 'documentId'])
const SERVER_KEYS: ReadonlySet<string> = new Set([
  'createdAt',
  'updatedAt',
  'createdBy',
  'updatedBy',
  'localizations',
])
export const IGNORED_KEYS = ['publishedAt', 'locale'] as const

interface KeyRules {
  readonly components: Components
  readonly isTrusted: boolean
}

export function assertKnownKeys(
  data: Data,
  attributes: Attributes,
  components: Components,
  { isTrusted }: { readonly isTrusted: boolean },
): void {
  const known = { components, isTrusted }
  for (const key of Object.keys(data)) {
    if (Object.hasOwn(attributes, key)) {
      if (!mayGive(attributes[key], known)) {
        throw new ValidationError(`Invalid key ${shownName(key)}`, {
          key,
          path: key,
          source: 'body',
        })
      }
      assertKnownWithin(data[key], attributes[key], [key], known)
    } else if (!(IGNORED_KEYS as readonly string[]).includes(key)) {
      throw invalidRootKey(key, attributes)
    }
  }
}

function mayGive(definition: AttributeDefinition | undefined, { isTrusted }: KeyRules): boolean {
  return isTrusted || definition?.writable !== false
}

function invalidRootKey(key: string, attributes: Attributes): ValidationError {
  const message = `Invalid key ${shownName(key)}${hintOf(key, attributes)}`
  if (UNADDRESSABLE_KEYS.has(key))
    return new ValidationError(message, { key, source: 'body' }, { code: 'invalid_key' })
  return new ValidationError(
    message,
    {
      key,
      path: SERVER_KEYS.has(key) ? key : null,
      source: 'body',
    },
    { code: 'invalid_key' },
  )
}

/** Never suggests private attributes, which the caller may not know. */
function hintOf(key: string, attributes: Attributes): string {
  if (UNADDRESSABLE_KEYS.has(key) || SERVER_KEYS.has(key)) return ''
  const shown = Object.entries(attributes).filter(
    ([, { type, private: isPrivate, writable }]) =>
      type !== 'relation' && isPrivate !== true && writable !== false,
  )
  return didYouMean(
    key,
    shown.map(([name]) => name),
  )
}

function assertKnownWithin(
  value: unknown,
  definition: AttributeDefinition | undefined,
  path: readonly string[],
  known: KeyRules,
): void {
  if (definition?.type !== 'component' && definition?.type !== 'dynamiczone') return
  if (path.length > MAX_DEPTH) {
    throw new ValidationError(
      `Components are nested more than ${MAX_DEPTH} levels deep`,
      {},
      { code: 'invalid_payload' },
    )
  }
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (elements.length > MAX_ELEMENTS) {
    throw new ValidationError(
      `${path.join('.')} holds more than ${MAX_ELEMENTS} components`,
      { path: path.join('.'), source: 'body', limit: MAX_ELEMENTS },
      { code: 'invalid_payload' },
    )
  }
  for (const element of elements.filter(isData)) {
    const attributes = attributesOf(element, definition, known.components)
    if (attributes !== null) assertKnownInside(element, attributes, path, known)
  }
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null
}

function attributesOf(
  data: Data,
  definition: Extract<AttributeDefinition, { type: 'component' | 'dynamiczone' }>,
  components: Components,
): Attributes | null {
  if (definition.type === 'component') {
    return components.get(definition.component)?.attributes ?? null
  }
  const uid = definition.components.find((uid) => uid === data['__component'])
  const attributes = uid === undefined ? undefined : components.get(uid)?.attributes
  return attributes === undefined ? null : { ...attributes, __component: { type: 'string' } }
}

function assertKnownInside(
  data: Data,
  attributes: Attributes,
  path: readonly string[],
  known: KeyRules,
): void {
  for (const key of Object.keys(data)) {
    if (Object.hasOwn(attributes, key) && mayGive(attributes[key], known)) {
      assertKnownWithin(data[key], attributes[key], [...path, key], known)
    } else if (key !== 'id') {
      const at = path.join('.')
      throw new ValidationError(
        `Invalid key ${shownName(key)} at ${at}${hintOf(key, attributes)}`,
        { key, path: at, source: 'body' },
        { code: 'invalid_key' },
      )
    }
  }
}
