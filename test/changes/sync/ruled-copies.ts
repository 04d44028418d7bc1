import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  parseScope,
  type SyncScope,
  syncedTypes,
} from '../../../src/changes/sync/query/parse-scope.ts'
import { readToken, writeToken } from '../../../src/changes/sync/query/sync-token.ts'
import { UNKNOWN_RELEASE } from '../../../src/changes/sync/query/synced-release.ts'
import { beginSync, isUpToDate, readSyncPage } from '../../../src/changes/sync/read-page.ts'
import { readHead } from '../../../src/mongo/commits/heads.ts'
import { sequence, sequenceAll } from '../../../src/mongo/commits/sequencer.ts'
import { versionsOf } from '../../../src/mongo/versions/stored-version.ts'
import { syncerOf } from '../../../src/people/access/sync-rights.ts'
import type { StoredRule } from '../../../src/people/rules/stored-rule.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { openTestDatabase, type TestDatabase } from '../../support/test-database.ts'
import {
  DOCUMENTS,
  KINDS,
  openRuledWorld,
  planIn,
  type RuledKind,
  type RuledWorld,
  type RuledWrite,
  TEAMS,
  USERS,
} from './ruled-world.ts'

interface Reader {
  readonly user: string
  readonly teams: readonly string[]
}

/** A rule, and the same condition as an oracle. */
interface Policy {
  readonly name: string
  readonly where?: Data
  readonly fields?: readonly string[]
  readonly sees: (row: Data, reader: Reader) => boolean
}

const rankOf = ({ rank }: Data): number => (typeof rank === 'number' ? rank : -1)

const POLICIES: readonly Policy[] = [
  { name: 'own', where: { owner: '$user' }, sees: ({ owner }, { user }) => owner === user },
  {
    name: 'own or team',
    where: { $or: [{ owner: '$user' }, { team: '$user.teams' }] },
    sees: ({ owner, team }, { user, teams }) => owner === user || teams.includes(String(team)),
  },
  {
    name: 'team in',
    where: { team: { $in: '$user.teams' }, isOpen: true },
    sees: ({ team, isOpen }, { teams }) => isOpen === true && teams.includes(String(team)),
  },
  { name: 'open', where: { isOpen: true }, sees: ({ isOpen }) => isOpen === true },
  {
    name: 'ranked without secrets',
    where: { rank: { $gte: 1 } },
    fields: ['title', 'owner'],
    sees: (row) => rankOf(row) >= 1,
  },
  {
    name: 'not own',
    where: { $not: { owner: '$user' } },
    sees: ({ owner }, { user }) => owner !== user,
  },
  { name: 'titles only', fields: ['title'], sees: () => true },
  {
    name: 'no rank or title',
    where: { $or: [{ rank: { $null: true } }, { title: { $startsWith: 'a' } }] },
    sees: (row) => rankOf(row) === -1 || String(row['title']).startsWith('a'),
  },
]

/** Null permits the action without a rule. */
interface Rights {
  readonly find: Policy | null
  readonly sync: readonly Policy[] | null | 'none'
}

type Turn =
  | { readonly kind: 'write'; readonly write: RuledWrite }
  | { readonly kind: 'members'; readonly team: string; readonly members: readonly string[] }
  | { readonly kind: 'rights'; readonly of: RuledKind; readonly rights: Rights }
  | { readonly kind: 'number' }
  | {
      readonly kind: 'pull'
      readonly device: number
      readonly isCutOff: boolean
      readonly isWhole: boolean
    }

interface Asked {
  readonly user: string
  readonly status: 'draft' | 'published'
  readonly limit: number
  readonly isFiltered: boolean
}

