import { SyncTokenExpiredError } from '../../base/errors.ts'
import { type NumberedCommit, scanCommitsAt } from '../../mongo/commits/read-commits.ts'
import type { CommitItem } from '../../mongo/connection/commit-record.ts'
import type { Head } from '../../mongo/commits/heads.ts'
import type { Moment } from '../../mongo/connection/database.ts'
import type { LocaleRules, VersionSelection } from '../../query/query.ts'
import { readSynced } from '../../mongo/read/read-synced.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import type { SyncedType, SyncScope } from './query/parse-scope.ts'
import type { SyncToken } from './query/sync-token.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { RowShape } from './row-shape.ts'
import { removalItem, rowItem, type SyncItems } from './sync-items.ts'

export interface OpenType extends SyncedType {
  readonly shape: RowShape
}

export interface SyncSources {
  readonly moment: Moment
  readonly head: Head
  readonly locales: LocaleRules
}

type Position = Pick<SyncToken, 'seq' | 'item'>

interface Touched {
  readonly type: OpenType
  readonly _id: string
  readonly documentId: string
  readonly locale: string
}

type CommitToSync = Pick<NumberedCommit, 'seq'> & {
  readonly items: readonly Pick<CommitItem, 'type' | 'documentId' | 'locale' | 'status'>[]
}

const NAMES = {
  seq: 1,
  'items.type': 1,
  'items.documentId': 1,
  'items.locale': 1,
  'items.status': 1,
} as const

/** Tokens without changes advance in blocks of this size, so that devices share tokens and cached responses. */
export const BLOCK = 256
const MAX_BLOCKS = 16

/**
 * Adds each changed version once. A page that is not full ends at a block boundary, so that clients
 * of one scope converge. @throws SyncTokenExpiredError if retention has removed the commits
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
    const collected = collect(commits, position, items.room, find)
    if (collected.touched.length > 0) {
      const texts = await describe(sources, collected.touched)
      const fitting = texts.findIndex((text) => !items.add(text))
      return fitting === -1
        ? collected.position
        : collect(commits, position, fitting, find).position
    }
    ;({ position } = collected)
  }
  return position
}

export type Finder = (item: CommitToSync['items'][number]) => Touched | null

export function finderOf(scope: SyncScope, token: SyncToken, types: readonly OpenType[]): Finder {
  const held = new Map(
    types
      .filter((_, index) => token.types[index]?.isLost === false)
      .map((type) => [type.plan.uid, { type, selection: selectionOf(scope, token, type) }]),
  )
  return ({ type: uid, documentId, locale, status }) => {
    const { type, selection } = held.get(uid) ?? {}
    if (type === undefined || selection === undefined) return null
    if (status !== selection.status || !selection.locales.includes(locale)) return null
    return { type, _id: versionId(documentId, { locale, status }), documentId, locale }
  }
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
    found += commit.items.filter((item) => find(item) !== null).length
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
      const one = find(items[item] as CommitToSync['items'][number])
      if (one === null) continue
      const key = `${one.type.name} ${one._id}`
      if (touched.has(key)) continue
      if (touched.size === most) {
        return { touched: [...touched.values()], position: { seq: seq - 1, item } }
      }
      touched.set(key, one)
    }
    position = { seq, item: 0 }
  }
  return { touched: [...touched.values()], position }
}

async function describe(
  { moment }: SyncSources,
  touched: readonly Touched[],
): Promise<readonly string[]> {
  const texts = new Map<Touched, string>()
  for (const type of new Set(touched.map((one) => one.type))) {
    const own = touched.filter((one) => one.type === type)
    const { plan, filter, shape } = type
    const ids = own.map(({ _id }) => _id)
    const read = { filter, projection: shape.projection }
    const found = await readSynced(moment, plan, read, ids)
    const versions = new Map(found.map((version) => [version._id, version]))
    for (const one of own) {
      const version = versions.get(one._id)
      texts.set(one, version === undefined ? removalItem(type, one) : rowItem(type, version))
    }
  }
  return touched.map((one) => texts.get(one) ?? '')
}
