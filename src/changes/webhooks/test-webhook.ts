import type { Database } from '../../mongo/connection/database.ts'
import { newDocumentId } from '../../mongo/versions/document-id.ts'
import { sendTo } from './deliver.ts'
import { TEST_EVENT } from './events.ts'
import { getWebhook } from './manage-webhooks.ts'
import type { DeliveryOutcome, RequestOptions } from './send-request.ts'

export type Tested = Omit<DeliveryOutcome, 'retryAfterMs'>

export interface TestParts {
  readonly database: Database
  readonly send: RequestOptions
  readonly now: () => Date
}

export async function testWebhook(parts: TestParts, id: string): Promise<Tested> {
  const { database, now } = parts
  const hook = await getWebhook({ database }, id)
  const body = JSON.stringify({ event: TEST_EVENT, createdAt: now() })
  const message = { id: `${id}:test:${newDocumentId()}`, event: TEST_EVENT, body }
  const { status, error, ms } = await sendTo(parts, hook, message)
  return { status, error, ms }
}
