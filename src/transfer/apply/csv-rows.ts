import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse, type Parser } from 'csv-parse'
import { ApplicationError, ValidationError } from '../../base/errors.ts'
import { nearestTo } from '../../base/near-miss.ts'
import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import { assertShallow } from '../../schema/values/json-levels.ts'
import { utf8Text } from '../utf8-text.ts'

export async function* csvRows(
  bytes: Readable,
  plan: ContentTypePlan,
): AsyncGenerator<Data | ValidationError> {
  const rows = parse({
    bom: true,
    columns: (names: string[]) => checkNames(plan, names),
    max_record_size: MAX_ROW,
  })
  const running = pipeline(bytes, (chunks) => boundedRows(chunks, rows), rows)
  running.catch(() => undefined) // the iteration below throws it
  try {
    for await (const row of rows as AsyncIterable<Readonly<Record<string, string>>>) {
      yield documentOf(plan, row)
    }
  } catch (error) {
    if (error instanceof ApplicationError || !(error instanceof Error)) throw error
    throw new ApplicationError(`The table cannot be read: ${error.message}`, {}, { cause: error })
  }
}

const MAX_ROW = 1024 * 1024
/** The parser's own limit does not count separators. A row of half a gigabyte of separators crashed the process. */
const MAX_UNENDED = 4 * MAX_ROW
const MAX_LISTED_NAMES = 10

async function* boundedRows(
  chunks: AsyncIterable<Buffer>,
  { info }: Pick<Parser, 'info'>,
): AsyncGenerator<Buffer> {
  let [records, unended] = [0, 0]
  const decode = utf8Text(() => `The table behind row ${info.records}`)
  let marked: boolean | null = null
  for await (const chunk of chunks) {
    marked ??= chunk.subarray(0, UTF_16.length).equals(UTF_16)
    if (!marked) decode(chunk)
    unended = info.records === records ? unended + chunk.length : chunk.length
    records = info.records
    if (unended > MAX_UNENDED) {
      throw new ApplicationError(`The table has a row of more than ${MAX_UNENDED} bytes`)
    }
    yield chunk
  }
  if (marked === false) decode()
}

/** The byte order mark that spreadsheets write. The parser supports it. */
const UTF_16 = Buffer.from([0xff, 0xfe])

const OWN: ReadonlySet<string> = new Set(['documentId', 'locale', 'status'])
const SEPARATOR = ';'
/** Other numbers stay text to keep all digits. */
const NUMBERS: ReadonlySet<string> = new Set(['integer', 'float'])

/** Their cells hold JSON. */
const JSON_TYPES: ReadonlySet<string> = new Set(['json', 'blocks', 'location'])

function checkNames(plan: ContentTypePlan, names: readonly string[]): string[] {
  const wrong = names.filter((name) => {
    const [first = '', key, ...others] = name.split('.')
    const attribute = plan.attributes.get(first)
    const isKeyed =
      key !== undefined &&
      others.length === 0 &&
      (attribute?.kind === 'relation' || isFileColumn(attribute, key))
    return !OWN.has(name) && !isKeyed && (attribute === undefined || key !== undefined)
  })
  if (wrong.length === 0) {
    assertNoneTwice(plan, names)
    return [...names]
  }
  const known = [...OWN, ...plan.attributes.keys()].join(', ')
  const named = wrong.slice(0, MAX_LISTED_NAMES).map((name) => {
    const [first = ''] = name.split('.')
    const nearest = plan.attributes.has(first) ? null : nearestTo(first, plan.attributes.keys())
    return `${name.slice(0, 100)}${nearest === null ? '' : ` (did you mean ${nearest}?)`}`
  })
  const others =
    wrong.length > MAX_LISTED_NAMES ? ` and ${wrong.length - MAX_LISTED_NAMES} others` : ''
  throw new ApplicationError(
    `${plan.singularName}: no such columns: ${named.join(', ')}${others}; there are ${known}, <relation>.<unique attribute>, and <media>.path`,
  )
}

const FILE_TEXTS: ReadonlySet<string> = new Set(['name', 'alternativeText', 'caption'])

/** Files of an attribute with several files have a path only, because their texts may contain the separator. */
function isFileColumn(attribute: AttributePlan | undefined, member: string): boolean {
  if (attribute?.kind !== 'media') return false
  return member === 'path' || (!attribute.multiple && FILE_TEXTS.has(member))
}

function assertNoneTwice(plan: ContentTypePlan, names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    const [attribute = '', member = ''] = name.split('.')
    const isMember = isFileColumn(plan.attributes.get(attribute), member)
    const conflicts = isMember ? [attribute, name] : [attribute, `${attribute}.`]
    if (conflicts.some((one) => seen.has(one))) {
      throw new ApplicationError(`${plan.singularName}: two columns of one attribute: ${attribute}`)
    }
    for (const one of isMember ? [name, `${attribute}.`] : [attribute]) seen.add(one)
  }
}

function documentOf(
  plan: ContentTypePlan,
  row: Readonly<Record<string, string>>,
): Data | ValidationError {
  try {
    const cells = Object.entries(row).filter(([, text]) => text !== '')
    return Object.fromEntries(
      cells.map(([column, text]) => {
        const [name = '', key] = column.split('.')
        const attribute = plan.attributes.get(name)
        if (attribute?.kind === 'media' && key !== undefined) {
          return [column, attribute.multiple ? listOf(text) : text]
        }
        return [name, attribute === undefined ? text : valueOf(attribute, text, key ?? null)]
      }),
    )
  } catch (error) {
    if (error instanceof ValidationError) return error
    throw error
  }
}

function valueOf(attribute: AttributePlan, text: string, key: string | null): unknown {
  switch (attribute.kind) {
    case 'relation': {
      const named = attribute.toMany ? listOf(text) : [text.trim()]
      const targets = named.map((each) =>
        key === null
          ? { documentId: each }
          : { key: { [key]: keyValue(attribute.target(), key, each) } },
      )
      return attribute.toMany ? targets : targets[0]
    }
    case 'media':
      return attribute.multiple ? listOf(text) : text
    case 'component':
    case 'dynamiczone':
      return json(attribute.name, text)
    case 'scalar':
      return scalarOf(attribute, text)
  }
}

function listOf(text: string): readonly string[] {
  return text.split(SEPARATOR).map((each) => each.trim())
}

function keyValue({ attributes }: ContentTypePlan, key: string, text: string): unknown {
  const attribute = attributes.get(key)
  return attribute?.kind === 'scalar' ? scalarOf(attribute, text) : text
}

function scalarOf(
  { name, type }: Extract<AttributePlan, { readonly kind: 'scalar' }>,
  text: string,
): unknown {
  if (NUMBERS.has(type)) return Number.isFinite(Number(text)) ? Number(text) : text
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return JSON_TYPES.has(type) ? json(name, text) : text
}

function json(name: string, text: string): unknown {
  try {
    assertShallow(text)
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof ValidationError) throw error
    throw new ValidationError(`${name}: no JSON`, {}, { cause: error })
  }
}
