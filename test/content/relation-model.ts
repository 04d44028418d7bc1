import { isDeepStrictEqual } from 'node:util'
import type { Status } from '../../src/query/query.ts'
import {
  type ComponentName,
  nestingsIn,
  type Relation,
  type Shape,
  sidesOf,
  type TypeName,
} from './relation-shape.ts'
import {
  type Act,
  type Change,
  type Connection,
  LOCALES,
  type PartChange,
  type Payload,
  type Place,
  type Write,
} from './relation-steps.ts'

export interface VersionName {
  readonly type: TypeName
  readonly document: number
  readonly locale: string
  readonly status: Status
}

/** Relations and components of a holder, by attribute. */
interface Values {
  /** The targets of owning sides, and the order given on inverse sides. */
  readonly lists: ReadonlyMap<string, readonly number[]>
  readonly parts: ReadonlyMap<string, readonly Part[]>
}

interface Part extends Values {
  readonly component: ComponentName
}

interface Version {
  readonly name: VersionName
  id: number
  lists: ReadonlyMap<string, readonly number[]>
  parts: ReadonlyMap<string, readonly Part[]>
}

/** The visible values of a holder, by attribute. */
export interface Shown {
  readonly [attribute: string]: readonly number[] | readonly ShownPart[]
}

export interface ShownPart {
  readonly component: ComponentName
  readonly values: Shown
}

export interface RelationModel {
  exists(type: TypeName, document: number): boolean
  /** Returns false and leaves the model unchanged if the write is refused. */
  write(asked: Write): boolean
  /**
   * Returns false without an effect if the action is refused, and true without an effect if there are no drafts.
   */
  act(asked: Act): boolean
  delete(type: TypeName, document: number, locale: string): void
  versions(): readonly VersionName[]
  /** Returns the attributes of a version that a reader of the given status sees. */
  show(name: VersionName, reader: Status): Shown
  learnId(name: VersionName, id: number): void
  copy(): readonly Version[]
  restore(versions: readonly Version[]): void
}

const REFUSED = new Error('refused')
const EMPTY: Values = { lists: new Map(), parts: new Map() }

