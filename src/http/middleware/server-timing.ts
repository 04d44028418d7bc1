import type { CommandTally } from '../../observed.ts'
import type { FinishedRequest } from './observe-requests.ts'
import type { Context } from '../state.ts'

/**
 * Reports the cost of a request to browsers (https://www.w3.org/TR/server-timing/): `total`, and `db`
 * with the number of commands. Not for production: it reveals which requests are slow.
 */
export function setServerTiming({ ms, tally }: FinishedRequest, ctx: Context): void {
  const total = `total;dur=${ms.toFixed(1)}`
  ctx.set('Server-Timing', tally === null ? total : `${total}, ${describe(tally)}`)
}

function describe({ count, busyMs }: CommandTally): string {
  return `db;dur=${busyMs.toFixed(1)};desc="${count} ${count === 1 ? 'command' : 'commands'}"`
}
