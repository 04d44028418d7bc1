import type { Document } from 'mongodb'
import type { EntryState, PublicationCondition, Query, Reader, Status } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import {
  STATE_ALONE,
  STATE_CHANGED,
  STATE_FIELD,
  STATE_SAME,
  STATE_UNKNOWN,
  type StoredState,
  UNSETTLED,
} from '../versions/version-fields.ts'
import { storedContent } from '../versions/stored-content.ts'
import { bothConditions, type Conditions, NO_CONDITIONS } from './translate-filter.ts'
import { versionsOf } from '../versions/stored-version.ts'

/** The server evaluates an empty `$in` without a read. */
const none = (): Conditions => ({ lookups: [], match: { documentId: { $in: [] } } })

/** The lookups fetch the other version of each row, so they belong after all other conditions. */
function publicationConditions(
  plan: ContentTypePlan,
  status: Status,
  filters: readonly PublicationCondition[],
): Conditions {
  if (!plan.draftAndPublish) return NO_CONDITIONS
  return [...new Set(filters)]
    .map((filter, index) =>
      CONDITIONS[filter][status]({ plan, status, as: `quire_other_${index}` }),
    )
    .reduce(bothConditions, NO_CONDITIONS)
}

/** Reads entry states from the stored `STATE`. Call `settleStates` first. */
export function publicationOf(
  { hasTransactions }: Pick<Database, 'hasTransactions'>,
  plan: ContentTypePlan,
  status: Status,
  asked: readonly PublicationCondition[],
): Conditions {
  if (!hasTransactions || !plan.draftAndPublish) return publicationConditions(plan, status, asked)
  const others = asked.filter((condition) => !isEntryState(condition))
  return asked
    .filter(isEntryState)
    .map((state) => ({ lookups: [], match: { [STATE_FIELD]: STORED_STATES[state] } }))
    .reduce(bothConditions, publicationConditions(plan, status, others))
}

const STORED_STATES = { draft: STATE_ALONE, published: STATE_SAME, changed: STATE_CHANGED } as const

function isEntryState(condition: PublicationCondition): condition is EntryState {
  return condition in STORED_STATES
}

export function askedPublication(
  plan: ContentTypePlan,
  status: Status,
  { publicationFilter }: Pick<Reader, 'publicationFilter'>,
): Conditions {
  return publicationFilter === undefined
    ? NO_CONDITIONS
    : publicationConditions(plan, status, [publicationFilter])
}

interface Shown {
  readonly plan: ContentTypePlan
  readonly status: Status
  readonly as: string
}

const CONDITIONS: Readonly<
  Record<PublicationCondition, Readonly<Record<Status, (shown: Shown) => Conditions>>>
> = {
  'never-published': { draft: isAlone, published: none },
  'published-without-draft': { draft: none, published: isAlone },
  'has-published-version': { draft: isPaired, published: isPaired },
  'published-with-draft': { draft: isPaired, published: isPaired },
  modified: { draft: isModified, published: isModified },
  unmodified: { draft: isUnmodified, published: isUnmodified },
  draft: { draft: isAlone, published: none },
  changed: { draft: isChanged, published: isChanged },
  published: { draft: isUnchanged, published: isUnchanged },
  'never-published-document': {
    draft: (shown) => isPublishedAnywhere(shown, false),
    published: none,
  },
  'has-published-version-document': {
    draft: (shown) => isPublishedAnywhere(shown, true),
    published: () => NO_CONDITIONS,
  },
}

function isAlone(shown: Shown): Conditions {
  return hasCounterpart(shown, false)
}

function isPaired(shown: Shown): Conditions {
  return hasCounterpart(shown, true)
}

function isModified(shown: Shown): Conditions {
  return comparesCounterpart(shown, (versions) => modification(shown, versions))
}

function isUnmodified(shown: Shown): Conditions {
  return comparesCounterpart(shown, (versions) => ({ $not: [modification(shown, versions)] }))
}

function isChanged(shown: Shown): Conditions {
  return comparesCounterpart(shown, difference)
}

