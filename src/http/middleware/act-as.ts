import type { Principal } from '../../people/access/principal.ts'
import { writingFor } from '../../people/access/writing-for.ts'
import { callerOf } from '../answer/hang-ups.ts'
import type { Context } from '../router/state.ts'

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Resolves the principal and runs the request on its behalf. Writes record the name of the principal. */
export async function actAs(
  ctx: Context,
  identify: () => Promise<Principal>,
  next: () => Promise<unknown>,
): Promise<void> {
  const principal = await identify()
  ctx.state.principal = principal
  ctx.state.authorizeAgain = async () => {
    ctx.state.principal = await identify()
  }
  if (READS.has(ctx.method)) await next()
  else await writingFor(principal, ctx.state.requestId, next, callerOf(ctx.res))
}
