import type { ElementKey, Operation } from '@quire/merge/apply-operation'
import { documentIdFrom } from '@quire/schema/derived-id'
import { fault, type Reason, type ValidationError, validationError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import type { Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'

export interface PushHead {
  readonly client: string
  readonly log: string | null
  readonly ack: number
  readonly start: number
  readonly status: Status
}

/** A revision, the result of an earlier mutation, or null for a missing version. */
export type MutationBase = string | { readonly n: number } | null

interface MutationAddress {
  readonly n: number
  readonly type: string
  readonly documentId: string
  readonly locale: string | null
  readonly depends: readonly number[]
}

export type Patch = ReadonlyMap<string, Operation>

export interface CreateMutation extends MutationAddress {
  readonly op: 'create'
  readonly patch: Patch
}

export interface UpdateMutation extends MutationAddress {
  readonly op: 'update'
  readonly base: MutationBase
  readonly patch: Patch
  readonly seen: Data
}

export interface DeleteMutation extends MutationAddress {
  readonly op: 'delete' | 'publish'
  readonly base: MutationBase
}

/** Gives up a number, for example of a change that the user has taken back. */
export interface SkippedMutation extends MutationAddress {
  readonly op: 'skip'
}

export type Mutation = CreateMutation | UpdateMutation | DeleteMutation | SkippedMutation

export interface PushRequest {
  readonly head: PushHead
  readonly mutations: readonly Mutation[]
}

const MAX_ATTRIBUTES = 200
const MAX_DEPENDENCIES = 20
const MAX_ITEMS = 10_000
const MAX_KEY_LENGTH = 100

const HEAD: ReadonlySet<string> = new Set(['client', 'log', 'ack', 'start', 'status'])
const ADDRESS = ['n', 'op', 'type', 'documentId', 'locale', 'depends']
const MEMBERS: Readonly<Record<Mutation['op'], ReadonlySet<string>>> = {
  create: new Set([...ADDRESS, 'patch']),
  update: new Set([...ADDRESS, 'base', 'patch', 'seen']),
  delete: new Set([...ADDRESS, 'base']),
  publish: new Set([...ADDRESS, 'base']),
  skip: new Set(['n', 'op']),
}
const OPERATIONS: readonly ReadonlySet<string>[] = [
  new Set(['set']),
  new Set(['inc']),
  new Set(['connect', 'disconnect']),
  new Set(['remove', 'move', 'append']),
]

/** Parses the lines of a request, without knowledge of content-types. @throws ValidationError with the path */
export function parsePush(
  lines: readonly { line: number; value: unknown }[],
  user: string,
): PushRequest {
  const [first, ...others] = lines
  if (first === undefined) throw pushFault(['1'], 'expected a line that names the client')
  const head = parseHead(first.value, [String(first.line)])
  const mutations = others.map(({ line, value }) =>
    parseMutation(value, [String(line)], { user, head }),
  )
  mutations.forEach(({ n }, index) => {
    const before = mutations[index - 1]
    if (before === undefined || n === before.n + 1) return
    throw pushFault([String(others[index]?.line), 'n'], `expected ${before.n + 1}`)
  })
  return { head, mutations }
}

type Path = readonly string[]

function parseHead(value: unknown, at: Path): PushHead {
  const head = recordAt(value, at)
  assertMembers(head, HEAD, at)
  const { client, ack = 0, start = 0, status = 'published' } = head
  if (status !== 'published' && status !== 'draft') {
    throw pushFault([...at, 'status'], 'expected published or draft')
  }
  const log = logAt(head['log'], [...at, 'log'])
  const begin = numberAt(start, 0, [...at, 'start'])
  if (begin > 0 && log !== null) throw pushFault([...at, 'start'], 'only with "log": null')
  return {
    client: parsePushClientId(client, [...at, 'client']),
    log,
    ack: numberAt(ack, 0, [...at, 'ack']),
    start: begin,
    status,
  }
}

/** @throws ValidationError */
export function parsePushClientId(client: unknown, at: Path): string {
  if (typeof client === 'string' && /^[\w-]{8,64}$/.test(client)) return client
  throw pushFault(at, 'expected 8 to 64 letters, digits, - and _')
}

function logAt(log: unknown, at: Path): string | null {
  if (log === null) return null
  if (typeof log === 'string' && log !== '' && log.length <= MAX_KEY_LENGTH) return log
  throw pushFault(at, 'expected the log of the last response, or null')
}

interface MutationContext {
  readonly user: string
  readonly head: PushHead
}

function parseMutation(value: unknown, at: Path, context: MutationContext): Mutation {
  const line = recordAt(value, at)
  const op = operationAt(line['op'], [...at, 'op'], context.head)
  assertMembers(line, MEMBERS[op], at)
  if (op === 'skip') return skipped(numberAt(line['n'], 1, [...at, 'n']))
  const address = parseAddress(line, at)
  if (op === 'create') return parseCreation(address, line, at, context)
  const base = parseBase(line['base'], address.n, [...at, 'base'])
  if (op !== 'update') return { ...address, op, base }
  const patch = parsePatch(line['patch'], [...at, 'patch'])
  return { ...address, op, base, patch, seen: parseSeen(line['seen'], patch, [...at, 'seen']) }
}

function skipped(n: number): SkippedMutation {
  return { n, op: 'skip', type: '', documentId: '', locale: null, depends: [] }
}

function operationAt(op: unknown, at: Path, { status }: PushHead): Mutation['op'] {
  if (op === 'create' || op === 'update' || op === 'delete' || op === 'skip') return op
  if (op !== 'publish') throw pushFault(at, 'expected create, update, delete, publish or skip')
  if (status !== 'draft') throw pushFault(at, 'only a store of drafts publishes')
  return op
}

function parseCreation(
  address: MutationAddress,
  line: Data,
  at: Path,
  { user, head }: MutationContext,
): CreateMutation {
  if (address.documentId !== createdDocumentId(user, head.client, address.n)) {
    throw pushFault([...at, 'documentId'], 'expected the id that is derived for this creation')
  }
  const patch = parsePatch(line['patch'], [...at, 'patch'])
  const stray = [...patch].find(([, operation]) => !('set' in operation))
  if (stray !== undefined) throw pushFault([...at, 'patch', stray[0]], 'a creation only sets')
  return { ...address, op: 'create', patch }
}

function parseSeen(value: unknown, patch: Patch, at: Path): Data {
  const seen = recordAt(value, at)
  for (const name of patch.keys()) {
    if (!Object.hasOwn(seen, name)) throw pushFault([...at, name], 'expected the value')
  }
  const unneeded = Object.keys(seen).find((name) => !patch.has(name))
  if (unneeded !== undefined) throw pushFault([...at, unneeded], 'not in patch')
  return seen
}

export function createdDocumentId(user: string, client: string, n: number): string {
  return documentIdFrom('p', `push:${user}:${client}:${n}`)
}

function parseAddress(line: Data, at: Path): MutationAddress {
  const n = numberAt(line['n'], 1, [...at, 'n'])
  const { type, locale = null, depends = [] } = line
  if (typeof type !== 'string' || type === '' || type.length > MAX_KEY_LENGTH) {
    throw pushFault([...at, 'type'], 'expected the singular name of a content-type')
  }
  const documentId = documentIdAt(line['documentId'], [...at, 'documentId'])
  if (locale !== null && (typeof locale !== 'string' || locale.length > MAX_KEY_LENGTH)) {
    throw pushFault([...at, 'locale'], 'expected the code of a locale, or null')
  }
  const numbers = listAt(depends, MAX_DEPENDENCIES, [...at, 'depends']).map((each, index) =>
    earlierAt(each, n, [...at, 'depends', String(index)]),
  )
  return { n, type, documentId, locale, depends: numbers }
}

function parseBase(base: unknown, n: number, at: Path): MutationBase {
  if (base === null) return null
  if (typeof base === 'string' && base !== '' && base.length <= MAX_KEY_LENGTH) return base
  if (!isRecord(base)) throw pushFault(at, 'expected a revision, { "n": number }, or null')
  assertMembers(base, new Set(['n']), at)
  return { n: earlierAt(base['n'], n, [...at, 'n']) }
}

function earlierAt(value: unknown, n: number, at: Path): number {
  const number = numberAt(value, 1, at)
  if (number >= n) throw pushFault(at, 'expected the number of an earlier mutation')
  return number
}

function parsePatch(value: unknown, at: Path): Patch {
  const entries = Object.entries(recordAt(value, at))
  if (entries.length > MAX_ATTRIBUTES) throw pushFault(at, `at most ${MAX_ATTRIBUTES} attributes`)
  return new Map(entries.map(([name, one]) => [name, parseOperation(one, [...at, name])]))
}

function parseOperation(value: unknown, at: Path): Operation {
  const operation = recordAt(value, at)
  const names = Object.keys(operation)
  const kind = OPERATIONS.find((allowed) => names.every((name) => allowed.has(name)))
  if (names.length === 0 || kind === undefined) {
    throw pushFault(at, 'expected set, inc, connect and disconnect, or remove, move and append')
  }
  if (kind.has('set')) return { set: operation['set'] }
  if (kind.has('inc')) return { inc: incrementAt(operation['inc'], [...at, 'inc']) }
  const items = (name: string): readonly unknown[] =>
    listAt(operation[name] ?? [], MAX_ITEMS, [...at, name])
  if (kind.has('connect')) {
    return {
      connect: items('connect').map((one, index) =>
        parseConnection(one, [...at, 'connect', String(index)]),
      ),
      disconnect: items('disconnect').map((one, index) =>
        documentIdAt(one, [...at, 'disconnect', String(index)]),
      ),
    }
  }
  return {
    remove: items('remove').map((one, index) => keyAt(one, [...at, 'remove', String(index)])),
    move: items('move').map((one, index) => parseMove(one, [...at, 'move', String(index)])),
    append: items('append').map((one, index) => recordAt(one, [...at, 'append', String(index)])),
  }
}

function parseConnection(value: unknown, at: Path) {
  const connection = recordAt(value, at)
  assertMembers(connection, new Set(['documentId', 'after']), at)
  const documentId = documentIdAt(connection['documentId'], [...at, 'documentId'])
  const { after } = connection
  if (after === undefined) return { documentId }
  return { documentId, after: after === null ? null : documentIdAt(after, [...at, 'after']) }
}

function parseMove(value: unknown, at: Path) {
  const move = recordAt(value, at)
  assertMembers(move, new Set(['key', 'after']), at)
  const { after } = move
  return {
    key: keyAt(move['key'], [...at, 'key']),
    after: after === null ? null : keyAt(after, [...at, 'after']),
  }
}

function documentIdAt(value: unknown, at: Path): string {
  if (typeof value === 'string' && isDocumentId(value)) return value
  throw pushFault(at, 'expected a documentId')
}

function keyAt(value: unknown, at: Path): ElementKey {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  if (typeof value === 'string' && value !== '' && value.length <= 2 * MAX_KEY_LENGTH) return value
  throw pushFault(at, 'expected the key of an element')
}

function incrementAt(value: unknown, at: Path): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw pushFault(at, 'expected a number')
}

function numberAt(value: unknown, least: number, at: Path): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw pushFault(at, `expected a whole number of at least ${least}`)
}

function listAt(value: unknown, most: number, at: Path): readonly unknown[] {
  if (Array.isArray(value) && value.length <= most) return value
  throw pushFault(at, `expected a list of at most ${most}`)
}

function recordAt(value: unknown, at: Path): Data {
  if (isRecord(value) && !Array.isArray(value)) return value
  throw pushFault(at, 'expected an object')
}

function assertMembers(record: Data, known: ReadonlySet<string>, at: Path): void {
  const unknown = Object.keys(record).find((name) => !known.has(name))
  if (unknown !== undefined) throw pushFault([...at, unknown], 'no such member')
}

const INVALID: Reason = { code: 'any.invalid' }

function pushFault(path: Path, problem: string): ValidationError {
  return validationError([fault(path, `${path.join('.')}: ${problem}`, undefined, INVALID)])
}
