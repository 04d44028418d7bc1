import { createHash } from 'node:crypto'
import type { AttributeNames, StoredNames } from '../compile.ts'
import type { AttributeDefinition, Definitions, Uid } from '../definition.ts'
import { type DeclaredName, enterNames } from './enter-names.ts'
import type { HolderLedger, Ledger, Release } from './ledger.ts'

export interface Renaming {
  readonly uid: Uid
  readonly from: string
  readonly to: string
}

export interface AddedAttribute {
  readonly uid: Uid
  readonly name: string
  readonly stored: string
}

export interface RetypedAttribute {
  readonly uid: Uid
  readonly name: string
  readonly from: string
  readonly to: string
}

export interface EnteredDefinitions {
  readonly storedNames: StoredNames
  readonly ledger: Ledger
  readonly renamed: readonly Renaming[]
  readonly added: readonly AddedAttribute[]
  readonly retyped: readonly RetypedAttribute[]
  readonly faults: readonly string[]
}

/** A roll-back to an older release than these is resolved by the names alone. */
const MAX_RELEASES = 100

/**
 * Returns the ledger to store. A known release gets the names that it had.
 * @param isStored whether a type that the ledger does not know has values under a name
 */
export function enterDefinitions(
  before: Ledger,
  definitions: Definitions,
  isStored: (uid: Uid, name: string) => boolean,
  now: Date,
): EnteredDefinitions {
  const digest = digestOfDefinitions(definitions)
  const known = before.releases.find((release) => release.digest === digest)
  if (known !== undefined) {
    const storedNames = namesIn(before, definitions, known)
    return { storedNames, ledger: before, renamed: [], added: [], retyped: [], faults: [] }
  }
  const holders: Record<Uid, HolderLedger> = { ...before.holders }
  const names: Record<Uid, Record<string, string>> = {}
  const renamed: Renaming[] = []
  const added: AddedAttribute[] = []
  const retyped: RetypedAttribute[] = []
  const faults: string[] = []
  for (const { uid, file, attributes } of holdersOf(definitions)) {
    const declared = declaredNames(attributes)
    const entered = enterNames(before.holders[uid], declared, (name) => isStored(uid, name))
    holders[uid] = entered.ledger
    const others = [...entered.columns].filter(([name, { stored }]) => name !== stored)
    if (others.length > 0) {
      names[uid] = Object.fromEntries(others.map(([name, { stored }]) => [name, stored]))
    }
    renamed.push(...entered.renamed.map((one) => ({ uid, ...one })))
    added.push(...entered.added.map((one) => ({ uid, ...one })))
    retyped.push(...entered.retyped.map((one) => ({ uid, ...one })))
    faults.push(
      ...entered.faults.map(({ name, problem }) => `${file}: attributes.${name}.from: ${problem}`),
    )
  }
  const release: Release = { digest, at: now, names }
  const releases = [...before.releases, release].slice(-MAX_RELEASES)
  const ledger = { version: before.version + 1, holders, releases }
  const storedNames = namesIn(ledger, definitions, release)
  return { storedNames, ledger, renamed, added, retyped, faults }
}

interface Holder {
  readonly uid: Uid
  readonly file: string
  readonly attributes: Readonly<Record<string, AttributeDefinition>>
}

function holdersOf({ contentTypes, components }: Definitions): readonly Holder[] {
  return [...contentTypes, ...components]
}

export function declaredNames(
  attributes: Readonly<Record<string, AttributeDefinition>>,
): readonly DeclaredName[] {
  return Object.entries(attributes).map(([name, attribute]) => {
    return { name, type: typeOfAttribute(attribute), from: [attribute.from ?? []].flat() }
  })
}

export function typeOfAttribute(attribute: AttributeDefinition): string {
  const { type } = attribute
  if (attribute.type === 'relation') {
    return `relation to ${attribute.relation.endsWith('ToMany') ? 'many' : 'one'}`
  }
  const isList =
    (attribute.type === 'component' && attribute.repeatable === true) ||
    (attribute.type === 'media' && attribute.multiple === true)
  return isList ? `${type} list` : type
}

export function digestOfDefinitions({ contentTypes, components }: Definitions): string {
  const holders = holdersOf({ contentTypes, components }).map(({ file: _file, ...rest }) => rest)
  const sorted = holders.toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url')
}

function namesIn({ holders }: Ledger, definitions: Definitions, { names }: Release): StoredNames {
  const found = holdersOf(definitions).map(({ uid, attributes }) => {
    const columns = holders[uid]?.columns ?? []
    const own = Object.keys(attributes).flatMap((name): readonly [string, AttributeNames][] => {
      const stored = names[uid]?.[name] ?? name
      const column = columns.find((one) => one.stored === stored)
      const former = (column?.names ?? []).filter((other) => other !== name)
      return stored === name && former.length === 0 ? [] : [[name, { stored, former }]]
    })
    return [uid, new Map(own)] as const
  })
  return new Map(found.filter(([, own]) => own.size > 0))
}
