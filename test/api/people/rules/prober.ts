import { expect } from 'chai'
import qs from 'qs'
import type { Answer, Json, Sent } from '../../../support/server.ts'
import { CANARY, canariesOf } from './canaries.ts'
import type { Version } from './dump.ts'
import {
  hidesEntries,
  isVisible,
  meets,
  type Node,
  readable,
  type Populate,
  seenBehind,
  shownEntry,
  type View,
} from './expected.ts'
import type { EntryProbe, ListProbe, Probe, SearchProbe } from './probes.ts'
import { isIn, relationOf } from './dump.ts'
import { pathOf, type Principal, queryOf as queryName, type ServedWorld } from './serve-world.ts'
import { canaryOf, PRIVATE_ATTRIBUTE } from './world.ts'

const MONGODB_URI = process.env['MONGODB_URI'] ?? ''
const SYSTEM = ['id', 'createdAt', 'updatedAt', 'publishedAt', 'locale', '__component']

export class Prober {
  readonly #served: ServedWorld
  /** The canaries that a principal may receive by any door. */
  readonly #allowed: ReadonlyMap<Principal, ReadonlySet<string>>
  /** Requests by kind and outcome, so that a test can require that the probes reach all of them. */
  readonly counts: Record<string, number> = {}

  constructor(served: ServedWorld) {
    this.#served = served
    this.#allowed = new Map(
      served.principals.map((principal) => [principal, canariesOf(served.dump, principal)]),
    )
  }

  async probe(probe: Probe): Promise<void> {
    const principal = this.#served.principals[probe.principal]
    if (principal === undefined) throw new Error('no such principal')
    switch (probe.door) {
      case 'entry':
        return this.#entry(principal, probe)
      case 'query':
        return this.#query(principal, probe)
      case 'search':
        return this.#search(principal, probe)
      case 'list':
      case 'mcp':
        return this.#list(principal, probe)
    }
  }

  async #list(principal: Principal, probe: ListProbe): Promise<void> {
    const view = this.#view(principal, probe)
    const query = { ...queryOf(probe), ...(probe.sort !== null && { sort: probe.sort }) }
    const path = (more: object): string => addressOf(pathOf(probe.type), { ...query, ...more })
    const first = path({ pagination: { page: 1, pageSize: 25 } })
    const other = this.#served.principals[probe.other] ?? principal
    const [answer, others] = await Promise.all([
      this.#get(principal, first),
      this.#get(other, first),
    ])
    const statuses = this.#statusesOf(view, probe, 'find', probe.sort)
    this.#count('list', answer.status)
    expect(statuses, describe(principal, first, answer)).to.include(answer.status)
    if (answer.status !== 200) return
    const expected = this.#listed(view, probe)
    this.#assertEntries(view, probe, { principal, target: first, answer }, expected)
    expect(answer.body.meta.pagination.total, describe(principal, first, answer)).to.equal(
      expected.length,
    )
    this.#assertOrder(view, probe, expected, answer)
    if (probe.door === 'mcp') await this.#assertTool(principal, probe, 'find', answer)
    await this.#assertPages(principal, probe, path, expected)
    await this.#assertTag(other, first, others, answer)
  }

  /** A named query under the rules of its caller populates `up` and `many`. */
  async #query(principal: Principal, { type, at }: ListProbe): Promise<void> {
    const { dump } = this.#served
    const targets = ['up', 'many'].map((name) => relationOf(dump, type, name)?.target ?? '')
    const types = [type, ...targets]
    const hasDrafts = types.some((name) => dump.withDrafts.has(name))
    const target = addressOf(`/api/_q/${queryName(type)}`, hasDrafts ? { status: at } : {})
    // Without a status, the conditions of rules see the published versions of further types as well.
    const view: View = { dump, at: hasDrafts ? at : 'published', reader: principal }
    const answer = await this.#get(principal, target)
    this.#count('query', answer.status)
    const { rights } = principal
    const isPermitted = types.every((name) => `${name}.find` in rights)
    const mayDraft = !this.#readsDrafts(view, type) || `${type}.readDrafts` in rights
    const status = isPermitted && mayDraft ? 200 : 403
    expect(answer.status, describe(principal, target, answer)).to.equal(status)
    if (status !== 200) return
    const node = { populate: { up: {}, many: {} } }
    const expected = this.#versionsOf(view, type).filter((one) => isVisible(view, one))
    this.#assertEntries(view, node, { principal, target, answer }, expected)
  }

  /** A tag of one principal's response never confirms a response with other content. */
  async #assertTag(other: Principal, target: string, others: Answer, mine: Answer): Promise<void> {
    const { etag } = mine.headers
    if (etag === undefined || others.status !== 200) return
    const again = await this.#get(other, target, { 'if-none-match': etag })
    const isSame = JSON.stringify(mine.body) === JSON.stringify(others.body)
    expect(again.status, `${describe(other, target, again)} with the tag of another`).to.equal(
      isSame ? 304 : 200,
    )
  }

  async #assertPages(
    principal: Principal,
    probe: ListProbe,
    path: (more: object) => string,
    expected: readonly Version[],
  ): Promise<void> {
    const { pages, pageSize, withCount } = probe
    if (pages === 'cursor' && probe.sort !== null) return
    const ids: string[] = []
    let cursor: string | null = ''
    for (let page = 1; page <= Math.ceil(expected.length / pageSize) + 1; page += 1) {
      const pagination = {
        page: { page, pageSize, withCount },
        start: { start: (page - 1) * pageSize, limit: pageSize, withCount },
        cursor: { cursor, pageSize, withCount },
      }[pages]
      const target = path({ pagination })
      const answer = await this.#get(principal, target)
      expect(answer.status, describe(principal, target, answer)).to.equal(200)
      ids.push(...answer.body.data.map(({ documentId }: Json) => documentId))
      this.#assertTotal(principal, probe, { target, answer }, expected)
      cursor = answer.body.meta.pagination.nextCursor ?? null
      if (pages === 'cursor' && cursor === null) break
    }
    this.#count(`pages by ${pages}`, 200)
    expect(ids, `${principal.name}: pages of ${path({})}`).to.have.members(
      expected.map(({ documentId }) => documentId),
    )
  }

  #assertTotal(
    principal: Principal,
    probe: ListProbe,
    { target, answer }: { readonly target: string; readonly answer: Answer },
    expected: readonly Version[],
  ): void {
    const { total, estimated } = answer.body.meta.pagination
    const all = this.#versionsOf(this.#view(principal, probe), probe.type)
    // MongoDB estimates whole collections by metadata, which is only exact on the embedded engine.
    const mayDiffer = estimated === true && expected.length === all.length && MONGODB_URI !== ''
    if (total === undefined || mayDiffer) return
    expect(total, describe(principal, target, answer)).to.equal(expected.length)
  }

  /** Targets that the principal does not see order like missing ones. */
  #assertOrder(view: View, probe: ListProbe, expected: readonly Version[], answer: Answer): void {
    if (probe.sort === null) return
    const [path = '', direction] = probe.sort.split(':')
    const keys = (answer.body.data as Json[]).map(
      ({ documentId }): readonly (string | number | null)[] => {
        const version = expected.find((one) => one.documentId === documentId)
        if (version === undefined) return []
        const [relation, attribute] = path.includes('.') ? splitPath(path) : [null, path]
        const holders = relation === null ? [version] : seenBehind(view, version, relation)
        return holders.map(({ values }) => (values[attribute] ?? null) as string | number | null)
      },
    )
    // With several targets, the lowest or the highest value counts, depending on the direction.
    const order = keys.map((list) => {
      const sorted = list.toSorted(byValue)
      return (direction === 'desc' ? sorted.at(-1) : sorted[0]) ?? null
    })
    const isOrdered = order.every((key, at) => {
      const compared = at === 0 ? 0 : byValue(order[at - 1] ?? null, key)
      return direction === 'desc' ? compared >= 0 : compared <= 0
    })
    expect(
      isOrdered,
      `${principalName(view)} ${probe.type} ${probe.sort}: ${JSON.stringify(order)}`,
    ).to.equal(true)
  }

  async #entry(principal: Principal, probe: EntryProbe): Promise<void> {
    const view = this.#view(principal, probe)
    const versions = this.#versionsOf(view, probe.type)
    const documentId = this.#idAt(probe.type, probe.position)
    const addressOfId = (id: string): string =>
      addressOf(`${pathOf(probe.type)}/${id}`, queryOf(probe))
    const target = addressOfId(documentId)
    const answer = await this.#get(principal, target)
    const version = versions.find(
      (one) => one.documentId === documentId && isVisible(view, one, 'findOne'),
    )
    const allowed = this.#statusesOf(view, probe, 'findOne', null)
    const isHidden = version === undefined && allowed.includes(200)
    this.#count('entry', answer.status)
    expect(isHidden ? [404] : allowed, describe(principal, target, answer)).to.include(
      answer.status,
    )
    await this.#assertTool(principal, { ...probe, documentId }, 'get', answer)
    if (version === undefined) {
      const missing = await this.#get(principal, addressOfId(MISSING))
      expect(likeMissing(answer, documentId), describe(principal, target, answer)).to.deep.equal(
        likeMissing(missing, MISSING),
      )
      return
    }
    if (answer.status !== 200) return
    const shown = canonical(answer.body.data, withoutSystem)
    expect(shown, describe(principal, target, answer)).to.deep.equal(
      canonical(shownEntry(view, version, probe, 'findOne')),
    )
  }

  /** A search for a canary finds its version only where the principal may read the canary. */
  async #search(principal: Principal, probe: SearchProbe): Promise<void> {
    const view = this.#view(principal, probe)
    const canary = canaryOf(probe.type, probe.position, probe.at)
    const target = addressOf(pathOf(probe.type), { _q: canary, status: probe.at })
    const answer = await this.#get(principal, target)
    const statuses = this.#statusesOf(view, { ...probe, filters: {} }, 'find', null)
    this.#count('search', answer.status)
    expect(statuses, describe(principal, target, answer)).to.include(answer.status)
    if (answer.status !== 200) return
    const isReadable = readable(
      view.reader,
      probe.type,
      'find',
      this.#readsDrafts(view, probe.type),
    )
    const expected = this.#versionsOf(view, probe.type)
      .filter((one) => isVisible(view, one) && isReadable('canary'))
      .filter(({ values }) => values['canary'] === canary)
    this.#assertEntries(view, probe, { principal, target, answer }, expected)
  }

  #assertEntries(
    view: View,
    node: Node,
    {
      principal,
      target,
      answer,
    }: { readonly principal: Principal; readonly target: string; readonly answer: Answer },
    expected: readonly Version[],
  ): void {
    const byId = (one: Json, other: Json): number => (one.documentId < other.documentId ? -1 : 1)
    const shown = (answer.body.data as Json[])
      .map((one) => canonical(one, withoutSystem))
      .sort(byId)
    const wanted = expected.map((one): Json => canonical(shownEntry(view, one, node))).sort(byId)
    expect(shown, describe(principal, target, answer)).to.deep.equal(wanted)
  }

  #listed(view: View, probe: ListProbe): readonly Version[] {
    return this.#versionsOf(view, probe.type)
      .filter((one) => isVisible(view, one))
      .filter((one) => meets(view, probe.filters ?? {}, one))
  }

  #versionsOf(view: View, type: string): readonly Version[] {
    return this.#served.dump.versions.filter(
      (one) => one.type === type && isIn(view.dump, one, view.at),
    )
  }

  #view(principal: Principal, probe: Probe): View {
    return { dump: this.#served.dump, at: probe.at, reader: principal }
  }

  #readsDrafts({ at }: View, type: string): boolean {
    return at === 'draft' && this.#served.dump.withDrafts.has(type)
  }

  /** Related types without `readDrafts` are read as published. */
  #seesDrafts(view: View, type: string): boolean {
    return this.#readsDrafts(view, type) && `${type}.readDrafts` in view.reader.rights
  }

  /** 403 without the permission, 400 for an attribute that the principal may not read. */
  #statusesOf(
    view: View,
    probe: Node & { readonly type: string },
    verb: 'find' | 'findOne',
    sort: string | null,
  ): readonly number[] {
    const { rights } = view.reader
    if (rights[`${probe.type}.${verb}`] === undefined) return [403]
    const isSorted = sort === null || this.#canSort(view, probe.type, sort, verb)
    const isKnown = isSorted && this.#canReadNode(view, probe.type, probe, verb)
    const drafts = this.#readsDrafts(view, probe.type)
    if (!drafts || `${probe.type}.readDrafts` in rights) return isKnown ? [200] : [400]
    return isKnown ? [403] : [400, 403]
  }

  /** An order through a type with hidden entries would reveal their values. */
  #canSort(view: View, type: string, sort: string, verb: 'find' | 'findOne'): boolean {
    const path = sort.split(':')[0]?.split('.') ?? []
    if (!this.#canRead(view, type, path, verb)) return false
    const target = relationOf(view.dump, type, path[0] ?? '')?.target ?? ''
    return !hidesEntries(view, target)
  }

  #canReadNode(view: View, type: string, node: Node, verb: 'find' | 'findOne' = 'find'): boolean {
    const names = (node.fields ?? []).map((name) => [name])
    const filters = pathsOf(node.filters ?? {})
    if (![...names, ...filters].every((path) => this.#canRead(view, type, path, verb))) return false
    return Object.entries(node.populate ?? {}).every(([name, below]) => {
      // A relation that the principal may not read is left out of the response.
      if (!this.#canRead(view, type, [name], verb)) return true
      const target = name === 'part' ? `${type}Part` : relationOf(view.dump, type, name)?.target
      return (
        target === undefined || typeof below === 'string' || this.#canReadNode(view, target, below)
      )
    })
  }

  #canRead(
    view: View,
    type: string,
    [name = '', ...rest]: readonly string[],
    verb: 'find' | 'findOne' = 'find',
  ): boolean {
    if (name === PRIVATE_ATTRIBUTE) return false
    const isPart = type.endsWith('Part')
    if (!isPart && !readable(view.reader, type, verb, this.#seesDrafts(view, type))(name))
      return false
    const target = relationOf(view.dump, type, name)?.target
    if (target === undefined) return true
    if (view.reader.rights[`${target}.find`] === undefined) return false
    return rest.length === 0 || this.#canRead(view, target, rest)
  }

  #idAt(type: string, position: number): string {
    const versions = this.#served.dump.versions.filter((one) => one.type === type)
    return [...new Set(versions.map(({ documentId }) => documentId))][position] ?? MISSING
  }

  /** Asserts that the tool of `/mcp` returns the entries of `answer` to the same token. */
  async #assertTool(
    principal: Principal,
    probe: Probe & { readonly documentId?: string },
    name: 'find' | 'get',
    answer: Answer,
  ): Promise<void> {
    if (principal.holder !== 'token') return
    const { type, at: status, documentId } = probe
    const sort = 'sort' in probe && probe.sort !== null && { sort: probe.sort }
    const given = name === 'get' ? { documentId } : { pageSize: 25, ...sort }
    const args = { type, status, ...queryOf(probe), ...given }
    const { data = null, ...failure } = await this.#tool(principal, name, args)
    const text = `${name} ${JSON.stringify(args)} ${JSON.stringify(failure)}`
    expect(data, text).to.deep.equal(answer.body.data)
  }

  /** The result of a tool of `/mcp`. */
  async #tool(principal: Principal, name: string, given: object): Promise<Json> {
    // A populate of nothing is left out here, which gives the default populate: nothing.
    const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
    const params = { name, arguments: args }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const answer = await this.#send(principal, 'POST', '/mcp', { body })
    this.#count(`mcp ${name}`, answer.status)
    const [{ text }] = answer.body.result.content
    return JSON.parse(text)
  }

  #get(principal: Principal, target: string, headers = {}): Promise<Answer> {
    return this.#send(principal, 'GET', target, { headers })
  }

  async #send(principal: Principal, method: string, target: string, sent: Sent): Promise<Answer> {
    const { server } = this.#served
    const answer = await server.send(method, target, { ...sent, token: principal.token })
    const seen = [answer.text, JSON.stringify(answer.headers), JSON.stringify(server.takeLog())]
    // A request may contain a canary. An error that quotes it shows nothing new.
    const given = decodeURIComponent(target) + JSON.stringify(sent)
    const shown = seen.flatMap((text) => text.match(CANARY) ?? [])
    const leaked = shown.filter(
      (one) => !this.#allowed.get(principal)?.has(one) && !given.includes(one),
    )
    expect(leaked, describe(principal, target, answer)).to.deep.equal([])
    return answer
  }

  #count(door: string, status: number): void {
    const key = `${door} ${status}`
    this.counts[key] = (this.counts[key] ?? 0) + 1
  }
}

