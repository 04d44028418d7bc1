import type { ComponentDefinition, ContentTypeDefinition, Definitions, Uid } from '../definition.ts'
import { enterNames } from './enter-names.ts'
import type { HolderLedger, Ledger } from './ledger.ts'

/** The content-types and components of a release with other names in the database. */
export interface HolderNames {
  readonly uids: Readonly<Record<Uid, Uid>>
  /** By stored uid. */
  readonly collections: Readonly<Record<Uid, string>>
}

export interface EnteredHolders extends HolderNames {
  readonly ledger: Pick<Ledger, 'types' | 'components' | 'collections'>
  readonly renamed: readonly { readonly from: Uid; readonly to: Uid }[]
  readonly faults: readonly string[]
}

type Holder = ContentTypeDefinition | ComponentDefinition

/** A content-type or component keeps the uid that it was created with. `from` assigns it to its new name. */
export function enterHolders(
  before: Ledger,
  { contentTypes, components }: Definitions,
): EnteredHolders {
  const types = enter(before.types, contentTypes)
  const parts = enter(before.components, components)
  const collections = keepCollections(before, contentTypes, types)
  return {
    ledger: {
      types: types.ledger,
      components: parts.ledger,
      collections: { ...before.collections, ...collections.all },
    },
    uids: { ...types.uids, ...parts.uids },
    collections: collections.others,
    renamed: [...types.renamed, ...parts.renamed],
    faults: [...types.faults, ...parts.faults, ...collections.faults],
  }
}

interface Entered extends Pick<EnteredHolders, 'uids' | 'renamed' | 'faults'> {
  readonly ledger: HolderLedger
  readonly formerOf: ReadonlyMap<Uid, readonly Uid[]>
}

function enter(before: HolderLedger, holders: readonly Holder[]): Entered {
  const declared = holders.map(({ uid, from = [] }) => ({ name: uid, type: 'holder', from }))
  const { ledger, columns, renamed, faults } = enterNames(before, declared, () => false)
  const others = [...columns].filter(([uid, { stored }]) => uid !== stored)
  return {
    ledger,
    uids: Object.fromEntries(others.map(([uid, { stored }]) => [uid, stored])),
    renamed,
    faults: [
      ...holders.filter(takesPlugin).map(({ file }) => `${file}: from: ${PLUGIN_FAULT}`),
      ...faults.map(({ name, problem }) => {
        return `${holders.find(({ uid }) => uid === name)?.file ?? name}: from: ${problem}`
      }),
    ],
    formerOf: new Map([...columns].map(([uid, { names }]) => [uid, names.slice(0, -1)])),
  }
}

const PLUGIN_FAULT = 'users and files keep their content-types'

/** Another type would show the attributes of users, such as hashes of passwords. */
function takesPlugin({ uid, from = [] }: Holder): boolean {
  return from.length > 0 && [uid, ...from].some((name) => name.startsWith('plugin::'))
}

interface KeptCollections {
  readonly all: Readonly<Record<Uid, string>>
  readonly others: Readonly<Record<Uid, string>>
  readonly faults: readonly string[]
}

/** A renamed type keeps its collection. If the collection of a new type is taken, the type gets another one. */
function keepCollections(
  { collections: known }: Ledger,
  contentTypes: readonly ContentTypeDefinition[],
  { uids, formerOf }: Entered,
): KeptCollections {
  const all: Record<Uid, string> = {}
  const others: Record<Uid, string> = {}
  const faults: string[] = []
  const isRenamed = ({ uid }: ContentTypeDefinition): boolean => formerOf.get(uid)?.length !== 0
  const ordered = [
    ...contentTypes.filter(isRenamed),
    ...contentTypes.filter((one) => !isRenamed(one)),
  ]
  const taken = new Set<string>()
  for (const type of ordered) {
    const stored = uids[type.uid] ?? type.uid
    const former = known[stored]
    if (isRenamed(type) && former === undefined) {
      faults.push(
        `${type.file}: from: the collection of ${stored} is unknown; start the older release once`,
      )
    }
    const isKept = isRenamed(type) || former?.startsWith(`${type.collectionName}~`) === true
    const name =
      isKept && former !== undefined ? former : freeCollection(type.collectionName, taken)
    taken.add(name.toLowerCase())
    all[stored] = name
    if (name !== type.collectionName) others[stored] = name
  }
  return { all, others, faults }
}

function freeCollection(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name}~${number}`
  return free
}
