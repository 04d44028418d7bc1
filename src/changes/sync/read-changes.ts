import { SyncTokenExpiredError } from '../../base/errors.ts'
import { type NumberedCommit, scanCommitsAt } from '../../mongo/commits/read-commits.ts'
import type { Head } from '../../mongo/commits/heads.ts'
import type { CommitItem, Moment } from '../../mongo/connection/database.ts'
import type { SyncRule } from '../../people/access/sync-rights.ts'
import type { VersionSelection } from '../../query/query.ts'
import { readSynced } from '../../mongo/read/read-synced.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import type { SyncedType, SyncScope } from './query/parse-scope.ts'
import type { SyncToken } from './query/sync-token.ts'
import type { SyncLocales } from './query/synced-locales.ts'
import type { SyncedRelease } from './query/synced-release.ts'
import type { Uid } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { RowShape } from './row-shape.ts'
import {
  type ChangeUnderRule,
  changeUnderRule,
  SHOWN_CHANGE,
  UNDECIDED_CHANGE,
} from './change-under-rule.ts'
import { removalItem, rowItem, type SyncItems } from './sync-items.ts'

export interface OpenType extends SyncedType {
  readonly rule: SyncRule | null
  readonly shape: RowShape
  readonly release: SyncedRelease
}

export interface SyncSources {
  readonly moment: Moment
  readonly head: Head
  readonly locales: SyncLocales
  readonly release: SyncedRelease
}

type Position = Pick<SyncToken, 'seq' | 'item'>

interface Touched extends ChangeUnderRule {
  readonly type: OpenType
  readonly _id: string
  readonly documentId: string
  readonly locale: string
}

type ItemToSync = Pick<
  CommitItem,
  'type' | 'documentId' | 'locale' | 'status' | 'op' | 'was' | 'is' | 'lost'
>

type CommitToSync = Pick<NumberedCommit, 'seq'> & { readonly items: readonly ItemToSync[] }

const NAMES = {
  seq: 1,
  'items.type': 1,
  'items.documentId': 1,
  'items.locale': 1,
  'items.status': 1,
  'items.op': 1,
  'items.was': 1,
  'items.is': 1,
  'items.lost': 1,
} as const

/** Tokens without changes advance in blocks of this size, so that devices share tokens and cached responses. */
export const BLOCK = 256
const MAX_BLOCKS = 16

/**
 * The rule of these types cannot be decided for a change: its writer did not know the rule, or carried nothing. Or
 * changes of other services were lost.
 */
export class UndecidedChange extends Error {
  readonly types: ReadonlySet<Uid>

  constructor(types: ReadonlySet<Uid>) {
    super(`Changes of ${[...types].join(', ')} cannot be decided`)
    this.name = 'UndecidedChange'
    this.types = types
  }
}

/**
 * A page that is not full ends at a block boundary, so that clients of one scope converge.
 * @throws UndecidedChange
 */
export async function readChanges(
  sources: SyncSources,
  scope: SyncScope,
  token: SyncToken,
  { types, items }: { readonly types: readonly OpenType[]; readonly items: SyncItems },
): Promise<Position> {
  const find = finderOf(scope, token, types)
  let position: Position = { seq: token.seq, item: token.item }
  for (let block = 0; block < MAX_BLOCKS && position.seq < sources.head.seq; block += 1) {
    const commits = await scanBlock(sources, position, items.room, find)
    const undecided = undecidedIn(commits, find)
    if (undecided.size > 0) throw new UndecidedChange(undecided)
    const collected = collect(commits, position, items.room, find)
    const texts = await describe(sources, collected.touched)
    const unsent = texts.findIndex((text) => text !== '' && !items.add(text))
    if (unsent !== -1) return collect(commits, position, unsent, find).position
    if (texts.some((text) => text !== '')) return collected.position
    ;({ position } = collected)
  }
  return position
}

/** Null for changes that do not concern the client. */
export type Finder = (item: ItemToSync, seq: number) => Touched | null

export function undecidedIn(commits: readonly CommitToSync[], find: Finder): ReadonlySet<Uid> {
  const found = commits.flatMap(({ seq, items }) => items.map((item) => find(item, seq)))
  return new Set(found.flatMap((one) => (one?.isUndecided === true ? one.type.plan.uid : [])))
}