/** A model of the rules of relations (ADR 0003): a plain list of versions without any optimization. */
export function openRelationModel(shape: Shape): RelationModel {
  let versions: Version[] = []

  const optionsOf = (type: TypeName): Shape['types'][TypeName] => {
    const options = shape.types[type]
    if (options === undefined) throw new Error(`${type} is not declared`)
    return options
  }

  const find = (name: VersionName): Version | undefined =>
    versions.find((version) => isSame(version.name, name))

  const begin = (name: VersionName): Version => {
    const version = { name, id: Number.MAX_SAFE_INTEGER, ...EMPTY }
    versions.push(version)
    return version
  }

  /** Finds the versions on the owning side that contain a document, as seen from one version. */
  const holders = (
    { owner, name }: Relation,
    document: number,
    locale: string,
    statuses: readonly Status[],
  ): readonly Version[] =>
    versions
      .filter(
        (version) =>
          version.name.type === owner &&
          version.name.locale === locale &&
          statuses.includes(version.name.status) &&
          listIn(version, name).includes(document),
      )
      .sort((one, other) => one.id - other.id)

  function write(asked: Write): boolean {
    const before = versions.map((version) => ({ ...version }))
    try {
      assertTargets(asked.type, asked.payload)
      writeVersions(asked)
      return true
    } catch (error) {
      if (error !== REFUSED) throw error
      versions = before
      return false
    }
  }

  /** Checks that each target exists in some locale and status and is connected at most once. */
  function assertTargets(holder: string, { relations, parts }: Payload): void {
    for (const { name, target } of sidesOf(shape, holder)) {
      const change = relations[name]
      if (change === undefined) continue
      for (const document of named(change)) if (!exists(target, document)) throw REFUSED
      if (connectsTwice(change)) throw REFUSED
    }
    for (const { component, payload } of Object.values(parts).flat()) {
      assertTargets(component, payload)
    }
  }

  function writeVersions(asked: Write): void {
    const { type, document, payload } = asked
    const { draftAndPublish, localized } = optionsOf(type)
    const locale = localized ? asked.locale : ''
    const names = (draftAndPublish ? (['draft', 'published'] as const) : (['published'] as const))
      .filter((status) => status === 'draft' || asked.status === 'published' || !draftAndPublish)
      .map((status): VersionName => ({ type, document, locale, status }))
    const [first, second] = names
    if (first === undefined) return
    const version = find(first) ?? begin(first)
    change(version, payload, asked.locale, null)
    if (second === undefined) return
    // The whole draft is published, but owners on the other side only get the changes of this payload.
    const published = find(second) ?? begin(second)
    copyTo(published, version)
    change(published, payload, asked.locale, version)
  }

  /** `draft`: the source of a published version, which keeps its own lists. */
  function change(version: Version, payload: Payload, locale: string, draft: Version | null): void {
    const { type } = version.name
    if (draft === null) copyTo(version, changedValues(type, version, payload))
    takeWhatIsAlone(version)
    for (const relation of shape.relations.filter(({ target }) => target === type)) {
      const asked = payload.relations[relation.inverse?.name ?? '']
      if (asked === undefined || isNothing(asked)) continue
      changeInverse(version, relation, asked, { locale, draft })
    }
  }

  /** Merges a payload into the values of a content-type or component. Absent attributes stay. */
  function changedValues(holder: string, before: Values, { relations, parts }: Payload): Values {
    const lists = new Map(before.lists)
    for (const { name, toMany } of ownedSides(holder)) {
      const asked = relations[name]
      if (asked !== undefined) lists.set(name, changed(listIn(before, name), asked, toMany))
    }
    const changedParts = Object.entries(parts).map(
      ([name, asked]) => [name, partsAfter(before.parts.get(name) ?? [], asked)] as const,
    )
    return { lists, parts: new Map([...before.parts, ...changedParts]) }
  }

  const ownedSides = (holder: string): ReturnType<typeof sidesOf> =>
    shape.components[holder] ?? shape.relations.filter(({ owner }) => owner === holder)

  /**
   * Returns the new list of components. A component with a stored id changes that component, and the last of several
   * with the same id wins. A component without an id is new.
   */
  function partsAfter(stored: readonly Part[], sent: readonly PartChange[]): readonly Part[] {
    const sources = sent.map((part) => sourceOf(stored, part))
    return sent.flatMap(({ component, payload }, index): readonly Part[] => {
      const source = sources[index]
      if (source !== undefined && sources.lastIndexOf(source) !== index) return []
      return [{ component, ...changedValues(component, source ?? EMPTY, payload) }]
    })
  }

  function act({ kind, type, document, locale: asked }: Act): boolean {
    const { draftAndPublish, localized } = optionsOf(type)
    if (!draftAndPublish) return true
    const at = { type, document, locale: localized ? asked : '' }
    const draft = find({ ...at, status: 'draft' })
    const published = find({ ...at, status: 'published' })
    if (draft === undefined) return false
    if (kind === 'publish') bring(draft, published ?? begin({ ...at, status: 'published' }))
    if (kind === 'unpublish') versions = versions.filter((version) => version !== published)
    if (kind !== 'discard') return true
    if (published !== undefined) bring(published, draft)
    return published !== undefined
  }

  /** Keeps values that are already equal. */
  function bring(from: Version, to: Version): void {
    if (isAlike(from, to)) return
    copyTo(to, from)
    takeWhatIsAlone(to)
  }

  function takeWhatIsAlone(version: Version): void {
    for (const { owner, name } of shape.relations.filter(isExclusive)) {
      if (owner === version.name.type) takeFromRivals(version, name)
    }
  }

  /** A one-to-one target has only one owner. */
  function takeFromRivals(version: Version, name: string): void {
    const [held] = listIn(version, name)
    for (const other of versions) {
      const isRival = isSame(other.name, { ...version.name, document: other.name.document })
      if (held === undefined || !isRival || other === version) continue
      if (listIn(other, name)[0] === held) setList(other, name, [])
    }
  }

  function changeInverse(
    version: Version,
    relation: Relation,
    asked: Change,
    { locale, draft }: { readonly locale: string; readonly draft: Version | null },
  ): void {
    const { document } = version.name
    const { owner, name, toMany } = relation
    const inverse = relation.inverse ?? { name: '', toMany: false }
    const ownerLocale = optionsOf(owner).localized ? version.name.locale || locale : ''
    const statuses = ownerStatuses(version.name, owner)
    const holding = holders(relation, document, ownerLocale, statuses)
    const members = [...new Set(holding.map((each) => each.name.document))]
    const before = arranged(members, listIn(version, inverse.name))
    if (draft === null) {
      const order = changed(before, asked, inverse.toMany)
      setList(version, inverse.name, [...order, ...otherLocales(version, relation, before, order)])
    }
    const isOwner = ({ type, locale: at, status }: VersionName): boolean =>
      type === owner && at === ownerLocale && statuses.includes(status)
    for (const other of versions.filter((each) => isOwner(each.name))) {
      const list = listIn(other, name)
      const rest = list.filter((each) => each !== document)
      const fate = fateOf(other.name.document, asked, inverse.toMany)
      if (fate === 'leaves') setList(other, name, rest)
      if (fate !== 'joins' || rest.length < list.length) continue
      setList(other, name, toMany ? [...list, document] : [document])
    }
  }

  /**
   * Owners in other locales, which keep their places in the list. A version without locales orders the owners of all
   * locales in one list.
   */
  function otherLocales(
    version: Version,
    { owner, inverse }: Relation,
    ...known: readonly (readonly number[])[]
  ): readonly number[] {
    const isShared = optionsOf(owner).localized && version.name.locale === ''
    if (inverse === null || !inverse.toMany || !isShared) return []
    return listIn(version, inverse.name).filter((other) => !known.flat().includes(other))
  }

  function ownerStatuses({ type, status }: VersionName, owner: TypeName): readonly Status[] {
    if (!optionsOf(owner).draftAndPublish) return ['published']
    return optionsOf(type).draftAndPublish ? [status] : ['draft', 'published']
  }

  function exists(type: TypeName, document: number): boolean {
    return versions.some(({ name }) => name.type === type && name.document === document)
  }

  function show(name: VersionName, reader: Status): Shown {
    const version = find(name)
    if (version === undefined) return {}
    const shown: Record<string, Shown[string]> = { ...showOwn(name.type, version, name, reader) }
    for (const relation of shape.relations) {
      if (relation.inverse === null || relation.target !== name.type) continue
      const { locale, status } = seenFrom(name, relation.owner, reader)
      const members = holders(relation, name.document, locale, [status])
      const list = arranged(
        members.map((each) => each.name.document),
        listIn(version, relation.inverse.name),
      )
      shown[relation.inverse.name] = relation.inverse.toMany ? list : list.slice(0, 1)
    }
    return shown
  }

  /** Returns the related documents that have a version visible to the reader. */
  function showOwn(holder: string, values: Values, from: VersionName, reader: Status): Shown {
    const relations = ownedSides(holder).map(({ name, target }) => {
      const at = seenFrom(from, target, reader)
      const isThere = (document: number): boolean => find({ ...at, document }) !== undefined
      return [name, listIn(values, name).filter(isThere)] as const
    })
    const nested = nestingsIn(shape, holder).map(({ name }) => {
      const parts = (values.parts.get(name) ?? []).map((part) => ({
        component: part.component,
        values: showOwn(part.component, part, from, reader),
      }))
      return [name, parts] as const
    })
    return Object.fromEntries([...relations, ...nested])
  }

  /** Returns the visible version of a content-type, without its document. */
  function seenFrom({ locale }: VersionName, type: TypeName, reader: Status): VersionName {
    const { localized, draftAndPublish } = optionsOf(type)
    return {
      type,
      document: -1,
      locale: localized ? locale || LOCALES[0] : '',
      status: draftAndPublish ? reader : 'published',
    }
  }

  return {
    exists,
    write,
    act,
    show,
    copy: () => versions.map((version) => ({ ...version })),
    versions: () => versions.map(({ name }) => name),
    delete: (type, document, locale) => {
      versions = versions.filter(
        ({ name }) =>
          name.type !== type ||
          name.document !== document ||
          (locale !== 'all' && name.locale !== '' && name.locale !== locale),
      )
    },
    learnId: (name, id) => {
      const version = find(name)
      if (version !== undefined) version.id = id
    },
    restore: (kept) => {
      versions = kept.map((version) => ({ ...version }))
    },
  }
}