function isUnchanged(shown: Shown): Conditions {
  return comparesCounterpart(shown, (versions) => ({ $not: [difference(versions)] }))
}

function hasCounterpart(shown: Shown, exists: boolean): Conditions {
  return {
    lookups: [counterpartLookup(shown, { _id: 1 })],
    match: matchFound(shown, exists),
  }
}

interface Versions {
  readonly content: Document
  readonly other: (member: string) => Document
}

function comparesCounterpart(shown: Shown, compare: (versions: Versions) => Document): Conditions {
  const content = storedContent(shown.plan)
  const other = (member: string): Document => ({
    $arrayElemAt: [`$${shown.as}.${member}`, 0],
  })
  return {
    lookups: [counterpartLookup(shown, { content, updatedAt: 1, publishedAt: 1 })],
    match: { $and: [matchFound(shown, true), { $expr: compare({ content, other }) }] },
  }
}

function difference({ content, other }: Versions): Document {
  return { $ne: [content, other('content')] }
}

/** Dates alone are not enough, because discarding changes also updates the draft's date. */
function modification({ status }: Shown, versions: Versions): Document {
  const { other } = versions
  const dates =
    status === 'draft' ? ['$updatedAt', other('publishedAt')] : [other('updatedAt'), '$publishedAt']
  return { $and: [{ $gte: dates }, difference(versions)] }
}

function isPublishedAnywhere({ plan, as }: Shown, exists: boolean): Conditions {
  const pipeline = [{ $match: { status: 'published' } }, { $limit: 1 }, { $project: { _id: 1 } }]
  return {
    lookups: [{ $lookup: { ...byDocumentId(plan), pipeline, as } }],
    match: matchFound({ as }, exists),
  }
}

function counterpartLookup({ plan, status, as }: Shown, projection: Document): Document {
  const other: Status = status === 'draft' ? 'published' : 'draft'
  const pipeline = [
    { $match: { status: other, $expr: { $eq: ['$locale', '$$locale'] } } },
    { $project: projection },
  ]
  return { $lookup: { ...byDocumentId(plan), let: { locale: '$locale' }, pipeline, as } }
}

function byDocumentId({ collectionName }: ContentTypePlan) {
  return { from: collectionName, localField: 'documentId', foreignField: 'documentId' }
}

function matchFound({ as }: Pick<Shown, 'as'>, exists: boolean): Document {
  return { [as]: exists ? { $ne: [] } : { $eq: [] } }
}

/** States of drafts that a condition selects, and states for which a join decides. */
interface StateRule {
  readonly selected: readonly StoredState[]
  readonly joined: readonly StoredState[]
}

const PAIRED: StateRule = { selected: [STATE_SAME, STATE_CHANGED], joined: [] }
const ALONE: StateRule = { selected: [STATE_ALONE], joined: [] }

/** `modified` and `unmodified` also compare dates. */
const RULES: ReadonlyMap<PublicationCondition, StateRule> = new Map([
  ['never-published', ALONE],
  ['has-published-version', PAIRED],
  ['published-with-draft', PAIRED],
  ['modified', { selected: [], joined: [STATE_CHANGED] }],
  ['unmodified', { selected: [STATE_SAME], joined: [STATE_CHANGED] }],
])

/** Another locale of the document may have a published version. */
const LOCALIZED_RULES: ReadonlyMap<PublicationCondition, StateRule> = new Map([
  ['never-published-document', { selected: [], joined: [STATE_ALONE] }],
  ['has-published-version-document', { selected: PAIRED.selected, joined: [STATE_ALONE] }],
])

const SINGLE_RULES: ReadonlyMap<PublicationCondition, StateRule> = new Map([
  ['never-published-document', ALONE],
  ['has-published-version-document', PAIRED],
])

export interface StoredPublication {
  /** Every draft that the conditions may select. */
  readonly candidates: Document
  readonly sure: Document
  /** The other candidates, which a join decides. Null if there are none. */
  readonly unsure: Document | null
}

