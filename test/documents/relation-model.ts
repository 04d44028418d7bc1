import type { Status } from '../../src/query/query.ts'

export type TypeName = 'left' | 'right'

interface Options {
  readonly draftAndPublish: boolean
  readonly localized: boolean
}

/** Which options the two content-types have. */
export type Family = Readonly<Record<TypeName, Options>>

/** What a payload asks of one relation; documents go by their numbers. */
export type Change =
  | { readonly set: readonly number[] }
  | {
      readonly connect: readonly { readonly target: number; readonly position: Place }[]
      readonly disconnect: readonly number[]
    }

type Place =
  | { readonly end: true }
  | { readonly start: true }
  | { readonly before: number }
  | { readonly after: number }

export interface VersionName {
  readonly type: TypeName
  readonly document: number
  readonly locale: string | null
  readonly status: Status
}

export interface Write {
  readonly type: TypeName
  readonly document: number
  readonly locale: string
  readonly status: Status
  readonly payload: Readonly<Record<string, Change>>
}

/** One way, or the two names of a two-way relation, as the owner sees it. */
interface Declared {
  readonly owner: TypeName
  readonly name: string
  readonly target: TypeName
  readonly toMany: boolean
  readonly inverse: { readonly name: string; readonly toMany: boolean } | null
}

const DECLARED: readonly Declared[] = [
  declared('left', 'partner', 'right', false, ['partner', false]),
  declared('left', 'group', 'right', false, ['members', true]),
  declared('left', 'tags', 'right', true, ['tagged', true]),
  declared('left', 'wayOne', 'right', false, null),
  declared('left', 'wayGroup', 'right', false, null),
  declared('left', 'wayList', 'right', true, null),
  declared('left', 'wayMany', 'right', true, null),
  declared('left', 'parent', 'left', false, ['children', true]),
  declared('left', 'twin', 'left', false, ['twinOf', false]),
  declared('left', 'friends', 'left', true, ['friendOf', true]),
]

function declared(
  owner: TypeName,
  name: string,
  target: TypeName,
  toMany: boolean,
  inverse: readonly [string, boolean] | null,
): Declared {
  return {
    owner,
    name,
    target,
    toMany,
    inverse: inverse === null ? null : { name: inverse[0], toMany: inverse[1] },
  }
}

interface Version {
  readonly name: VersionName
  id: number
  /** Of owning sides the targets; of inverse sides the order that was given there. */
  readonly lists: Map<string, readonly number[]>
}

export interface RelationModel {
  exists(type: TypeName, document: number): boolean
  /** False when it cannot be done; then nothing is. */
  write(asked: Write): boolean
  delete(type: TypeName, document: number, locale: string): void
  versions(): readonly VersionName[]
  /** What a reader of drafts or of what is published sees of one version, by attribute. */
  show(name: VersionName, reader: Status): Readonly<Record<string, readonly number[]>>
  learnId(name: VersionName, id: number): void
  copy(): readonly Version[]
  restore(versions: readonly Version[]): void
}

const REFUSED = new Error('refused')

