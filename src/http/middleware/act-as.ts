import type { Principal } from '../../access/principal.ts'
import { writingFor } from '../../access/writing-for.ts'
import type { Context } from '../state.ts'

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Goes on with a request whose principal is known: what it changes is theirs. */
export async function actAs(
  ctx: Context,
  principal: Principal,
  next: () => Promise<unknown>,
): Promise<void> {
  ctx.state.principal = principal
  if (READS.has(ctx.method)) await next()
  else await writingFor(principal, ctx.state.requestId, next)
}
