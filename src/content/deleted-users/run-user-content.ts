import { type ClaimedJob, type JobQueue, LeaseLost } from '../../mongo/jobs/job-queue.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { deleteOwned, replaceInOwned } from './change-owned.ts'
import { changeHistory, changeTrash, type PastWork, type WalkProgress } from './erase-past.ts'
import { originOfWork, type UserContentRow, userContentIn } from './user-content-rows.ts'
import { findUserRelations, type UserRelation } from './user-relations.ts'

export interface UserContentContext {
  readonly documents: DocumentContext
  readonly contentTypes: ReadonlyMap<string, ContentTypePlan>
  /** Deletes a user whose content has moved. */
  readonly removeMoved: (documentId: string) => Promise<void>
}

/** Content that a request of the user stores after its deletion is found by a second pass after this time. */
export const SECOND_PASS_MS = 15 * 60_000

const RETRIES_MS: readonly number[] = [1_000, 5_000, 30_000, 60_000, 600_000]
const LAST_RETRY_MS = 3_600_000

interface Part {
  readonly name: string
  readonly run: (progress: WalkProgress) => Promise<void>
}

/** Retries until all content is processed, because a person is entitled to the deletion. */
export async function runUserContent(
  context: UserContentContext,
  queue: JobQueue<UserContentRow>,
  job: ClaimedJob<UserContentRow>,
): Promise<void> {
  try {
    await runParts(context, job)
    await finish(context, queue, job)
  } catch (error) {
    if (error instanceof LeaseLost) return
    const retryMs = RETRIES_MS[job.attempts - 1] ?? LAST_RETRY_MS
    const dueAt = new Date(context.documents.now().getTime() + retryMs)
    await queue.settle(job, { kind: 'later', dueAt }).catch((lost: unknown) => {
      if (!(lost instanceof LeaseLost)) throw lost
    })
    throw error // for the log
  }
}

async function runParts(
  context: UserContentContext,
  job: ClaimedJob<UserContentRow>,
): Promise<void> {
  const { database } = context.documents
  const done = [...job.done]
  const note = async (set: Partial<UserContentRow>): Promise<void> => {
    const mine = { _id: job._id, lease: job.lease }
    const { matchedCount } = await userContentIn(database).updateOne(mine, { $set: set })
    if (matchedCount === 0) throw new LeaseLost(job._id)
  }
  for (const { name, run } of partsOf(context, job)) {
    if (done.includes(name)) continue
    const after = job.part === name ? job.after : ''
    await run({ after, note: (position) => note({ part: name, after: position }) })
    done.push(name)
    await note({ done: [...done], part: null, after: '' })
  }
}

async function finish(
  { documents, removeMoved }: UserContentContext,
  queue: JobQueue<UserContentRow>,
  job: ClaimedJob<UserContentRow>,
): Promise<void> {
  const at = documents.now()
  const secondAt = new Date(job.createdAt.getTime() + SECOND_PASS_MS)
  if (job.to === null && at < secondAt) {
    const set = { done: [], part: null, after: '' }
    await queue.settle(job, { kind: 'later', dueAt: secondAt, set })
    return
  }
  if (job.to !== null) await Promise.all(job.users.map(removeMoved))
  await queue.finish(job, () => Promise.resolve())
}

function partsOf(
  { documents, contentTypes }: UserContentContext,
  job: UserContentRow,
): readonly Part[] {
  const { database } = documents
  const { users, to } = job
  const origin = originOfWork(job)
  const isDeleted = ({ onUserDelete }: UserRelation): boolean =>
    to === null && onUserDelete === 'delete'
  const past: PastWork = { users, to, isDeleted }
  const relations = findUserRelations(contentTypes).filter(
    ({ onUserDelete }) => to !== null || onUserDelete !== 'keep',
  )
  const parts = relations.flatMap((relation): readonly Part[] => {
    const name = `${relation.plan.uid}.${relation.attribute.name}`
    const work = { relation, users, origin }
    const change = isDeleted(relation)
      ? () => deleteOwned(documents, work)
      : () => replaceInOwned(documents, work, to)
    return [
      { name: `content ${name}`, run: change },
      {
        name: `trash ${name}`,
        run: (progress) => changeTrash(database, relation, past, progress),
      },
    ]
  })
  if (relations.length === 0) return parts
  const walk = (progress: WalkProgress): Promise<void> =>
    changeHistory(database, relations, past, progress)
  return [...parts, { name: 'history', run: walk }]
}