function isSame(one: VersionName, other: VersionName): boolean {
  return (
    one.type === other.type &&
    one.document === other.document &&
    one.locale === other.locale &&
    one.status === other.status
  )
}

function listIn({ lists }: Values, name: string): readonly number[] {
  return lists.get(name) ?? []
}

function copyTo(version: Version, { lists, parts }: Values): void {
  version.lists = lists
  version.parts = parts
}

function isAlike(one: Values, other: Values): boolean {
  return isDeepStrictEqual([one.lists, one.parts], [other.lists, other.parts])
}

/** A draft and its copy share lists until one of them changes. */
function setList(version: Version, name: string, list: readonly number[]): void {
  version.lists = new Map(version.lists).set(name, list)
}

function sourceOf(stored: readonly Part[], { from, component }: PartChange): Part | undefined {
  const part = from === null ? undefined : stored[from]
  return part?.component === component ? part : undefined
}

/** True for a two-way one-to-one relation. */
function isExclusive({ inverse }: Relation): boolean {
  return inverse !== null && !inverse.toMany
}

function isNothing(change: Change): boolean {
  return 'connect' in change && change.connect.length + change.disconnect.length === 0
}

function connectsTwice(change: Change): boolean {
  if ('set' in change) return false
  return new Set(change.connect.map(({ target }) => target)).size < change.connect.length
}

