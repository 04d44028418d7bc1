import { CmsError, ConflictError, UnprocessableContentError } from '../../errors.ts'
import {
  type IdempotencyRecords,
  type KeptAnswer,
  openIdempotencyRecords,
} from '../../mongo/system/idempotency-records.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { Alongside } from './create-versions.ts'
import type { DocumentContext } from '../context.ts'

/** What a request to create a document has done. */
export interface CreationWork {
  create(alongside: Alongside | null): Promise<StoredVersion>
  /** The answer that shows what was created. */
  show(version: StoredVersion): Promise<KeptAnswer>
  showError(error: CmsError): KeptAnswer
}

/** One that may be sent again under its key. */
export interface Creation extends CreationWork {
  /** Names the request: its principal and its key. */
  readonly key: string
  /** A digest of the request: equal for equal requests only. */
  readonly fingerprint: string
}

export interface CreationAnswer {
  readonly answer: KeptAnswer
  /** An earlier request got it. */
  readonly replayed: boolean
}

export interface IdempotentCreations {
  /**
   * Carries a creation out once, even if the process is killed; a repeated request gets the first answer. A failure on
   * our side leaves nothing behind and may be retried. @throws ConflictError while the first is under way;
   * UnprocessableContentError when that was another one
   */
  run(creation: Creation): Promise<CreationAnswer>
}

/** Opens the keys under which requests to create are kept. */
export async function openIdempotentCreations({
  database,
  now,
}: Pick<DocumentContext, 'database' | 'now'>): Promise<IdempotentCreations> {
  const records = await openIdempotencyRecords(database, now)
  return { run: (creation) => runOnce(records, creation) }
}

async function runOnce(records: IdempotencyRecords, creation: Creation): Promise<CreationAnswer> {
  const { key, fingerprint } = creation
  const beginning = await records.begin(key, fingerprint)
  switch (beginning.kind) {
    case 'begun':
      return { answer: await carryOut(records, creation, beginning.claim), replayed: false }
    case 'created':
      return { answer: await keepShown(records, creation, beginning.version), replayed: true }
    case 'answered':
      return { answer: beginning.answer, replayed: true }
    case 'running':
      throw new ConflictError('Idempotency-Key: the first request with this key is still running')
    case 'other':
      throw new UnprocessableContentError(
        'Idempotency-Key: this key was used with a different request',
        { header: 'Idempotency-Key' },
      )
  }
}

async function carryOut(
  records: IdempotencyRecords,
  creation: Creation,
  claim: string,
): Promise<KeptAnswer> {
  const { key } = creation
  let version: StoredVersion
  try {
    version = await creation.create(async (created, session) => {
      if (await records.noteCreated(key, claim, created, session)) return
      throw new ConflictError('Idempotency-Key: another request with this key was faster')
    })
  } catch (error) {
    if (error instanceof CmsError && error.status < 500 && !(error instanceof ConflictError)) {
      return records.keepAnswer(key, creation.showError(error))
    }
    await releaseIfPossible(records, key, claim)
    throw error
  }
  return keepShown(records, creation, version)
}

async function keepShown(
  records: IdempotencyRecords,
  creation: Creation,
  version: StoredVersion,
): Promise<KeptAnswer> {
  const answer = await creation.show(version)
  // What one row cannot hold is shown anew for each request with the key, from the version that is kept.
  if (answer.body.length > MOST_KEPT) return answer
  return records.keepAnswer(creation.key, answer)
}

/** UTF-16 units, each of at most 3 bytes: the row stays below the 16 MB of a document. */
const MOST_KEPT = 4_000_000

/** Where the database is what failed, the lease ends by itself. */
async function releaseIfPossible(
  records: IdempotencyRecords,
  key: string,
  claim: string,
): Promise<void> {
  try {
    await records.release(key, claim)
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
  }
}
