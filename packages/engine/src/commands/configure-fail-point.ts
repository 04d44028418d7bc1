import { CommandError } from '../errors.ts'
import type { Command } from '../request/request.ts'

/** For tests: the next matching commands fail (`FailPoints`). */
export const configureFailPoint: Command = {
  options: ['mode', 'data'],
  access: 'admin',
  run: ({ engine: { failPoints }, body }) => {
    if (failPoints !== null) return failPoints.configure(body)
    throw new CommandError('CommandNotFound', "no such command: 'configureFailPoint'")
  },
}