const write: fc.Arbitrary<RuledWrite> = fc.record({
  kind: fc.constantFrom(...KINDS),
  document: fc.nat({ max: DOCUMENTS - 1 }),
  locale: fc.constantFrom('en', 'fr'),
  what: fc.constantFrom(
    'put',
    'put',
    'put',
    'put',
    'publish',
    'publish',
    'unpublish',
    'delete',
    'deleteAll',
  ),
  data: fc.record(
    {
      title: fc.constantFrom('a', 'b'),
      isOpen: fc.boolean(),
      rank: fc.constantFrom(null, 0, 1),
      owner: fc.constantFrom(null, ...USERS),
      team: fc.constantFrom(null, ...TEAMS),
    },
    { requiredKeys: [] },
  ),
  isStale: fc.nat({ max: 9 }).map((n) => n === 0),
})

const policy = fc.constantFrom(...POLICIES)
const rights: fc.Arbitrary<Rights> = fc.record({
  find: fc.option(policy, { freq: 1 }),
  sync: fc.oneof(
    { arbitrary: fc.array(policy, { minLength: 1, maxLength: 2 }), weight: 6 },
    { arbitrary: fc.constant(null), weight: 1 },
    { arbitrary: fc.constant('none' as const), weight: 1 },
  ),
})

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { arbitrary: write.map((one): Turn => ({ kind: 'write', write: one })), weight: 12 },
  {
    arbitrary: fc.record({
      kind: fc.constant('members' as const),
      team: fc.constantFrom(...TEAMS),
      members: fc.subarray(USERS),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('rights' as const),
      of: fc.constantFrom(...KINDS),
      rights,
    }),
    weight: 1,
  },
  { arbitrary: fc.constant<Turn>({ kind: 'number' }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('pull' as const),
      device: fc.nat({ max: 2 }),
      isCutOff: fc.nat({ max: 5 }).map((n) => n === 0),
      isWhole: fc.boolean(),
    }),
    weight: 8,
  },
)

const asked: fc.Arbitrary<Asked> = fc.record({
  user: fc.constantFrom(...USERS),
  status: fc.constantFrom('draft', 'published'),
  limit: fc.constantFrom(1, 2, 500),
  isFiltered: fc.nat({ max: 3 }).map((n) => n === 0),
})

export interface History {
  readonly devices: readonly Asked[]
  readonly rights: Readonly<Record<RuledKind, Rights>>
  readonly turns: readonly Turn[]
}

export const histories: fc.Arbitrary<History> = fc.record({
  devices: fc.array(asked, { minLength: 3, maxLength: 3 }),
  rights: fc.record({ note: rights, page: rights }),
  turns: fc.array(turn, { minLength: 10, maxLength: 50, size: 'max' }),
})

interface Held {
  readonly type: string
  readonly documentId: string
  readonly locale: string | null
  readonly revision: string
  readonly data: Data
}

interface Row extends Data {
  readonly documentId: string
  readonly locale: string
  readonly status: string
}

class Device {
  readonly asked: Asked
  rows = new Map<string, Held>()
  token: string | null = null

  constructor(of: Asked) {
    this.asked = of
  }

  apply(items: readonly string[], next: string): void {
    for (const text of items) {
      const item = JSON.parse(text) as Held & { readonly op: string }
      const key = `${item.type} ${item.documentId} ${item.locale ?? ''}`
      if (item.op === 'put') this.rows.set(key, item)
      else if (item.op === 'delete') this.rows.delete(key)
      else this.rows = new Map([...this.rows].filter(([, { type }]) => type !== item.type))
    }
    this.token = next
  }
}

const LOCALES = {
  defaultCode: 'en',
  all: ['en', 'fr'].map((code, id) => ({ code, id })),
  has: (code: string) => code === 'en' || code === 'fr',
}

/** Runs histories of writes, memberships and rules, and compares devices with an oracle of the rules. */
export class RuledCopies {
  readonly #test: TestDatabase
  readonly #world: RuledWorld
  readonly #teams = new Map<string, readonly string[]>()
  readonly #rights = new Map<RuledKind, Rights>()
  /**
   * Rows as they were before each write. A deletion is sent to users whose present rights show the row as it was: it can
   * get its number after the rights change.
   */
  readonly #past = new Map<RuledKind, Row[]>()
  /** Rows that each user could see at some time. */
  readonly #seen = new Map<string, Set<string>>()
  #secrets = 0
  pages = 0
  resets = 0

