import { expect } from 'chai'
import type { Db, MongoClient } from 'mongodb'
import type { NumberedCommit } from '../../src/mongo/commits/read-commits.ts'
import type { ReleaseRow } from '../../src/content/planning/release-rows.ts'

/** A scheduled document. */
export interface Planned {
  readonly schedule: string
  readonly documentId: string
  readonly action: 'publish' | 'unpublish'
  readonly at: number
  /** The name of the API token. */
  readonly by: string
}

export interface Batch {
  readonly documents: readonly Planned[]
  readonly release: { readonly id: string; readonly at: number }
  readonly released: ReadonlyMap<string, Planned['action']>
}

/** The number of documents with a completed action, in one snapshot. */
export function countDone(
  client: MongoClient,
  db: Db,
  actions: Batch['released'],
): Promise<number> {
  return client.withSession((session) =>
    session.withTransaction(
      async () => {
        const ids = [...actions.keys()]
        const published = new Set(
          await db
            .collection('note_versions')
            .find({ documentId: { $in: ids }, status: 'published' }, { session })
            .map(({ documentId }): string => documentId)
            .toArray(),
        )
        return ids.filter((id) => published.has(id) === (actions.get(id) === 'publish')).length
      },
      { readConcern: { level: 'snapshot' } },
    ),
  )
}

/**
 * Expects one commit per schedule in the name of its author, one for the whole release, and no
 * others.
 */
export async function expectOnce(
  client: MongoClient,
  db: Db,
  { documents, release, released }: Batch,
): Promise<void> {
  const all = await db
    .collection<NumberedCommit>('quire_commits')
    .find({ items: { $exists: true } })
    .toArray()
  const commitsOf = (id: string) => all.filter(({ requestId }) => requestId === `schedule:${id}`)
  const changesOf = (commits: readonly NumberedCommit[], documentId: string) =>
    commits.flatMap(({ items }) =>
      items.filter(
        ({ type, status, ...item }) =>
          item.documentId === documentId && type.startsWith('api::') && status === 'published',
      ),
    )
  for (const { schedule, documentId, action, by } of documents) {
    const commits = commitsOf(schedule)
    expect(commits.map((commit) => commit.by.name)).to.deep.equal([by])
    expect(changesOf(commits, documentId)).to.have.length(1)
    // The creator had published the documents that are unpublished here.
    expect(changesOf(all, documentId)).to.have.length(action === 'publish' ? 1 : 2)
  }
  const commits = commitsOf(release.id)
  expect(commits.map(({ by }) => by.kind)).to.deep.equal(['root'])
  for (const [documentId, action] of released) {
    expect(changesOf(commits, documentId)).to.have.length(1)
    expect(changesOf(all, documentId)).to.have.length(action === 'publish' ? 1 : 2)
  }
  const done = new Map(documents.map(({ documentId, action }) => [documentId, action]))
  expect([await countDone(client, db, done), await countDone(client, db, released)]).to.deep.equal([
    done.size,
    released.size,
  ])
  const row = await db.collection<ReleaseRow>('quire_releases').findOne({ _id: release.id })
  expect(row?.state).to.equal('published')
  expect(await db.collection('quire_schedules').countDocuments()).to.equal(0)
}
