import type { Head } from '../../mongo/commits/heads.ts'
import { readSyncedAfter } from '../../mongo/read/read-synced.ts'
import type { VersionSelection } from '../../query/query.ts'
import type { SyncScope } from './query/parse-scope.ts'
import { assertFits, type SyncToken, type TypeProgress } from './query/sync-token.ts'
import { hasSameLocales, localesOf } from './query/synced-locales.ts'
import {
  BLOCK,
  type OpenType,
  readChanges,
  selectionOf,
  type SyncSources,
  UndecidedChange,
} from './read-changes.ts'
import {
  assertFollowable,
  initialProgress,
  lostProgress,
  readAgain,
  openTypes,
  settle,
  type SyncCaller,
  ruleValuesOf,
} from './settle.ts'
import { resetItem, rowItem, SyncItems } from './sync-items.ts'

export interface SyncPage {
  readonly items: readonly string[]
  readonly next: SyncToken
  readonly more: boolean
  /** The position up to which changes were read, if `next` is behind it. */
  readonly reached?: number
}

/** Changes after this head follow the rows. @throws ValidationError if the scope does not fit into a token */
export function beginSync(
  { head, locales, release }: Pick<SyncSources, 'head' | 'locales' | 'release'>,
  scope: SyncScope,
  caller: SyncCaller,
): SyncToken {
  const { asked, absent } = scope
  const { log, seq } = head
  const types = openTypes(scope, caller, release).map((type) =>
    caller.maySync(type) ? initialProgress(type, seq) : lostProgress(type),
  )
  const token = { asked, log, seq, item: 0, types, ...localesOf(scope, locales), absent }
  assertFits(token)
  return token
}

/** Resets come first, then rows of incomplete types, then changes. @throws SyncTokenExpiredError, OlderReleaseError */
export async function readSyncPage(
  sources: SyncSources,
  scope: SyncScope,
  token: SyncToken,
  caller: SyncCaller,
): Promise<SyncPage> {
  assertFollowable(token, sources.head)
  const items = new SyncItems(scope.limit)
  const types = openTypes(scope, caller, sources.release)
  const { token: settled, resets } = settle(sources, scope, token, { types, caller })
  for (const { type, reset } of resets) items.force(resetItem(type, reset))
  if (settled.types.some(isReading)) return readRows(sources, scope, settled, { types, items })
  if (!isBehind(settled, sources.head, scope)) {
    return { items: items.texts, next: advanced(settled, sources.head), more: false }
  }
  try {
    const position = await readChanges(sources, scope, settled, { types, items })
    return pageAt(sources, scope, settled, { types, items, position })
  } catch (error) {
    if (!(error instanceof UndecidedChange)) throw error
    const again = readAgain(settled, types, error.types, sources.head.seq)
    for (const { type, reset } of again.resets) items.force(resetItem(type, reset))
    return readRows(sources, scope, again.token, { types, items })
  }
}

/** Changes that a rule hides leave the token alone. Otherwise it would reveal them. */
function pageAt(
  { head }: SyncSources,
  scope: SyncScope,
  token: SyncToken,
  { types, items, position }: Opened & { readonly position: Pick<SyncToken, 'seq' | 'item'> },
): SyncPage {
  const next = { ...token, ...position }
  const more = isBehind(next, head, scope)
  const isHidden = items.texts.length === 0 && types.some(({ rule }) => rule !== null)
  if (!isHidden || more || token.item > 0) return { items: items.texts, next, more }
  return { items: [], next: advanced(token, head), more, reached: head.seq }
}

export function isUpToDate(
  { head, locales }: Pick<SyncSources, 'head' | 'locales'>,
  scope: SyncScope,
  token: SyncToken,
  caller: SyncCaller,
): boolean {
  if (token.log !== head.log || token.seq < head.floor || token.seq > head.seq) return false
  if (token.types.length !== scope.types.length || isBehind(token, head, scope)) return false
  if (!hasSameLocales(token, localesOf(scope, locales))) return false
  return openTypes(scope, caller).every((type, index) => {
    const progress = token.types[index]
    if (progress === undefined || isReading(progress)) return false
    if (!caller.maySync(type)) return progress.isLost
    if (progress.isLost || progress.shape !== type.shape.digest) return false
    return ruleValuesOf(progress) === ruleValuesOf(type)
  })
}

export function isBehind(
  { seq, item, types }: Pick<SyncToken, 'seq' | 'item' | 'types'>,
  head: Head,
  scope: SyncScope,
): boolean {
  if (item > 0) return true
  const uids = new Set(
    scope.types.filter((_, index) => types[index]?.isLost !== true).map(({ plan }) => plan.uid),
  )
  return head.types.some((one) => one.seq > seq && uids.has(one.type))
}

/** Advances to the last block boundary, because retention would otherwise expire a token without changes. */
export function advanced(token: SyncToken, { seq }: Head): SyncToken {
  const block = Math.floor(seq / BLOCK) * BLOCK
  return block > token.seq ? { ...token, seq: block } : token
}

interface Opened {
  readonly types: readonly OpenType[]
  readonly items: SyncItems
}

function isReading({ after, isLost }: TypeProgress): boolean {
  return after !== null && !isLost
}

async function readRows(
  sources: SyncSources,
  scope: SyncScope,
  token: SyncToken,
  { types, items }: Opened,
): Promise<SyncPage> {
  const progress = [...token.types]
  for (const [index, type] of types.entries()) {
    const before = progress[index]
    if (before === undefined || before.after === null || before.isLost) continue
    const selection = selectionOf(scope, token, type)
    const after = await readType(sources, { ...type, selection }, before.after, items)
    progress[index] = { ...before, after }
    const next = { ...token, types: progress }
    if (after !== null) return { items: items.texts, next, more: true }
  }
  const next = { ...token, types: progress }
  return { items: items.texts, next, more: isBehind(next, sources.head, scope) }
}

async function readType(
  { moment }: SyncSources,
  type: OpenType & { readonly selection: VersionSelection },
  after: string,
  items: SyncItems,
): Promise<string | null> {
  if (items.room === 0) return after
  const { plan, filter, rule, shape, selection } = type
  const condition = rule?.condition?.match ?? null
  const read = { selection, filter, condition, projection: shape.projection }
  let last = after
  let isCut = false as boolean
  await readSyncedAfter(moment, plan, read, { after, limit: items.room }, (version) => {
    isCut = !items.add(rowItem(type, version))
    if (!isCut) last = version._id
    return !isCut
  })
  return isCut || items.room === 0 ? last : null
}
