import type { CommandTally } from '../../base/observed.ts'
import type { FinishedRequest } from './observe-requests.ts'
import type { Context } from '../router/state.ts'

/** https://www.w3.org/TR/server-timing/. Not for production, because it reveals slow requests. */
export function setServerTiming({ ms, tally }: FinishedRequest, ctx: Context): void {
  const total = `total;dur=${ms.toFixed(1)}`
  ctx.set('Server-Timing', tally === null ? total : `${total}, ${describe(tally)}`)
}

function describe({ count, busyMs }: CommandTally): string {
  return `db;dur=${busyMs.toFixed(1)};desc="${count} ${count === 1 ? 'command' : 'commands'}"`
}
