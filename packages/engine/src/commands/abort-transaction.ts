import { toDocument } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import { readTransactionNumber } from '../request/request.ts'
import type { Command } from '../request/request.ts'

export const abortTransaction: Command = {
  options: ['recoveryToken'],
  access: 'admin',
  run: ({ engine, body, session }) => {
    if (session === null)
      throw new CommandError('InvalidOptions', 'abortTransaction must be run within a session')
    engine.sessions.abort(session, readTransactionNumber(body, 'txnNumber'))
    return toDocument({ ok: 1 })
  },
}
