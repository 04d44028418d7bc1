import { CmsError, ConflictError, UnprocessableContentError } from '../../base/errors.ts'
import { isRefusal } from '../../base/is-refusal.ts'
import {
  type IdempotencyRecords,
  type StoredAnswer,
  openIdempotencyRecords,
} from '../../mongo/system/idempotency-records.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Alongside } from './create-document.ts'
import type { DocumentContext } from '../context.ts'

export interface CreationWork {
  create(alongside: Alongside | null): Promise<StoredVersion>
  show(version: StoredVersion): Promise<StoredAnswer>
  showError(error: CmsError): StoredAnswer
  /** Whether rules decide on the response. It is then formatted for each repeated request. */
  readonly isRuled: boolean
}

export interface Creation extends CreationWork {
  /** Identifies the request: its principal and its idempotency key. */
  readonly key: string
  /** Equal only for equal requests. */
  readonly fingerprint: string
  readonly plan: ContentTypePlan
}

export interface CreationAnswer {
  readonly answer: StoredAnswer
  readonly replayed: boolean
}

export interface IdempotentCreations {
  /** Repeated requests get the first response. @throws ConflictError while pending; UnprocessableContentError */
  run(creation: Creation): Promise<CreationAnswer>
}

export async function openIdempotentCreations({
  database,
  now,
}: Pick<DocumentContext, 'database' | 'now'>): Promise<IdempotentCreations> {
  const records = await openIdempotencyRecords(database, now)
  return { run: (creation) => runOnce(records, creation) }
}

async function runOnce(records: IdempotencyRecords, creation: Creation): Promise<CreationAnswer> {
  const { key, fingerprint, plan } = creation
  const beginning = await records.begin(key, fingerprint, plan)
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
): Promise<StoredAnswer> {
  const { key, plan } = creation
  let version: StoredVersion
  try {
    version = await creation.create(async (created, session) => {
      if (await records.noteCreated(key, claim, created, plan, session)) return
      throw new ConflictError('Idempotency-Key: another request with this key was faster')
    })
  } catch (error) {
    if (isRefusal(error) && !(error instanceof ConflictError)) {
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
): Promise<StoredAnswer> {
  const answer = await creation.show(version)
  if (creation.isRuled) return answer
  // Above the limit, each repeated request formats the response again.
  if (answer.body.length > MAX_KEPT) return answer
  return records.keepAnswer(creation.key, answer)
}

/** In UTF-16 units of at most 3 bytes, so that the record stays below 16 MB. */
const MAX_KEPT = 4_000_000

/** If the database fails, the lease expires by itself. */
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
