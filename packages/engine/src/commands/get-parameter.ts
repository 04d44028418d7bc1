import { toDocument, createDocument } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import type { Command } from '../request/request.ts'

const PARAMETERS: Readonly<Record<string, Value>> = {
  featureCompatibilityVersion: toDocument({ version: '7.0' }),
  authenticationMechanisms: [],
  transactionLifetimeLimitSeconds: 60,
}

export const getParameter: Command = {
  options: [...Object.keys(PARAMETERS), 'allParameters'],
  access: 'read',
  run: ({ body }) => {
    const reply = createDocument()
    const all = body['getParameter'] === '*' || body['allParameters'] === true
    for (const name of Object.keys(PARAMETERS))
      if (all || name in body) reply[name] = PARAMETERS[name]
    if (Object.keys(reply).length === 0)
      throw new CommandError('InvalidOptions', 'no option found to get')
    reply['ok'] = 1
    return reply
  },
}