const MISSING = 'zzzzzzzzzzzzzzzzzzzzzzzz'

function likeMissing({ status, text }: Answer, documentId: string): object {
  return { status, text: text.replaceAll(documentId, '<id>') }
}

function splitPath(path: string): readonly [string, string] {
  const dot = path.indexOf('.')
  return [path.slice(0, dot), path.slice(dot + 1)]
}

const LOGICAL: ReadonlySet<string> = new Set(['$and', '$or', '$not'])

function pathsOf(filters: Node['filters'] & object): readonly (readonly string[])[] {
  return Object.entries(filters).flatMap(([key, value]) => {
    const list = [value].flat().map((one) => Object(one) as Readonly<Record<string, unknown>>)
    if (LOGICAL.has(key)) return list.flatMap(pathsOf)
    if (key.startsWith('$')) return []
    const below = list.flatMap(pathsOf)
    if (below.length === 0) return [[key]]
    return below.map((path) => [key, ...path])
  })
}

function queryOf(probe: Probe): object {
  return { status: probe.at, ...nodeQuery(probe) }
}

function nodeQuery({ fields, filters, populate = {} }: Node): object {
  const entries = Object.entries(populate)
  return {
    ...(fields !== undefined && { fields }),
    ...(filters !== undefined && { filters }),
    populate:
      entries.length === 0
        ? ''
        : Object.fromEntries(entries.map(([name, below]) => [name, belowQuery(below)])),
  }
}