export function finderOf(scope: SyncScope, token: SyncToken, types: readonly OpenType[]): Finder {
  const held = new Map(
    types
      .map((type, index) => ({ type, progress: token.types[index] }))
      .filter(({ progress }) => progress?.isLost === false)
      .map(({ type, progress }) => {
        const from = progress?.rule?.from ?? 0
        return [type.plan.uid, { type, from, selection: selectionOf(scope, token, type) }]
      }),
  )
  return (item, seq) => {
    const { type: uid, documentId, locale, status } = item
    const followed = held.get(uid)
    if (followed === undefined) return null
    const { type, from, selection } = followed
    if (status !== selection.status || !selection.locales.includes(locale)) return null
    const change = seq <= from ? null : changeFor(type, item)
    if (change === null) return null
    return { type, _id: versionId(documentId, { locale, status }), documentId, locale, ...change }
  }
}

function changeFor({ rule }: OpenType, item: ItemToSync): ChangeUnderRule | null {
  if (item.lost === true) return UNDECIDED_CHANGE
  return rule === null ? SHOWN_CHANGE : changeUnderRule(rule, item)
}

/** The log may contain drafts and locales from before a change of the declaration. They are not visible. */
export function selectionOf(
  { status }: Pick<SyncScope, 'status'>,
  { locales }: Pick<SyncToken, 'locales'>,
  { plan }: Pick<OpenType, 'plan'>,
): VersionSelection {
  return {
    locales: plan.localized ? locales : [NO_LOCALE],
    status: plan.draftAndPublish ? status : 'published',
  }
}

async function scanBlock(
  { moment, head }: SyncSources,
  { seq }: Position,
  room: number,
  find: Finder,
): Promise<readonly CommitToSync[]> {
  const end = Math.min(head.seq, (Math.floor(seq / BLOCK) + 1) * BLOCK)
  const commits: CommitToSync[] = []
  let found = 0
  await scanCommitsAt(moment, { seq: end }, { after: seq, limit: BLOCK }, NAMES, (commit) => {
    if (commit.seq !== seq + commits.length + 1) throw new SyncTokenExpiredError('retention')
    commits.push(commit)
    found += commit.items.filter((item) => find(item, commit.seq) !== null).length
    return found <= room
  })
  if (commits.length === 0) throw new SyncTokenExpiredError('retention')
  return commits
}

function collect(
  commits: readonly CommitToSync[],
  from: Position,
  most: number,
  find: Finder,
): { readonly touched: readonly Touched[]; readonly position: Position } {
  const touched = new Map<string, Touched>()
  let position = from
  for (const { seq, items } of commits) {
    const start = seq === from.seq + 1 ? from.item : 0
    for (let item = start; item < items.length; item += 1) {
      const one = find(items[item] as ItemToSync, seq)
      if (one === null) continue
      const key = `${one.type.name} ${one._id}`
      const before = touched.get(key)
      if (before !== undefined) {
        touched.set(key, { ...before, mayBeHeld: before.mayBeHeld || one.mayBeHeld })
        continue
      }
      if (touched.size === most) {
        return { touched: [...touched.values()], position: { seq: seq - 1, item } }
      }
      touched.set(key, one)
    }
    position = { seq, item: 0 }
  }
  return { touched: [...touched.values()], position }
}

/** Empty texts for rows that the client neither has nor may see. */
async function describe(
  { moment }: SyncSources,
  touched: readonly Touched[],
): Promise<readonly string[]> {
  const texts = new Map<Touched, string>()
  for (const type of new Set(touched.map((one) => one.type))) {
    const own = touched.filter((one) => one.type === type)
    const { plan, filter, rule, shape } = type
    const condition = rule?.condition?.match ?? null
    const ids = own.map(({ _id }) => _id)
    const read = { filter, condition, projection: shape.projection }
    const found = await readSynced(moment, plan, read, ids)
    const versions = new Map(found.map((version) => [version._id, version]))
    for (const one of own) {
      const version = versions.get(one._id)
      if (version !== undefined) texts.set(one, rowItem(type, version))
      else if (one.mayBeHeld) texts.set(one, removalItem(type, one))
    }
  }
  return touched.map((one) => texts.get(one) ?? '')
}