  constructor(test: TestDatabase, world: RuledWorld) {
    this.#test = test
    this.#world = world
  }

  static async open(name: string): Promise<RuledCopies> {
    const test = await openTestDatabase(name)
    return new RuledCopies(test, await openRuledWorld(test.database))
  }

  drop(): Promise<void> {
    return this.#test.drop()
  }

  async run({ devices: scopes, rights: first, turns }: History): Promise<void> {
    await this.#world.clear()
    this.#teams.clear()
    this.#seen.clear()
    this.#past.clear()
    for (const kind of KINDS) this.#rights.set(kind, first[kind])
    await this.#storeRights()
    const devices = scopes.map((one) => new Device(one))
    for (const one of turns) {
      await this.#take(one, devices)
      await this.#note()
    }
    await sequenceAll(this.#test.database)
    for (const device of devices) await this.#finish(device)
  }

  async #take(one: Turn, devices: readonly Device[]): Promise<void> {
    const { database } = this.#test
    switch (one.kind) {
      case 'write': {
        const secret = `canary-${(this.#secrets += 1)}-end`
        const { kind } = one.write
        this.#past.set(kind, [...(this.#past.get(kind) ?? []), ...(await this.#rows(kind))])
        await this.#world.write({ ...one.write, data: { ...one.write.data, secret } })
        return
      }
      case 'members':
        this.#teams.set(one.team, one.members)
        await this.#world.setMembers(one.team, one.members)
        return
      case 'rights':
        this.#rights.set(one.of, one.rights)
        await this.#storeRights()
        return
      case 'number':
        await sequence(database)
        return
      case 'pull': {
        const device = devices[one.device]
        if (device === undefined) return
        if (one.isWhole) {
          await sequenceAll(database)
          await this.#finish(device)
        } else {
          await this.#pull(device, one.isCutOff)
        }
      }
    }
  }