/** Returns the documents that must exist. Disconnected documents may be deleted. */
function named(change: Change): readonly number[] {
  if ('set' in change) return change.set
  return change.connect.flatMap(({ target, position }) => [target, ...reference(position)])
}

function reference(position: Place): readonly number[] {
  if ('before' in position) return [position.before]
  return 'after' in position ? [position.after] : []
}

function joiners(change: Change, toMany: boolean): readonly number[] {
  const named = 'set' in change ? change.set : change.connect.map(({ target }) => target)
  return toMany ? named : named.slice(-1)
}

/** Returns the effect of a change through the inverse side on one owner. */
function fateOf(document: number, change: Change, toMany: boolean): 'joins' | 'leaves' | 'stays' {
  if (joiners(change, toMany).includes(document)) return 'joins'
  if ('set' in change || (!toMany && change.connect.length > 0)) return 'leaves'
  return change.disconnect.includes(document) ? 'leaves' : 'stays'
}

function arranged(members: readonly number[], order: readonly number[]): readonly number[] {
  return [
    ...order.filter((document) => members.includes(document)),
    ...members.filter((document) => !order.includes(document)),
  ]
}

function changed(list: readonly number[], change: Change, toMany: boolean): readonly number[] {
  if ('set' in change) return toMany ? [...new Set(change.set)] : change.set.slice(-1)
  if (!toMany && change.connect.length > 0) return joiners(change, toMany)
  let result: readonly number[] = list.filter((document) => !change.disconnect.includes(document))
  let waiting: Connection[] = []
  const put = (connection: Connection): void => {
    const { target, position } = connection
    const [at] = reference(position)
    if (at !== undefined && !result.includes(at)) {
      waiting.push(connection)
      return
    }
    if (at !== target) result = inserted(result, target, position)
    const next = waiting.filter(({ position: place }) => reference(place)[0] === target)
    waiting = waiting.filter((each) => !next.includes(each))
    next.forEach(put)
  }
  change.connect.forEach(put)
  if (waiting.length > 0) throw REFUSED
  return result
}

function inserted(list: readonly number[], target: number, position: Place): readonly number[] {
  const rest = list.filter((document) => document !== target)
  if ('start' in position) return [target, ...rest]
  if ('end' in position) return [...rest, target]
  const at = 'before' in position ? rest.indexOf(position.before) : rest.indexOf(position.after) + 1
  return [...rest.slice(0, at), target, ...rest.slice(at)]
}