/** The rules of relations (ADR 0003), one plain list of versions and no thought for speed. */
export function openRelationModel(family: Family): RelationModel {
  let versions: Version[] = []

  const same = (one: VersionName, other: VersionName): boolean =>
    one.type === other.type &&
    one.document === other.document &&
    one.locale === other.locale &&
    one.status === other.status

  const find = (name: VersionName): Version | undefined =>
    versions.find((version) => same(version.name, name))

  const copy = (): Version[] =>
    versions.map(({ name, id, lists }) => ({ name, id, lists: new Map(lists) }))

  /** The versions of a relation's owners that hold a document, as seen from one place. */
  const holders = (
    { owner, name }: Declared,
    document: number,
    locale: string | null,
    statuses: readonly Status[],
  ): readonly Version[] =>
    versions
      .filter(
        (version) =>
          version.name.type === owner &&
          version.name.locale === locale &&
          statuses.includes(version.name.status) &&
          version.lists.get(name)?.includes(document) === true,
      )
      .sort((one, other) => one.id - other.id)

  const begin = (name: VersionName): Version => {
    const version = { name, id: Number.MAX_SAFE_INTEGER, lists: new Map() }
    versions.push(version)
    return version
  }

  function write(asked: Write): boolean {
    const before = copy()
    try {
      assertTargets(asked)
      writeVersions(asked)
      return true
    } catch (error) {
      if (error !== REFUSED) throw error
      versions = before
      return false
    }
  }

  /** Whatever is named must exist, in whatever locale or status. */
  function assertTargets({ type, payload }: Write): void {
    for (const [name, change] of Object.entries(payload)) {
      const target = targetType(type, name)
      const named =
        'set' in change
          ? change.set
          : [
              ...change.disconnect,
              ...change.connect.flatMap(({ target, position }) => [target, ...reference(position)]),
            ]
      for (const document of named) if (!exists(target, document)) throw REFUSED
    }
  }

  function writeVersions(asked: Write): void {
    const { type, document, payload } = asked
    const { draftAndPublish, localized } = family[type]
    const locale = localized ? asked.locale : null
    const names = (draftAndPublish ? (['draft', 'published'] as const) : (['published'] as const))
      .filter((status) => status === 'draft' || asked.status === 'published' || !draftAndPublish)
      .map((status): VersionName => ({ type, document, locale, status }))
    const [first, second] = names
    if (first === undefined) return
    const version = find(first) ?? begin(first)
    change(version, payload, asked.locale, null)
    if (second === undefined) return
    // The whole draft is published; owners on the other side hear of this payload alone.
    const published = find(second) ?? begin(second)
    published.lists.clear()
    for (const [name, list] of version.lists) published.lists.set(name, list)
    change(published, payload, asked.locale, version)
  }

  /** `draft`: what a published version is a copy of; its own lists stay as they are then. */
  function change(
    version: Version,
    payload: Write['payload'],
    locale: string,
    draft: Version | null,
  ): void {
    const { type } = version.name
    if (draft === null) changeOwn(version, payload)
    for (const { owner, name, inverse } of DECLARED) {
      const isExclusive = inverse !== null && !inverse.toMany
      if (owner === type && isExclusive) takeFromRivals(version, name)
    }
    for (const relation of DECLARED.filter(({ target }) => target === type)) {
      const asked = payload[relation.inverse?.name ?? '']
      if (asked !== undefined) changeInverse(version, relation, asked, { locale, draft })
    }
  }

  function changeOwn(version: Version, payload: Write['payload']): void {
    for (const { owner, name, toMany } of DECLARED) {
      const asked = owner === version.name.type ? payload[name] : undefined
      if (asked === undefined) continue
      version.lists.set(name, changed(listIn(version, name), asked, toMany))
    }
  }

  /** A one-to-one target has one owner. */
  function takeFromRivals(version: Version, name: string): void {
    const { type, document, locale, status } = version.name
    const [held] = listIn(version, name)
    for (const other of versions) {
      const isRival = same(other.name, { type, document: other.name.document, locale, status })
      if (held === undefined || !isRival || other.name.document === document) continue
      if (other.lists.get(name)?.[0] === held) other.lists.set(name, [])
    }
  }

  function changeInverse(
    version: Version,
    relation: Declared,
    asked: Change,
    { locale, draft }: { readonly locale: string; readonly draft: Version | null },
  ): void {
    const { document } = version.name
    const { owner, name, toMany } = relation
    const inverse = relation.inverse ?? { name: '', toMany: false }
    const ownerLocale = family[owner].localized ? (version.name.locale ?? locale) : null
    const statuses = ownerStatuses(version.name, owner)
    const holding = holders(relation, document, ownerLocale, statuses)
    const members = [...new Set(holding.map((each) => each.name.document))]
    const before = arranged(members, listIn(version, inverse.name))
    if (draft === null) {
      version.lists.set(inverse.name, changed(before, asked, inverse.toMany))
    }
    const isOwner = ({ type, locale: at, status }: VersionName): boolean =>
      type === owner && at === ownerLocale && statuses.includes(status)
    for (const other of versions.filter((each) => isOwner(each.name))) {
      const list = listIn(other, name)
      const rest = list.filter((each) => each !== document)
      const fate = fateOf(other.name.document, asked, inverse.toMany)
      if (fate === 'leaves') other.lists.set(name, rest)
      if (fate !== 'joins' || rest.length < list.length) continue
      other.lists.set(name, toMany ? [...list, document] : [document])
    }
  }

  function ownerStatuses({ type, status }: VersionName, owner: TypeName): readonly Status[] {
    if (!family[owner].draftAndPublish) return ['published']
    return family[type].draftAndPublish ? [status] : ['draft', 'published']
  }

  function exists(type: TypeName, document: number): boolean {
    return versions.some(({ name }) => name.type === type && name.document === document)
  }

  function show(name: VersionName, reader: Status): Readonly<Record<string, readonly number[]>> {
    const version = find(name)
    if (version === undefined) return {}
    const seenIn = (type: TypeName, locale: string | null, status: Status): VersionName => ({
      type,
      document: 0,
      locale: family[type].localized ? (locale ?? 'en') : null,
      status: family[type].draftAndPublish ? status : 'published',
    })
    const shown: Record<string, readonly number[]> = {}
    for (const { owner, name: attribute, target } of DECLARED) {
      if (owner !== name.type) continue
      const at = seenIn(target, name.locale, reader)
      const list = listIn(version, attribute)
      shown[attribute] = list.filter((document) => find({ ...at, document }) !== undefined)
    }
    for (const relation of DECLARED) {
      if (relation.inverse === null || relation.target !== name.type) continue
      const { locale, status } = seenIn(relation.owner, name.locale, reader)
      const members = holders(relation, name.document, locale, [status])
      const list = arranged(
        members.map((each) => each.name.document),
        listIn(version, relation.inverse.name),
      )
      shown[relation.inverse.name] = relation.inverse.toMany ? list : list.slice(0, 1)
    }
    return shown
  }

  return {
    exists,
    write,
    show,
    copy,
    versions: () => versions.map(({ name }) => name),
    delete: (type, document, locale) => {
      versions = versions.filter(
        ({ name }) =>
          name.type !== type ||
          name.document !== document ||
          (locale !== 'all' && name.locale !== null && name.locale !== locale),
      )
    },
    learnId: (name, id) => {
      const version = find(name)
      if (version !== undefined) version.id = id
    },
    restore: (kept) => {
      versions = [...kept].map(({ name, id, lists }) => ({ name, id, lists: new Map(lists) }))
    },
  }
}

function listIn({ lists }: Version, name: string): readonly number[] {
  return lists.get(name) ?? []
}

function targetType(type: TypeName, attribute: string): TypeName {
  for (const { owner, name, target, inverse } of DECLARED) {
    if (owner === type && name === attribute) return target
    if (target === type && inverse?.name === attribute) return owner
  }
  throw new Error(`${type} has no ${attribute}`)
}

function reference(position: Place): readonly number[] {
  if ('before' in position) return [position.before]
  return 'after' in position ? [position.after] : []
}

function joiners(change: Change, toMany: boolean): readonly number[] {
  const named = 'set' in change ? change.set : change.connect.map(({ target }) => target)
  return toMany ? named : named.slice(-1)
}

/** What a change through an inverse side means for one owner. */
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
  let waiting: { readonly target: number; readonly position: Place }[] = []
  const put = (connection: { readonly target: number; readonly position: Place }): void => {
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
