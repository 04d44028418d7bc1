import { Long } from 'bson'
import { CommandError } from '../errors.ts'
import { makeCursorReply } from '../request/cursors.ts'
import type { Cursor } from '../request/cursors.ts'
import { readTransactionNumber, readOptionalCount } from '../request/request.ts'
import type { Command, Request } from '../request/request.ts'

/** How long a change stream waits for an event without `maxTimeMS`. */
const AWAIT_MS = 1_000

function findCursor({ engine, body, database, session }: Request): Cursor {
  const name = body['collection']
  const namespace = `${database}.${typeof name === 'string' ? name : ''}`
  const cursor = engine.cursors.get(readTransactionNumber(body, 'getMore'), namespace)
  if (cursor.session === null || cursor.session === session) return cursor
  throw new CommandError(
    'Unauthorized',
    'Cannot run getMore on a cursor that was created in another session',
  )
}

export const getMore: Command = {
  options: ['collection', 'batchSize', 'term', 'lastKnownCommittedOpTime'],
  access: 'read',
  inTransaction: true,
  prepare: async (request) => {
    const maxMs = readOptionalCount(request.body, 'maxTimeMS')
    const { stream, id } = findCursor(request)
    try {
      await stream?.fill(maxMs ?? AWAIT_MS)
    } catch (error) {
      request.engine.cursors.kill(id)
      throw error
    }
  },
  run: (request) => {
    const cursor = findCursor(request)
    const batchSize = readOptionalCount(request.body, 'batchSize')
    const taken = request.engine.cursors.next(cursor, batchSize === 0 ? null : batchSize)
    return makeCursorReply(
      taken.isDone ? Long.ZERO : cursor.id,
      cursor.namespace,
      'nextBatch',
      taken,
    )
  },
}
