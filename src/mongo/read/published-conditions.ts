import type { Document } from 'mongodb'
import type { EntryState, PublicationCondition, Reader, Status } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { STATE_ALONE, STATE_CHANGED, STATE_SAME, STATE_FIELD } from '../versions/stored-state.ts'
import { storedContent } from '../versions/stored-content.ts'
import { bothConditions, type Conditions, NO_CONDITIONS } from './conditions.ts'

/** The server evaluates an empty `$in` without a read. */
const NEVER: Conditions = { lookups: [], match: { documentId: { $in: [] } } }

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

function none(): Conditions {
  return NEVER
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
