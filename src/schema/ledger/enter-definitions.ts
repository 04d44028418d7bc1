import { createHash } from 'node:crypto'
import type { AttributeNames, StoredNames } from '../compile-attributes.ts'
import type { AttributeDefinition, Definitions, Uid } from '../definition.ts'
import {
  findTakenByManaged,
  separateAdopted,
  targetsIn,
  withAdopted,
} from './adopted-definitions.ts'
import { formerValuesIn } from './enter-values.ts'
import { enterHolders, type HolderNames } from './enter-holders.ts'
import { type DeclaredName, enterNames, type Retyped } from './enter-names.ts'
import type { HolderLedger, Ledger, Release } from './ledger.ts'
import { returnTo } from './return-names.ts'
import { withStoredHolders } from './stored-holders.ts'
import { attributeTypeOf, renamedValuesOf, sourcesOf } from './type-of-attribute.ts'

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

export interface RetypedAttribute extends Retyped {
  /** The stored uid of a content-type, or the declared uid of a component. */
  readonly uid: Uid
}

export interface EnteredDefinitions {
  /** With the uids and collections of the database. */
  readonly definitions: Definitions
  readonly storedNames: StoredNames
  readonly ledger: Ledger
  /** Identifies the declarations. */
  readonly digest: string
  /** The first start with these declarations. */
  readonly releasedAt: Date
  /** A process was started with these declarations before. */
  readonly isKnown: boolean
  readonly renamedHolders: readonly { readonly from: Uid; readonly to: Uid }[]
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
  declared: Definitions,
  isStored: (uid: Uid, name: string) => boolean,
  now: Date,
): EnteredDefinitions {
  const { managed, adopted } = separateAdopted(declared)
  const entered = enterManaged({
    before,
    declared: managed,
    isStored,
    now,
    storedTarget: targetsIn(adopted),
  })
  const { definitions } = entered
  return {
    ...entered,
    definitions: withAdopted(definitions, adopted),
    faults: [...entered.faults, ...findTakenByManaged(definitions, adopted)],
  }
}

interface Entering {
  readonly before: Ledger
  readonly declared: Definitions
  readonly isStored: (uid: Uid, name: string) => boolean
  readonly now: Date
  /** For targets that are adopted. */
  readonly storedTarget: (uid: Uid) => Uid
}

function enterManaged(entering: Entering): EnteredDefinitions {
  const { before, declared, now } = entering
  const digest = digestOfDefinitions(declared)
  const known = before.releases.find((release) => release.digest === digest)
  if (known !== undefined) return enterKnown(entering, known)
  const entered = enterHolders(before, declared)
  const definitions = withStoredHolders(declared, entered, entered.ledger)
  const { holders, names, ...changes } = enterAttributes(entering, definitions)
  const { uids, collections } = entered
  const release: Release = { digest, at: now, names, uids, collections }
  const releases = [...before.releases, release].slice(-MAX_RELEASES)
  const ledger = { version: before.version + 1, ...entered.ledger, holders, releases }
  const storedNames = namesIn(ledger, definitions, release)
  return {
    definitions: withFormerValues(definitions, ledger, storedNames),
    storedNames,
    ledger,
    digest,
    releasedAt: now,
    isKnown: false,
    renamedHolders: entered.renamed,
    ...changes,
    faults: [...entered.faults, ...changes.faults],
  }
}

function enterKnown(
  { before, declared, storedTarget }: Entering,
  known: Release,
): EnteredDefinitions {
  const { ledger, retyped } = returnTo(before, declared, known, storedTarget)
  const holders: HolderNames = { uids: known.uids ?? {}, collections: known.collections ?? {} }
  const definitions = withStoredHolders(declared, holders, ledger)
  const storedNames = namesIn(ledger, definitions, known)
  const nothing = { renamedHolders: [], renamed: [], added: [], faults: [] }
  return {
    definitions: withFormerValues(definitions, ledger, storedNames),
    storedNames,
    ledger,
    digest: known.digest,
    releasedAt: known.at,
    isKnown: true,
    retyped,
    ...nothing,
  }
}

interface EnteredAttributes extends Pick<
  EnteredDefinitions,
  'renamed' | 'added' | 'retyped' | 'faults'
> {
  readonly holders: Ledger['holders']
  readonly names: Release['names']
}