/** Above this number of published versions of unknown state, the join decides for all drafts. */
const MAX_UNKNOWN = 1_000

/** Returns null if the stored states do not help. */
export async function findStoredPublication(
  database: Database,
  { plan, version: { status, locales } }: Pick<Query, 'plan' | 'version'>,
  asked: readonly PublicationCondition[],
): Promise<StoredPublication | null> {
  const rules = rulesFor(plan, asked)
  if (rules === null || status !== 'draft' || !database.hasTransactions) return null
  const unknown = await findUnknown(database, plan, locales)
  if (unknown === null) return null
  const possible = statesIn(rules.map(({ selected, joined }) => [...selected, ...joined]))
  const selected = statesIn(rules.map((rule) => rule.selected))
  const isDecided = possible.length === selected.length
  if (isDecided && unknown.documents.length === 0 && !unknown.hasDrafts) {
    const sure = { [STATE_FIELD]: { $in: withEdits(selected) } }
    return { candidates: sure, sure, unsure: null }
  }
  const undecided = possible.filter((state) => !selected.includes(state))
  return {
    candidates: orUnknown(possible, unknown.documents),
    sure: {
      [STATE_FIELD]: { $in: selected },
      ...(unknown.documents.length > 0 && { documentId: { $nin: unknown.documents } }),
    },
    unsure: orUnknown(undecided, unknown.documents),
  }
}

/** Whether the stored states help to decide a condition, so that they should be settled. */
export function usesStoredStates({
  plan,
  version,
  publication,
}: Pick<Query, 'plan' | 'version' | 'publication'>): boolean {
  return version.status === 'draft' && rulesFor(plan, publication) !== null
}

function rulesFor(
  { draftAndPublish, localized }: ContentTypePlan,
  asked: readonly PublicationCondition[],
): readonly StateRule[] | null {
  if (!draftAndPublish || asked.length === 0) return null
  const ofDocuments = localized ? LOCALIZED_RULES : SINGLE_RULES
  const rules = asked.flatMap((condition) => {
    return RULES.get(condition) ?? ofDocuments.get(condition) ?? []
  })
  return rules.length === asked.length ? rules : null
}

function statesIn(sets: readonly (readonly StoredState[])[]): readonly StoredState[] {
  const [first = [], ...others] = sets
  return first.filter((state) => others.every((set) => set.includes(state)))
}

/** An edit after the search for unknown states hides whether a draft is changed, but it remains paired. */
function withEdits(states: readonly StoredState[]): readonly StoredState[] {
  return states.includes(STATE_SAME) ? [...states, STATE_UNKNOWN] : states
}

function orUnknown(states: readonly StoredState[], documents: readonly string[]): Document {
  const ofState = { [STATE_FIELD]: { $in: [...states, ...UNSETTLED[STATE_FIELD].$in] } }
  return documents.length === 0 ? ofState : { $or: [ofState, { documentId: { $in: documents } }] }
}

interface Unknown {
  readonly hasDrafts: boolean
  /** Ids of documents with a published version of unknown state. The state of their draft is unreliable. */
  readonly documents: readonly string[]
}

/** Returns null if there are too many. */
async function findUnknown(
  database: Database,
  plan: ContentTypePlan,
  locales: readonly string[],
): Promise<Unknown | null> {
  const versions = versionsOf(database, plan)
  const match = { locale: { $in: [...locales] }, ...UNSETTLED }
  const [draft, published] = await Promise.all([
    versions.findOne({ status: 'draft', ...match }, { projection: { _id: 1 } }),
    versions
      .find(
        { status: 'published', ...match },
        {
          projection: { _id: 0, documentId: 1 },
          limit: MAX_UNKNOWN + 1,
          batchSize: MAX_UNKNOWN + 2,
        },
      )
      .toArray(),
  ])
  if (published.length > MAX_UNKNOWN) return null
  const documents = new Set(published.map((row) => String(row['documentId'])))
  return { hasDrafts: draft !== null, documents: [...documents] }
}