  async #storeRights(): Promise<void> {
    const rules: StoredRule[] = []
    const permissions: string[] = []
    for (const [kind, { find, sync }] of this.#rights) {
      const action = (verb: string): string => `api::${kind}.${kind}.${verb}`
      const add = (verb: string, given: readonly Policy[] | null): void => {
        if (given === null) permissions.push(action(verb))
        for (const { where, fields } of given ?? []) {
          rules.push({
            action: action(verb),
            ...(where !== undefined && { where }),
            ...(fields !== undefined && { fields }),
          })
        }
      }
      add('find', find === null ? null : [find])
      if (sync !== 'none') add('sync', sync)
      if (kind === 'page') permissions.push(action('readDrafts'))
    }
    await this.#world.setRules(rules, permissions)
  }

  #sees(kind: RuledKind, row: Data, user: string): boolean {
    const { find, sync } = this.#rights.get(kind) ?? { find: null, sync: 'none' }
    if (sync === 'none') return false
    const teams = [...this.#teams].filter(([, of]) => of.includes(user)).map(([team]) => team)
    const reader = { user, teams }
    if (find !== null && !find.sees(row, reader)) return false
    return sync === null || sync.some(({ sees }) => sees(row, reader))
  }

  #hidesSecrets(kind: RuledKind): boolean {
    const { find, sync } = this.#rights.get(kind) ?? { find: null, sync: 'none' }
    const policies = [...(find === null ? [] : [find]), ...(Array.isArray(sync) ? sync : [])]
    return policies.some(({ fields }) => fields?.includes('secret') === false)
  }

  async #rows(kind: RuledKind): Promise<readonly Row[]> {
    const plan = planIn(this.#world.schema, `api::${kind}.${kind}`)
    const rows = await versionsOf(this.#test.database, plan).find().toArray()
    return rows.map((row) => row as unknown as Row)
  }

  async #note(): Promise<void> {
    for (const kind of KINDS) {
      for (const row of [...(await this.#rows(kind)), ...(this.#past.get(kind) ?? [])]) {
        for (const user of USERS.filter((one) => this.#sees(kind, row, one))) {
          const seen = this.#seen.get(user) ?? new Set()
          this.#seen.set(user, seen.add(row.documentId))
        }
      }
    }
  }

  #scopeOf({ asked: { status, limit, isFiltered } }: Device): SyncScope {
    const types = syncedTypes(this.#world.schema.contentTypes.values())
    const filters = isFiltered ? { filters: { note: { title: { $eq: 'a' } } } } : {}
    const given = { types: 'note,page', locale: '*', status, limit: String(limit), ...filters }
    return parseScope(given, types)
  }

  /** Returns whether more pages follow. */
  async #pull(device: Device, isCutOff = false): Promise<boolean> {
    const { database } = this.#test
    const { user } = device.asked
    const principal = await this.#world.principalOf(user)
    const scope = this.#scopeOf(device)
    const caller = syncerOf(principal, scope)
    const moment = { database: database.majority, session: undefined }
    const release = UNKNOWN_RELEASE
    const sources = { moment, head: await readHead(database), locales: LOCALES, release }
    const token =
      device.token === null ? beginSync(sources, scope, caller) : readToken(device.token)
    const { items, next, more } = await readSyncPage(sources, scope, token, caller)
    if (isUpToDate(sources, scope, token, caller)) expect([items, more]).to.deep.equal([[], false])
    this.pages += 1
    this.resets += items.filter((item) => item.includes('"op":"reset"')).length
    await this.#assertNothingHidden(user, items.join('\n'))
    if (!isCutOff) device.apply(items, writeToken(next))
    return more
  }

  /** Looks for each row and secret that the user may not know. */
  async #assertNothingHidden(user: string, text: string): Promise<void> {
    await this.#note()
    const seen = this.#seen.get(user) ?? new Set()
    const visible = new Set<string>()
    for (const kind of KINDS.filter((one) => !this.#hidesSecrets(one))) {
      const rows = await this.#rows(kind)
      const shown = rows.filter((row) => this.#sees(kind, row, user))
      for (const { secret } of shown) visible.add(String(secret))
    }
    for (const [id = ''] of text.matchAll(/(?:note|page)x+\d/g)) {
      expect(seen.has(id), `${id} was never visible`).to.equal(true)
    }
    for (const [secret = ''] of text.matchAll(/canary-\d+-end/g)) {
      expect(visible.has(secret), `${secret} is hidden`).to.equal(true)
    }
  }

  async #finish(device: Device): Promise<void> {
    for (let pages = 0; await this.#pull(device); pages += 1) {
      expect(pages, 'pages').to.be.below(500)
    }
    const fresh = new Device({ ...device.asked, limit: 500 })
    while (await this.#pull(fresh)) {}
    expect(sorted(device)).to.deep.equal(sorted(fresh))
    expect(sorted(device).map(([key, { revision }]) => `${key} ${revision}`)).to.deep.equal(
      await this.#expectedIn(device.asked),
    )
  }

  async #expectedIn({ user, status, isFiltered }: Asked): Promise<readonly string[]> {
    const keys: string[] = []
    for (const kind of KINDS) {
      for (const row of await this.#rows(kind)) {
        if (kind === 'page' && row.status !== status) continue
        if (kind === 'note' && isFiltered && row['title'] !== 'a') continue
        if (!this.#sees(kind, row, user)) continue
        keys.push(`${kind} ${row.documentId} ${row.locale} ${String(row['_revision'])}`)
      }
    }
    return keys.sort()
  }
}

function sorted({ rows }: Device): readonly (readonly [string, Held])[] {
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1))
}