function enterAttributes(
  { before, isStored, storedTarget }: Entering,
  definitions: Definitions,
): EnteredAttributes {
  const parts = new Map(definitions.components.map((one) => [one.uid, storedUidOf(one)]))
  const storedUid = (uid: Uid): Uid => parts.get(uid) ?? storedTarget(uid)
  const holders: Record<Uid, HolderLedger> = { ...before.holders }
  const names: Record<Uid, Record<string, string>> = {}
  const renamed: Renaming[] = []
  const added: AddedAttribute[] = []
  const retyped: RetypedAttribute[] = []
  const faults: string[] = []
  for (const holder of holdersOf(definitions)) {
    const { uid, file, attributes } = holder
    const stored = storedUidOf(holder)
    const declared = declaredNames(attributes, storedUid)
    const entered = enterNames(before.holders[stored], declared, (name) => isStored(uid, name))
    holders[stored] = entered.ledger
    const others = [...entered.columns].filter(([name, column]) => name !== column.stored)
    if (others.length > 0) {
      names[stored] = Object.fromEntries(others.map(([name, column]) => [name, column.stored]))
    }
    renamed.push(...entered.renamed.map((one) => ({ uid, ...one })))
    added.push(...entered.added.map((one) => ({ uid, ...one })))
    retyped.push(...entered.retyped.map((one) => ({ uid, ...one })))
    faults.push(
      ...entered.faults.map(({ name, problem }) => `${file}: attributes.${name}.from: ${problem}`),
    )
  }
  return { holders, names, renamed, added, retyped, faults }
}

interface Holder {
  readonly uid: Uid
  readonly storedUid?: Uid
  readonly file: string
  readonly attributes: Readonly<Record<string, AttributeDefinition>>
}

export function storedUidOf({ uid, storedUid = uid }: Pick<Holder, 'uid' | 'storedUid'>): Uid {
  return storedUid
}

function holdersOf({ contentTypes, components }: Definitions): readonly Holder[] {
  return [...contentTypes, ...components]
}

export function declaredNames(
  attributes: Readonly<Record<string, AttributeDefinition>>,
  storedUid: (uid: Uid) => Uid,
): readonly DeclaredName[] {
  return Object.entries(attributes).map(([name, attribute]) => {
    const type = attributeTypeOf(attribute, storedUid)
    return { name, ...type, from: sourcesOf(attribute), renamedValues: renamedValuesOf(attribute) }
  })
}

export function digestOfDefinitions({ contentTypes, components }: Definitions): string {
  const holders = holdersOf({ contentTypes, components }).map(({ file: _file, ...rest }) => rest)
  const sorted = holders.toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url')
}

/** Adds the older values of enumerations to their attributes. */
function withFormerValues(
  definitions: Definitions,
  { holders }: Ledger,
  storedNames: StoredNames,
): Definitions {
  const complete = <T extends Holder>(holder: T): T => {
    const columns = holders[storedUidOf(holder)]?.columns ?? []
    const attributes = Object.entries(holder.attributes).map(([name, attribute]) => {
      if (attribute.type !== 'enumeration') return [name, attribute] as const
      const stored = storedNames.get(holder.uid)?.get(name)?.stored ?? name
      const { values = [] } = columns.find((column) => column.stored === stored) ?? {}
      const formerValues = formerValuesIn(values, attribute.enum ?? [])
      return [name, formerValues.length === 0 ? attribute : { ...attribute, formerValues }] as const
    })
    return { ...holder, attributes: Object.fromEntries(attributes) }
  }
  return {
    ...definitions,
    contentTypes: definitions.contentTypes.map(complete),
    components: definitions.components.map(complete),
  }
}

function namesIn({ holders }: Ledger, definitions: Definitions, { names }: Release): StoredNames {
  const found = holdersOf(definitions).map((holder) => {
    const { uid, attributes } = holder
    const storedUid = storedUidOf(holder)
    const columns = holders[storedUid]?.columns ?? []
    const own = Object.keys(attributes).flatMap((name): readonly [string, AttributeNames][] => {
      const stored = names[storedUid]?.[name] ?? name
      const column = columns.find((one) => one.stored === stored)
      const former = (column?.names ?? []).filter((other) => other !== name)
      const { formerTypes = [], convertedAt = 0 } = column ?? {}
      const isUsual = stored === name && former.length + formerTypes.length === 0
      return isUsual ? [] : [[name, { stored, former, formerTypes, convertedAt }]]
    })
    return [uid, new Map(own)] as const
  })
  return new Map(found.filter(([, own]) => own.size > 0))
}
