import type { Principal } from '../../people/access/principal.ts'
import { writingFor } from '../../people/access/writing-for.ts'
import { callerOf } from '../answer/hang-ups.ts'
import type { Context } from '../router/state.ts'

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export async function setPrincipal(
  ctx: Context,
  identify: () => Promise<Principal>,
): Promise<void> {
  ctx.state.principal = await identify()
  ctx.state.authorizeAgain = async () => {
    ctx.state.principal = await identify()
  }
}

export async function actAs(
  ctx: Context,
  identify: () => Promise<Principal>,
  next: () => Promise<unknown>,
): Promise<void> {
  await setPrincipal(ctx, identify)
  const { principal, requestId } = ctx.state
  if (READS.has(ctx.method)) await next()
  else await writingFor(principal, requestId, next, callerOf(ctx.res))
}