function belowQuery(below: Populate[string]): unknown {
  if (below === 'ids') return 'ids'
  if (below === 'count') return { count: true }
  const { populate = {}, ...rest } = below
  if (Object.keys(rest).length === 0 && Object.keys(populate).length === 0) return true
  return Object.keys(populate).length === 0 ? nodeQuery(rest) : nodeQuery(below)
}

function addressOf(path: string, query: object): string {
  return `${path}?${qs.stringify(query, { encodeValuesOnly: false })}`
}

function byValue(one: string | number | null, other: string | number | null): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? -1 : 1
  return one < other ? -1 : 1
}

/** Sorts lists by documentId and drops system members. */
function canonical(value: Json, without: (key: string) => boolean = () => false): Json {
  if (Array.isArray(value)) {
    const list = value.map((one) => canonical(one, without))
    return list.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      without(key) ? [] : [[key, canonical(one, without)]],
    ),
  )
}

const withoutSystem = (key: string): boolean => SYSTEM.includes(key)
const keyOf = (one: Json): string => (typeof one === 'string' ? one : String(one.documentId))

function principalName({ reader }: View): string {
  return (reader as Principal).name
}

function describe({ name, rights }: Principal, target: string, { status, text }: Answer): string {
  const rules = JSON.stringify(rights)
  return `${name} GET ${decodeURIComponent(target)}\n${status} ${text.slice(0, 2_000)}\n${rules}\n`
}
