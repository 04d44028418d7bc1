import { type Fault, fault, ValidationError, validationError } from '../../base/errors.ts'
import { isRequiredInWrites, type MediaPlan, type RelationPlan } from '../../schema/plan.ts'
import { relationListOf } from '../../mongo/versions/stored-value.ts'
import { reasonOf, sentenceOf } from '../../schema/values/value-messages.ts'

export type ChangeOf<Target> =
  | { readonly kind: 'set'; readonly targets: readonly Target[] }
  | {
      readonly kind: 'change'
      readonly connect: readonly Connection<Target>[]
      readonly disconnect: readonly Target[]
      /** If true, a position relative to an unconnected document is an error. Otherwise it means the end. */
      readonly strict: boolean
    }

export interface Connection<Target> {
  readonly target: Target
  readonly position: Position<Target>
}

export type Position<Target> =
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'before' | 'after'; readonly reference: Target }

export type DocumentChange = ChangeOf<string>

export type References = readonly string[] | string | null

export function holdsMany(attribute: RelationPlan | MediaPlan): boolean {
  return attribute.kind === 'media' ? attribute.multiple : attribute.toMany
}

/** @throws ValidationError for a position relative to an unconnected document */
export function changedReferences(
  attribute: RelationPlan | MediaPlan,
  stored: unknown,
  change: DocumentChange | undefined,
): References {
  const current = relationListOf(stored)
  if (holdsMany(attribute)) {
    return change === undefined ? current : applyRelationChange(current, change)
  }
  const one = current[0] ?? null
  return change === undefined ? one : applyToOneChange(one, change)
}

/** A connection waits if its position refers to a later one. @throws ValidationError for an unknown position */
export function applyRelationChange(
  current: readonly string[],
  change: DocumentChange,
): readonly string[] {
  if (change.kind === 'set') return [...new Set(change.targets)]
  const disconnected = new Set(change.disconnect)
  const chain = new Chain(current.filter((documentId) => !disconnected.has(documentId)))
  connectAll(chain, change)
  return chain.toList()
}

export function applyToOneChange(current: string | null, change: DocumentChange): string | null {
  if (change.kind === 'set') return change.targets.at(-1) ?? null
  const connected = change.connect.at(-1)
  if (connected !== undefined) return connected.target
  return current !== null && change.disconnect.includes(current) ? null : current
}

type Waiting = Map<string, Connection<string>[]>

function connectAll(
  chain: Chain,
  { connect, strict }: Pick<Extract<DocumentChange, { kind: 'change' }>, 'connect' | 'strict'>,
): void {
  const waiting: Waiting = new Map()
  for (const connection of connect) putWithFollowers(chain, connection, waiting)
  for (let stuck = firstOf(waiting); stuck !== undefined; stuck = firstOf(waiting)) {
    if (strict) throw notConnected(stuck)
    waiting.get(missingReference(chain, stuck) ?? '')?.shift()
    putWithFollowers(chain, { target: stuck.target, position: { kind: 'end' } }, waiting)
  }
}

function firstOf(waiting: Waiting): Connection<string> | undefined {
  return [...waiting.values()].flat()[0]
}

function putWithFollowers(chain: Chain, connection: Connection<string>, waiting: Waiting): void {
  const ready = [connection]
  for (const next of ready) {
    const missing = missingReference(chain, next)
    if (missing === null) {
      place(chain, next)
      ready.push(...(waiting.get(next.target) ?? []))
      waiting.delete(next.target)
    } else {
      const queue = waiting.get(missing) ?? []
      queue.push(next)
      waiting.set(missing, queue)
    }
  }
}

function missingReference(chain: Chain, { position }: Connection<string>): string | null {
  if (!('reference' in position) || chain.has(position.reference)) return null
  return position.reference
}

function place(chain: Chain, { target, position }: Connection<string>): void {
  switch (position.kind) {
    case 'start':
      return chain.putAfter(target, ENDS)
    case 'end':
      return chain.putBefore(target, ENDS)
    case 'after':
      return chain.putAfter(target, position.reference)
    case 'before':
      return chain.putBefore(target, position.reference)
  }
}

function notConnected({ target, position }: Connection<string>): ValidationError {
  const reference = 'reference' in position ? position.reference : target
  const place = JSON.stringify({ [position.kind]: reference })
  return new ValidationError(
    `There was a problem connecting relation with id ${target} at position ${place}. ` +
      `The relation with id ${reference} needs to be connected first.`,
    {},
    { code: 'connection_position' },
  )
}

const ENDS = Symbol('ends')

type Link = string | typeof ENDS

/** A doubly linked ring of documentIds through `ENDS`, so that moves take constant time. */
class Chain {
  readonly #next = new Map<Link, Link>([[ENDS, ENDS]])
  readonly #previous = new Map<Link, Link>([[ENDS, ENDS]])

  constructor(documentIds: readonly string[]) {
    for (const documentId of new Set(documentIds)) this.putBefore(documentId, ENDS)
  }

  has(documentId: string): boolean {
    return this.#next.has(documentId)
  }

  putAfter(documentId: string, link: Link): void {
    if (documentId === link) return
    this.#remove(documentId)
    this.#insert(documentId, link, neighbour(this.#next, link))
  }

  putBefore(documentId: string, link: Link): void {
    if (documentId === link) return
    this.#remove(documentId)
    this.#insert(documentId, neighbour(this.#previous, link), link)
  }

  toList(): readonly string[] {
    const list: string[] = []
    let link = neighbour(this.#next, ENDS)
    while (link !== ENDS) {
      list.push(link)
      link = neighbour(this.#next, link)
    }
    return list
  }

  #insert(documentId: string, previous: Link, next: Link): void {
    this.#join(previous, documentId)
    this.#join(documentId, next)
  }

  #remove(documentId: string): void {
    if (!this.has(documentId)) return
    this.#join(neighbour(this.#previous, documentId), neighbour(this.#next, documentId))
    this.#next.delete(documentId)
    this.#previous.delete(documentId)
  }

  #join(previous: Link, next: Link): void {
    this.#next.set(previous, next)
    this.#previous.set(next, previous)
  }
}

function neighbour(links: ReadonlyMap<Link, Link>, of: Link): Link {
  const link = links.get(of)
  if (link === undefined) throw new Error(`${String(of)} is not in the chain`)
  return link
}

/** Checks the merged value, because `{ set: [] }` and `{ disconnect }` can empty it. @throws ValidationError */
export function assertGiven(
  attribute: RelationPlan | MediaPlan,
  references: References,
  path: readonly string[],
): void {
  if (!isRequiredInWrites(attribute) || (references !== null && references.length > 0)) return
  throw validationError([missing(path)])
}

function missing(path: readonly string[]): Fault {
  const place = path.map((key) => (/^\d+$/.test(key) ? Number(key) : key))
  const complaint = { code: 'any.null', path: place, context: {} }
  return fault(place, sentenceOf(complaint), null, reasonOf(complaint))
}
