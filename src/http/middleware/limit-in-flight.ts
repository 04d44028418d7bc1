import type { IncomingMessage } from 'node:http'
import { ServiceUnavailableError } from '../../base/errors.ts'
import { METHODS_WITH_BODY } from '../body/read-request.ts'
import type { Middleware } from '../router/state.ts'

export interface LimitInFlight {
  (work: Middleware): Middleware
  /** Releases the slot while the request waits for something other than the database. */
  withoutSlot<T>(request: IncomingMessage, wait: () => Promise<T>): Promise<T>
}

/** A request counts after its body has arrived and until its response is ready. @throws ServiceUnavailableError */
export function limitInFlight(limit: number): LimitInFlight {
  const admitted = new Set<IncomingMessage>()
  const isAtWork = ({ complete, method }: IncomingMessage): boolean =>
    complete || !METHODS_WITH_BODY.has(method) // an endless body of another method must count
  const isFull = (): boolean =>
    admitted.size >= limit && [...admitted].filter(isAtWork).length >= limit
  const limited =
    (work: Middleware): Middleware =>
    async (ctx, next) => {
      if (isFull()) {
        throw new ServiceUnavailableError('Too many requests at a time', {}, { code: 'overloaded' })
      }
      admitted.add(ctx.req)
      try {
        await work(ctx, next)
      } finally {
        admitted.delete(ctx.req)
      }
    }
  const withoutSlot: LimitInFlight['withoutSlot'] = async (request, wait) => {
    const wasAdmitted = admitted.delete(request)
    try {
      return await wait()
    } finally {
      if (wasAdmitted) admitted.add(request)
    }
  }
  return Object.assign(limited, { withoutSlot })
}
