import { Long } from 'bson'
import { CommandError } from '../errors.ts'
import { makeCursorReply } from '../request/cursors.ts'
import { readTransactionNumber, readOptionalCount } from '../request/request.ts'
import type { Command } from '../request/request.ts'

export const getMore: Command = {
  options: ['collection', 'batchSize', 'term', 'lastKnownCommittedOpTime'],
  access: 'read',
  inTransaction: true,
  run: ({ engine, body, database, session }) => {
    const name = body['collection']
    const namespace = `${database}.${typeof name === 'string' ? name : ''}`
    const cursor = engine.cursors.get(readTransactionNumber(body, 'getMore'), namespace)
    if (cursor.session !== null && cursor.session !== session) {
      throw new CommandError(
        'Unauthorized',
        'Cannot run getMore on a cursor that was created in another session',
      )
    }
    const batchSize = readOptionalCount(body, 'batchSize')
    const { batch, isDone } = engine.cursors.next(cursor, batchSize === 0 ? null : batchSize)
    return makeCursorReply(isDone ? Long.ZERO : cursor.id, namespace, 'nextBatch', batch)
  },
}
