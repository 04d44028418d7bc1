import { toDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { MAX_DOCUMENT_BYTES } from '../update/apply-update.ts'
import { MAX_MESSAGE_BYTES } from '../request/message.ts'
import { MAX_STATEMENTS } from '../request/request.ts'
import type { Command } from '../request/request.ts'

/** The newest protocol of MongoDB 7.0. */
const WIRE_VERSION = 21

/** Reports a replica set of one, so that drivers allow transactions and retryable writes. */
export const hello: Command = {
  // Each new driver version sends more options.
  options: 'any',
  access: 'read',
  run: ({ engine, name }): Document =>
    toDocument({
      helloOk: true,
      ...(name === 'hello' ? { isWritablePrimary: true } : { ismaster: true }),
      hosts: [engine.address],
      setName: 'embedded',
      setVersion: 1,
      secondary: false,
      primary: engine.address,
      me: engine.address,
      maxBsonObjectSize: MAX_DOCUMENT_BYTES,
      maxMessageSizeBytes: MAX_MESSAGE_BYTES,
      maxWriteBatchSize: MAX_STATEMENTS,
      localTime: new Date(),
      logicalSessionTimeoutMinutes: 30,
      connectionId: 1,
      minWireVersion: 0,
      maxWireVersion: WIRE_VERSION,
      readOnly: false,
      bulkWrite: true, // a command of newer protocols
      ok: 1,
    }),
}
