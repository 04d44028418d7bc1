import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import { fault, type Reason, ValidationError, validationError } from '../../base/errors.ts'
import { isIdOf } from '../../mongo/versions/document-id.ts'
import { uniqueAttributes } from '../../mongo/write/unique-values.ts'
import { parseDeletedLocales, parseWriteKey } from '../../query/parse-version.ts'
import type { LocaleRules, VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import { assertTypeWritable } from '../../schema/adopted-verbs.ts'
import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import { singleDocumentId } from '../write/single-document-id.ts'
import type { WriteRules } from '../write-rules.ts'
import type { Writer } from '../write-target.ts'

/** The value is in stored form. */
export interface Key {
  readonly attribute: ScalarPlan
  readonly value: unknown
}

export type Address = { readonly documentId: string } | { readonly key: Key }

export interface UpsertLine {
  readonly op: 'upsert'
  readonly plan: ContentTypePlan
  readonly address: Address
  readonly version: VersionKey
  /** The locale of owners that are written through an inverse side without locales. */
  readonly ownersLocale: string
  readonly data: Data
}

export interface DeleteLine {
  readonly op: 'delete'
  readonly plan: ContentTypePlan
  readonly address: Address
  readonly version: VersionKey
  readonly locales: readonly string[] | 'all'
  readonly ownersLocale: string
}

export type BulkLine = UpsertLine | DeleteLine

export interface LineRules {
  readonly types: ReadonlyMap<string, ContentTypePlan>
  readonly locales: LocaleRules
}

export const LINE_MEMBERS: ReadonlySet<string> = new Set([
  'op',
  'type',
  'documentId',
  'key',
  'locale',
  'status',
  'data',
])

export function typesByName(
  plans: Iterable<ContentTypePlan>,
): ReadonlyMap<string, ContentTypePlan> {
  const own = [...plans].filter(({ uid }) => uid.startsWith('api::'))
  return new Map(
    own.flatMap((plan) => [
      [plan.singularName, plan] as const,
      [plan.uid, plan],
      [plan.declaredUid, plan],
    ]),
  )
}

/** @throws ValidationError with the name of the invalid member */
export function parseBulkLine(value: unknown, { types, locales }: LineRules): BulkLine {
  const line = asObject(value, 'A line')
  const unknown = Object.keys(line).find((name) => !LINE_MEMBERS.has(name))
  if (unknown !== undefined) throw lineFault(unknown, `${unknown}: no such member of a line`)
  const plan = planOf(line['type'], line['op'], types)
  const { locale, status } = line
  if (line['op'] === 'upsert') return parseUpsert(plan, line, locales)
  if (line['op'] !== 'delete') throw lineFault('op', 'op: expected upsert or delete')
  if (line['data'] !== undefined) throw lineFault('data', 'data: a line that deletes has none')
  return {
    op: 'delete',
    plan,
    address: parseAddress(plan, line),
    version: parseWriteKey(locale === '*' ? {} : given({ locale }), undefined, plan, locales),
    locales: parseDeletedLocales(given({ locale, status }), plan, locales),
    ownersLocale: locales.defaultCode,
  }
}

function parseUpsert(plan: ContentTypePlan, line: Data, locales: LocaleRules): UpsertLine {
  const data = plan.validators.resolveAliases(asObject(line['data'], 'data'))
  const inData = data['locale']
  const locale = line['locale'] ?? inData
  if (plan.localized && (inData ?? locale) !== locale) {
    const message = 'data.locale differs from locale'
    throw new ValidationError(message, {}, { code: 'locale_mismatch' })
  }
  const version = parseWriteKey(
    given({ locale: line['locale'], status: line['status'] }),
    inData,
    plan,
    locales,
  )
  const address = parseAddress(plan, line)
  return {
    op: 'upsert',
    plan,
    address,
    version,
    ownersLocale: typeof locale === 'string' && locales.has(locale) ? locale : locales.defaultCode,
    data: 'key' in address ? withKey(plan, data, address.key, line['key']) : data,
  }
}

function given(members: Data): Data {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

function planOf(type: unknown, op: unknown, types: LineRules['types']): ContentTypePlan {
  const plan = typeof type === 'string' ? types.get(type) : undefined
  if (plan === undefined) {
    throw lineFault('type', 'type: expected the singular name or the uid of a content-type')
  }
  assertTypeWritable(plan, op === 'delete' ? 'delete' : 'update')
  return plan
}

function parseAddress(plan: ContentTypePlan, { documentId, key }: Data): Address {
  if (plan.kind === 'singleType') {
    const named = documentId === undefined ? (key === undefined ? null : 'key') : 'documentId'
    if (named === null) return { documentId: singleDocumentId(plan.uid) }
    throw lineFault(named, `${named}: ${plan.singularName} is a single type, and needs none`)
  }
  if ((documentId === undefined) === (key === undefined)) {
    throw lineFault('key', `${plan.singularName}: a line gives documentId or key, one of the two`)
  }
  if (documentId === undefined) return { key: parseKey(plan, key, ['key']) }
  if (typeof documentId === 'string' && isIdOf(plan, documentId)) return { documentId }
  throw lineFault(
    'documentId',
    plan.adopted === undefined
      ? 'documentId: expected 24 letters and digits, the first a letter'
      : 'documentId: expected the id of a document',
  )
}

/** @throws ValidationError unless it names a public unique attribute */
export function parseKey(plan: ContentTypePlan, sent: unknown, path: readonly string[]): Key {
  const [name = '', ...others] = Object.keys(asObject(sent, path.join('.')))
  const keys = uniqueAttributes(plan).filter((each) => !each.private)
  const attribute = others.length > 0 ? undefined : keys.find((each) => each.name === name)
  if (attribute === undefined) {
    const choice = keys.map((each) => each.name).join(', ') || 'none is declared'
    const message = `${path.join('.')}: expected one unique attribute of ${plan.singularName} (${choice})`
    throw validationError([fault(path, message, sent, INVALID)])
  }
  const given = (sent as Data)[name]
  const value = plan.validators.draft({ [name]: given }, { creating: false })[name] ?? ''
  if (value !== '') return { attribute, value }
  const at = [...path, name]
  throw validationError([fault(at, `${at.join('.')}: a key has a value`, undefined, INVALID)])
}

/** The key is part of the payload, so that repeating the line finds the document. */
function withKey(
  plan: ContentTypePlan,
  data: Data,
  { attribute, value }: Key,
  sent: unknown,
): Data {
  const { name } = attribute
  if (data[name] === undefined) return { ...data, [name]: (sent as Data)[name] }
  const checked = plan.validators.draft({ [name]: data[name] }, { creating: false })[name]
  if (String(checked) === String(value)) return data
  const message = `${name}: differs from key; name the document by its documentId to change what it is found by`
  throw validationError([fault([name], message, data[name], INVALID)])
}

function asObject(value: unknown, what: string): Data {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Data
  throw new ValidationError(`${what}: expected an object`, {}, { code: 'invalid_payload' })
}

const INVALID: Reason = { code: 'any.invalid' }

function lineFault(member: string, message: string): ValidationError {
  return validationError([fault([member], message, undefined, INVALID)])
}

export type BulkVerb = 'create' | 'update' | 'delete' | 'readDrafts'

export interface BulkWriter extends Pick<Writer, 'mayRead' | 'maySeePrivate'> {
  /** Undefined for root. */
  readonly rules: WriteRules | undefined
  readonly origin: WriteOrigin
  /** Also true under a rule. */
  may(plan: ContentTypePlan, verb: BulkVerb): boolean
  assertMay(plan: ContentTypePlan, verb: BulkVerb): void
}
